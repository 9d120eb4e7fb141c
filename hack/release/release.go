package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/flux-framework/flux-operator/hack/release/build"
	"github.com/flux-framework/flux-operator/hack/release/changelog"
	"github.com/flux-framework/flux-operator/hack/release/repo"
	"github.com/flux-framework/flux-operator/hack/release/version"
)

// changes is the name of the changelog.
const changes = "CHANGELOG.md"

// release is a run of the command: its arguments, and what the steps find out for those after them.
type release struct {
	version, dir, against, out, helm, sdkgen string
	write, check                             bool
	environ                                  []string
	stdout, stderr                           io.Writer

	tree   *repo.Repo
	head   string       // hash of HEAD
	last   string       // tag of the last release, empty before the first
	source build.Source // the copy of HEAD that gets the version
	clone  *repo.Repo   // the same
	api    string       // the changes of the API, as Markdown
}

// refusal is an error that says why a version may not be released.
type refusal struct{ error }

func refuse(format string, args ...any) error { return &refusal{fmt.Errorf(format, args...)} }

func (r *release) say(format string, args ...any) {
	fmt.Fprintf(r.stderr, "release: "+format+"\n", args...)
}

func (r *release) run(ctx context.Context) error {
	if err := r.open(ctx); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch) //nolint:errcheck // what stays is in the system's directory for temporary files
	if err := r.copy(ctx, scratch); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{r.verify, r.allowed, r.prepare} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	patch, files, err := r.clone.Diff(ctx)
	if err != nil {
		return err
	}
	r.printChanges(files)
	switch {
	case r.check:
		return nil
	case r.write:
		return r.apply(ctx, patch)
	}
	artifacts, err := r.build(ctx)
	if err != nil {
		return err
	}
	return r.print(artifacts, len(files) == 0)
}

// open finds out about the tree: it has to be clean, and the version must not be the tag of another commit.
func (r *release) open(ctx context.Context) error {
	tag := "v" + r.version
	err := version.Valid(tag)
	if err != nil {
		return err
	}
	if r.tree, err = repo.Open(ctx, r.dir, build.Clean(r.environ)); err != nil {
		return err
	}
	if err := version.Importable(r.dir, tag); err != nil {
		return &refusal{err}
	}
	dirty, err := r.tree.Changes(ctx)
	if err != nil {
		return err
	}
	if len(dirty) > 0 {
		return fmt.Errorf("the tree has changes that are not committed; commit or remove them:\n%s",
			strings.Join(dirty, "\n"))
	}
	if r.head, r.source.Time, err = r.tree.Head(ctx); err != nil {
		return err
	}
	tagged, err := r.tree.Tagged(ctx, tag)
	if err != nil {
		return err
	}
	if tagged != "" && tagged != r.head {
		return refuse("%s is the tag of another commit, %s", tag, tagged)
	}
	r.last, err = r.tree.LastTag(ctx, tag)
	return err
}

// copy makes the copy of HEAD in which the release is prepared and built, and sdkgen from it.
func (r *release) copy(ctx context.Context, scratch string) error {
	var err error
	if r.clone, err = r.tree.Clone(ctx, filepath.Join(scratch, "source")); err != nil {
		return err
	}
	toolchain, err := pinned()
	if err != nil {
		return err
	}
	r.source = build.Source{
		Dir: r.clone.Dir, Version: r.version, Time: r.source.Time, Scratch: scratch,
		Env: build.Environment(r.environ, toolchain, r.source.Time),
		Log: slog.New(slog.NewTextHandler(r.stderr, nil)),
	}
	if r.sdkgen != "" {
		return nil
	}
	r.sdkgen = filepath.Join(scratch, "sdkgen")
	_, err = r.source.Run(ctx, filepath.Join(r.clone.Dir, "sdkgen"), "go", "build", "-trimpath", "-buildvcs=false", "-o",
		r.sdkgen, ".")
	return err
}

// verify checks that what is generated is up to date, here and in the examples, and that all places have one version.
func (r *release) verify(ctx context.Context) error {
	projects, err := r.clone.Files(ctx, version.Source, "examples/operators/*/"+version.Source)
	if err != nil {
		return err
	}
	for _, project := range projects {
		dir := filepath.Dir(project)
		if _, err := r.source.Run(ctx, filepath.Join(r.clone.Dir, dir), r.sdkgen, "verify", "--quiet", "--engine",
			"native"); err != nil {
			return refuse("what is generated in %s is not up to date: %w", dir, err)
		}
	}
	current, err := version.Read(r.clone.Dir)
	if err != nil {
		return err
	}
	if semver.Compare("v"+r.version, "v"+current) < 0 {
		return refuse("%s is lower than the version in %s, %s", r.version, version.Source, current)
	}
	if err := r.agree(ctx); err != nil {
		return err
	}
	r.say("the tree is clean and what is generated is up to date (%s)", strings.Join(projects, ", "))
	return nil
}

// agree checks that all places in the copy have the version of its sdkgen.yaml, and no other line names it.
func (r *release) agree(ctx context.Context) error {
	files, err := r.clone.Files(ctx)
	if err != nil {
		return err
	}
	wrong, err := version.Disagreements(r.clone.Dir, files)
	if err == nil && len(wrong) > 0 {
		err = refuse("%s", strings.Join(wrong, "\n"))
	}
	return err
}

// prepare writes the version and the changelog into the copy. A line that names the new version already would be taken
// for a place of it by the next release.
func (r *release) prepare(ctx context.Context) error {
	files, err := r.clone.Files(ctx)
	if err != nil {
		return err
	}
	if err := version.Set(r.clone.Dir, files, r.version); err != nil {
		return err
	}
	if _, err := r.source.Run(ctx, r.clone.Dir, r.sdkgen, "generate", "--quiet", "--engine", "native"); err != nil {
		return err
	}
	if err := r.agree(ctx); err != nil {
		return err
	}
	return r.changelog(ctx)
}

// changelog adds the section of the version, from the commits since the last release. Before the first one, the older
// part of the history is told by hand: the commits since CHANGELOG.md was last changed are added.
func (r *release) changelog(ctx context.Context) error {
	name := filepath.Join(r.clone.Dir, changes)
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if changelog.Has(string(text), r.version) {
		r.say("%s has a section for %s, which stays as it is", changes, r.version)
		return nil
	}
	since := r.last
	if since == "" {
		if since, err = r.tree.LastChange(ctx, changes); err != nil {
			return err
		}
	}
	commits, err := r.tree.Commits(ctx, since)
	if err != nil {
		return err
	}
	subjects := make([]string, len(commits))
	for i, commit := range commits {
		subjects[i] = commit.Subject
	}
	groups, unsorted := changelog.Groups(subjects)
	if len(unsorted) > 0 {
		r.say("%s: these subjects have no area of hack/release/changelog/groups.go, and are under Other:\n  %s", changes,
			strings.Join(unsorted, "\n  "))
	}
	section := changelog.Section{Version: r.version, Released: r.source.Time, API: r.api, Groups: groups}
	return os.WriteFile(name, []byte(changelog.Insert(string(text), section)), 0o644)
}

// apply brings the changes of the copy into the tree.
func (r *release) apply(ctx context.Context, patch string) error {
	if err := r.tree.Apply(ctx, patch); err != nil {
		return err
	}
	_, err := fmt.Fprintf(r.stdout,
		"Read %s, then:\n  git add --all && git commit -m 'release: %s'\n  make release VERSION=%s\n", changes, r.version,
		r.version)
	return err
}
