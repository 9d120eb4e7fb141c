package repo

import (
	"context"
	"os"
	"path/filepath"
	"slices"
)

// Snapshot copies the repository into a directory and tags the copy with a version, so that the go command writes the
// version
// and the commit into programs. It returns the hash of HEAD. Uncommitted changes are copied as a commit on top, whose
// author and time are fixed; -dirty is then added to the hash. The repository itself keeps its branches, tags and
// index.
func (r *Repo) Snapshot(ctx context.Context, version, dir string) (string, error) {
	root, err := filepath.Abs(r.Dir)
	if err != nil {
		return "", err
	}
	head, _, err := r.Head(ctx)
	if err != nil {
		return "", err
	}
	changes, err := r.Changes(ctx)
	if err != nil {
		return "", err
	}
	commit, revision := head, head
	if len(changes) > 0 {
		revision += "-dirty"
		if commit, err = r.commit(ctx, head); err != nil {
			return "", err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	steps := [][]string{
		{"init", "--quiet"},
		{"-c", "protocol.file.allow=always", "fetch", "--quiet", "--depth=1", "--no-tags",
			"--upload-pack=git -c uploadpack.allowAnySHA1InWant=true upload-pack", "file://" + filepath.ToSlash(root), commit},
		{"-c", "advice.detachedHead=false", "-c", "core.autocrlf=false", "checkout", "--quiet", commit},
	}
	for _, prefix := range []string{"", "api/", "sdk/go/", "sdkgen/"} {
		steps = append(steps, []string{"tag", prefix + "v" + version})
	}
	copied := &Repo{dir, r.Env}
	for _, args := range steps {
		if _, err := copied.git(ctx, args...); err != nil {
			return "", err
		}
	}
	return revision, nil
}

// commit makes a commit of the work tree on top of HEAD, with the files that git does not know or ignore. No branch has
// it.
func (r *Repo) commit(ctx context.Context, head string) (string, error) {
	index, err := os.MkdirTemp("", "index-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(index) //nolint:errcheck // what stays is in a directory for temporary files
	stamp, err := r.git(ctx, "show", "--no-patch", "--format=%ct +0000", "--no-show-signature", head)
	if err != nil {
		return "", err
	}
	apart := &Repo{r.Dir, slices.Concat(r.Env, []string{
		"GIT_INDEX_FILE=" + filepath.Join(index, "index"),
		"GIT_AUTHOR_NAME=release", "GIT_AUTHOR_EMAIL=", "GIT_AUTHOR_DATE=" + stamp,
		"GIT_COMMITTER_NAME=release", "GIT_COMMITTER_EMAIL=", "GIT_COMMITTER_DATE=" + stamp,
	})}
	for _, args := range [][]string{{"read-tree", head}, {"-c", "core.autocrlf=false", "add", "--all"}} {
		if _, err := apart.git(ctx, args...); err != nil {
			return "", err
		}
	}
	tree, err := apart.git(ctx, "write-tree")
	if err != nil {
		return "", err
	}
	return apart.git(ctx, "commit-tree", "--no-gpg-sign", "-p", head, "-m", "uncommitted changes", tree)
}
