// Package baseline finds the source that an API is compared with: a commit of the same repository, a directory, or a
// published version of a module. What it has to write goes to a scratch directory.
package baseline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// rule is the rule of the diagnostics.
const rule = "against"

// Options say what to find and for whom.
type Options struct {
	Root    string   // the project's root, absolute
	Against string   // a git ref, a directory, or MODULE@VERSION
	Environ []string // of child processes, as os.Environ gives it
	Scratch string   // an empty directory for what has to be written
	// Packages are the import paths of the API packages. Of a published version, those that it has are made available.
	Packages []string
}

// Baseline is the source that was found.
type Baseline struct {
	Root string // a project as Options.Root is one, or, of a module, a project that requires it
	Name string // for people: "main (1a2b3c4)"
	// Packages are the import paths of the API packages that the project at Root requires, by those of Options.Packages:
	// another major version of a module has others. It is nil unless the baseline is a published version of a module.
	Packages map[string]string
}

// Find finds the source. A directory comes before a git ref of the same name.
func Find(ctx context.Context, opts Options) (*Baseline, error) {
	if name, version, ok := strings.Cut(opts.Against, "@"); ok && module.CheckPath(name) == nil &&
		!strings.HasPrefix(version, "{") {
		return opts.module(ctx, name, version)
	}
	if opts.Against == "" {
		return nil, opts.refuse("name a git ref, a directory, or MODULE@VERSION", "--against is empty")
	}
	dir := opts.Against
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(opts.Root, dir)
	}
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return &Baseline{Root: dir, Name: opts.Against}, nil
	}
	return opts.commit(ctx)
}

