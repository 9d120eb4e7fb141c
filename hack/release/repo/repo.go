// Package repo asks git about a repository, and makes the copies of it that a release is built in.
package repo

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// Repo is a git repository with a work tree.
type Repo struct {
	Dir string
	Env []string // for git
}

// Commit is a commit of the history.
type Commit struct{ Hash, Subject string }

// Open returns the repository whose root is a directory. Its history has to be whole, since tags and subjects are read
// from it.
func Open(ctx context.Context, dir string, environ []string) (*Repo, error) {
	r := &Repo{dir, environ}
	shallow, err := r.git(ctx, "rev-parse", "--is-shallow-repository")
	if err != nil {
		return nil, err
	}
	if shallow == "true" {
		return nil, fmt.Errorf("%s has a part of the history only; run git fetch --unshallow --tags", dir)
	}
	return r, nil
}

// Changes returns the files that differ from HEAD or are not known to git, as git status prints them.
func (r *Repo) Changes(ctx context.Context) ([]string, error) {
	out, err := r.git(ctx, "status", "--porcelain")
	return lines(out), err
}

// Head returns the hash of HEAD, and when it was committed.
func (r *Repo) Head(ctx context.Context) (string, time.Time, error) {
	out, err := r.git(ctx, "log", "-1", "--no-show-signature", "--format=%H %ct")
	if err != nil {
		return "", time.Time{}, err
	}
	hash, stamp, _ := strings.Cut(out, " ")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return "", time.Time{}, fmt.Errorf("reading the time of %s: %w", hash, err)
	}
	return hash, time.Unix(seconds, 0).UTC(), nil
}

// LastTag returns the tag vMAJOR.MINOR.PATCH of the highest release that HEAD has in its history, without the one that
// is released now; empty if there is none. Pre-releases count only for a pre-release.
func (r *Repo) LastTag(ctx context.Context, released string) (string, error) {
	out, err := r.git(ctx, "tag", "--merged", "HEAD", "--list", "v*")
	if err != nil {
		return "", err
	}
	tags := slices.DeleteFunc(lines(out), func(tag string) bool {
		return semver.Canonical(tag) != tag || tag == released ||
			semver.Prerelease(tag) != "" && semver.Prerelease(released) == ""
	})
	if len(tags) == 0 {
		return "", nil
	}
	return slices.MaxFunc(tags, semver.Compare), nil
}

// Tagged returns the hash of the commit that a tag names, empty if there is no such tag.
func (r *Repo) Tagged(ctx context.Context, tag string) (string, error) {
	out, err := r.git(ctx, "tag", "--list", tag)
	if err != nil || out == "" {
		return "", err
	}
	return r.git(ctx, "rev-parse", "--verify", "refs/tags/"+tag+"^{commit}")
}

// Show returns what a file has at a git ref, and the hash of its commit.
func (r *Repo) Show(ctx context.Context, ref, file string) (hash, text string, err error) {
	if hash, err = r.git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}"); err != nil {
		return "", "", fmt.Errorf("%s is not a commit, tag or branch: %w", ref, err)
	}
	text, err = r.run(ctx, "", "show", hash+":"+file)
	return hash, text, err
}

// LastChange returns the hash of the last commit that changed a file, empty if none did.
func (r *Repo) LastChange(ctx context.Context, file string) (string, error) {
	return r.git(ctx, "log", "-1", "--no-show-signature", "--format=%H", "--", file)
}

// Commits returns what HEAD has since a commit, merges left out, oldest first; the whole history if the commit is
// empty.
func (r *Repo) Commits(ctx context.Context, since string) ([]Commit, error) {
	revisions := "HEAD"
	if since != "" {
		revisions = since + "..HEAD"
	}
	out, err := r.git(ctx, "log", "--no-merges", "--reverse", "--no-show-signature", "--format=%h %s", revisions)
	var commits []Commit
	for _, line := range lines(out) {
		hash, subject, _ := strings.Cut(line, " ")
		commits = append(commits, Commit{hash, subject})
	}
	return commits, err
}

// Files returns the files that git knows, by patterns.
func (r *Repo) Files(ctx context.Context, patterns ...string) ([]string, error) {
	out, err := r.git(ctx, append([]string{"ls-files", "-z", "--"}, patterns...)...)
	return strings.FieldsFunc(out, func(c rune) bool { return c == 0 }), err
}

// Clone makes a copy of HEAD in a directory that does not exist. Files that git ignores are not in it.
func (r *Repo) Clone(ctx context.Context, dir string) (*Repo, error) {
	_, err := r.git(ctx, "clone", "--quiet", "--shared", "--no-checkout", r.Dir, dir)
	if err != nil {
		return nil, err
	}
	clone := &Repo{dir, r.Env}
	head, _, err := r.Head(ctx)
	if err == nil {
		_, err = clone.git(ctx, "-c", "core.autocrlf=false", "-c", "advice.detachedHead=false", "checkout", "--quiet",
			"--detach", head)
	}
	return clone, err
}

// Diff returns the difference between the work tree, with the files that git does not know yet, and HEAD: as a patch
// and as one line for each file. It adds the files to the index.
func (r *Repo) Diff(ctx context.Context) (patch string, files []string, err error) {
	if _, err = r.git(ctx, "add", "--all"); err != nil {
		return "", nil, err
	}
	names, err := r.git(ctx, "diff", "--cached", "--no-ext-diff", "--name-status", "--no-renames")
	if err != nil {
		return "", nil, err
	}
	patch, err = r.run(ctx, "", "diff", "--cached", "--no-ext-diff", "--binary", "--no-renames", "--no-color")
	return patch, lines(names), err
}

// Apply applies a patch to the work tree.
func (r *Repo) Apply(ctx context.Context, patch string) error {
	if patch == "" {
		return nil
	}
	_, err := r.run(ctx, patch, "apply", "--whitespace=nowarn", "-")
	return err
}

// git runs git and returns what it prints, without the last newline.
func (r *Repo) git(ctx context.Context, args ...string) (string, error) {
	out, err := r.run(ctx, "", args...)
	return strings.TrimRight(out, "\n"), err
}

func (r *Repo) run(ctx context.Context, stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", r.Dir}, args...)...)
	cmd.Env, cmd.Stdin = r.Env, strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s in %s: %w: %s", args[0], r.Dir, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return string(out), nil
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
