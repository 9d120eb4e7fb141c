package main

import (
	_ "embed"
	"fmt"
	"runtime"
	"strings"
	"text/tabwriter"

	"golang.org/x/mod/modfile"

	"github.com/flux-framework/flux-operator/hack/release/build"
)

//go:embed go.mod
var goMod []byte

// pinned returns the Go toolchain that builds a release: that of this module's go.mod.
func pinned() (string, error) {
	file, err := modfile.Parse("go.mod", goMod, nil)
	if err != nil {
		return "", err
	}
	if file.Toolchain == nil {
		return "", fmt.Errorf("hack/release/go.mod has no toolchain")
	}
	return file.Toolchain.Name, nil
}

// ready checks that this program was built by the pinned toolchain too: it compresses the archives.
func ready() error {
	toolchain, err := pinned()
	if err == nil && runtime.Version() != toolchain {
		err = fmt.Errorf("this program was built by %s, and a release takes %s; run it by make release", runtime.Version(),
			toolchain)
	}
	return err
}

// printChanges lists what differs from HEAD.
func (r *release) printChanges(files []string) {
	if len(files) == 0 {
		r.say("the tree has the version %s and its changelog", r.version)
		return
	}
	r.say("files that a release of %s changes:", r.version)
	for _, file := range files {
		fmt.Fprintf(r.stderr, "  %s\n", file)
	}
}

// tags are the prefixes of the tags: of the Go modules that others require, and, last, of the repository.
var tags = []string{"api/", "sdk/go/", "sdkgen/", ""}

// print lists the files, and what is left to do.
func (r *release) print(artifacts []build.Artifact, committed bool) error {
	table := tabwriter.NewWriter(r.stdout, 0, 0, 2, ' ', 0)
	var total int64
	for _, a := range artifacts {
		fmt.Fprintf(table, "%s\t%d\t%s\n", a.Name, a.Size, a.SHA256)
		total += a.Size
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(r.stdout, "\n%d files, %d bytes, in %s\n\n", len(artifacts), total, r.out)
	if !committed {
		_, err := fmt.Fprintf(r.stdout,
			"These files show what a release has; the tree is not yet that of %s. To make the release commit:\n  make release "+
				"VERSION=%s ARGS=--write\n", r.version, r.version)
		return err
	}
	var names []string
	fmt.Fprintf(r.stdout, "To release %s:\n", r.head)
	for _, prefix := range tags {
		name := prefix + "v" + r.version
		names = append(names, name)
		fmt.Fprintf(r.stdout, "  git tag -s -m %q %s %s\n", name, name, r.head)
	}
	// The last tag starts the workflow, which looks for the others. GitHub starts none if more than three tags come at
	// once.
	modules, last := names[:len(names)-1], names[len(names)-1]
	_, err := fmt.Fprintf(r.stdout, "  git push --atomic origin %s\n  git push origin %s\n", strings.Join(modules, " "),
		last)
	return err
}