// commit extracts a commit of the repository that the project is in. It reads git's objects only: the worktree and the
// index stay as they are, and nothing is fetched.
func (o Options) commit(ctx context.Context) (*Baseline, error) {
	if strings.HasPrefix(o.Against, "-") {
		return nil, o.refuse("a git ref, a directory or MODULE@VERSION", "--against %q is no git ref", o.Against)
	}
	commit, err := o.run(ctx, "git", "rev-parse", "--quiet", "--verify", "--end-of-options", o.Against+"^{commit}")
	if err != nil {
		return nil,
			o.refuse(
				"name a git ref that this repository has (CI may have to fetch it: `git fetch origin main`), a directory, or "+
					"MODULE@VERSION",
				"there is no commit and no directory %q", o.Against)
	}
	prefix, err := o.run(ctx, "git", "rev-parse", "--show-prefix")
	if err != nil {
		return nil, err
	}
	top, err := o.run(ctx, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	// Of a module in a subdirectory, other directories may be needed by a replace.
	archive := exec.CommandContext(ctx, "git", "-C", top, "archive", "--format=tar", commit)
	archive.Env = o.environ()
	if err := extract(archive, o.Scratch); err != nil {
		return nil, fmt.Errorf("extracting %s: %w", o.Against, errors.Join(ctx.Err(), err))
	}
	root := filepath.Join(o.Scratch, filepath.FromSlash(prefix))
	if _, err := os.Stat(root); err != nil {
		return nil, o.refuse("", "%s does not have the directory %s", o.Against, prefix)
	}
	return &Baseline{Root: root, Name: fmt.Sprintf("%s (%.7s)", o.Against, commit)}, nil
}

// module makes a module that requires a version of another, with the versions of further modules that this one asks
// for.
func (o Options) module(ctx context.Context, name, version string) (*Baseline, error) {
	if !semver.IsValid(version) && version != "latest" {
		return nil, o.refuse("write it as "+name+"@v1.2.3", "--against: %q is not a version of a module", version)
	}
	goMod := "module sdkgen.invalid/baseline\n\ngo 1.24\n"
	if semver.Canonical(version) == version || strings.HasSuffix(version, "+incompatible") {
		goMod += "\nrequire " + name + " " + version + "\n"
	}
	if err := os.WriteFile(filepath.Join(o.Scratch, "go.mod"), []byte(goMod), 0o644); err != nil {
		return nil, err
	}
	o.Root = o.Scratch
	found := &Baseline{Root: o.Scratch, Name: name + "@" + version, Packages: map[string]string{}}
	var failed error
	for _, pkg := range o.Packages {
		for _, old := range paths(name, pkg) {
			// That one is missing is no reason to lack the others: the version may not have it yet.
			if err := o.require(ctx, name, version, old); err != nil {
				failed = cmp.Or(failed, err)
				continue
			}
			found.Packages[pkg] = old
			break
		}
	}
	switch {
	case len(found.Packages) > 0:
		return found, nil
	case failed == nil:
		return nil, o.refuse("the API packages are "+strings.Join(o.Packages, ", "),
			"--against: %s has no API package of this project", name)
	}
	return nil, o.refuse("check that the version is published and has the packages", "fetching %s@%s: %v", name, version,
		failed)
}

// Package makes a published version of a package available to a project in Scratch. The module is the one with the
// longest path
// that has the package, as the go command chooses it; that itself fails where a registry refuses paths of no module.
// The version may be "latest".
func (o Options) Package(ctx context.Context, pkg, version string) error {
	if !semver.IsValid(version) && version != "latest" {
		return diag.Errorf(token.Position{}, "package", "write it as "+pkg+"@v1.2.3", "%q is not a version of a module",
			version)
	}
	o.Root = o.Scratch
	var failed error
	for name := pkg; strings.Contains(name, "/"); name = path.Dir(name) {
		if failed = o.packageOf(ctx, name, version, pkg); failed == nil {
			return nil
		}
	}
	return diag.Errorf(token.Position{}, "package", "check that the version is published and has the package",
		"fetching %s@%s: %v", pkg, version, failed)
}

// packageOf is Package of a module.
func (o Options) packageOf(ctx context.Context, name, version, pkg string) error {
	const empty = "module sdkgen.invalid/baseline\n\ngo 1.24\n"
	goMod := filepath.Join(o.Scratch, "go.mod")
	if err := os.WriteFile(goMod, []byte(empty), 0o644); err != nil {
		return err
	}
	found, err := o.run(ctx, "go", "list", "-m", "-f", "{{.Version}}", name+"@"+version)
	if err != nil {
		return err
	}
	if err := os.WriteFile(goMod, []byte(empty+"\nrequire "+name+" "+found+"\n"), 0o644); err != nil {
		return err
	}
	_, err = o.run(ctx, "go", "list", "-mod=mod", "-deps", pkg)
	return err
}

// majorVersion is what the import path of a module's packages has in it from v2 on.
var majorVersion = regexp.MustCompile(`^/v[0-9]+(/|$)`)

// paths returns the import paths that a package may have in a module: its own, and that in another major version of its
// module.
func paths(name, pkg string) []string {
	var all []string
	if pkg == name || strings.HasPrefix(pkg, name+"/") {
		all = append(all, pkg)
	}
	prefix, _, ok := module.SplitPathVersion(name)
	below, within := strings.CutPrefix(pkg, prefix)
	if !ok || !within || below != "" && below[0] != '/' {
		return all
	}
	if other := strings.TrimSuffix(name+majorVersion.ReplaceAllString(below, "$1"), "/"); other != pkg {
		all = append(all, other)
	}
	return all
}

// require makes a package with its dependencies available. What go.mod requires already is only listed: "go get" would
// ask the network for modules with longer paths, even if all is in the module cache.
func (o Options) require(ctx context.Context, name, version, pkg string) error {
	from, err := o.run(ctx, "go", "list", "-mod=mod", "-deps", "-f", `{{if eq .ImportPath "`+pkg+`"}}{{.Module}}{{end}}`,
		pkg)
	if err == nil && from == name+" "+version {
		return nil
	}
	_, err = o.run(ctx, "go", "get", pkg+"@"+version)
	return err
}

func (o Options) refuse(hint, format string, args ...any) error {
	return diag.Errorf(token.Position{}, rule, hint, format, args...)
}

// environ is the environment of child processes, without what binds git to another repository or go to a workspace.
func (o Options) environ() []string {
	environ := slices.DeleteFunc(slices.Clone(o.Environ), func(entry string) bool {
		return strings.HasPrefix(entry, "GIT_DIR=") || strings.HasPrefix(entry, "GIT_WORK_TREE=") ||
			strings.HasPrefix(entry, "GIT_INDEX_FILE=")
	})
	return append(environ, "GOWORK=off")
}

// run runs a command in the root and returns the first line that it prints.
func (o Options) run(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = o.Root, o.environ()
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	if err != nil {
		return "", errors.Join(ctx.Err(), fmt.Errorf("running %s %s: %w", name, args[0], err))
	}
	line, _, _ := strings.Cut(strings.TrimLeft(string(out), "\n"), "\n")
	return line, nil
}
