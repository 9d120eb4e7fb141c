package images

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Checkout copies the repository at root into a directory and tags it there with a version, so that the go command writes
// the version and the commit into programs. It returns the commit. Uncommitted changes are copied as a commit on top, whose
// author and time are fixed; -dirty is then added to the hash of HEAD that is returned. The repository itself keeps its
// branches, tags and index.
func Checkout(ctx context.Context, environ []string, root, version, dir string) (string, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	g := &git{ctx: ctx, environ: plain(environ)}
	head := g.run(root, "rev-parse", "--verify", "HEAD^{commit}")
	commit, revision := head, head
	if g.run(root, "status", "--porcelain") != "" {
		commit, revision = g.snapshot(root, head), head+"-dirty"
	}
	if g.err == nil {
		g.err = os.MkdirAll(dir, 0o755)
	}
	g.run(dir, "init", "--quiet")
	g.run(dir, "-c", "protocol.file.allow=always", "fetch", "--quiet", "--depth=1", "--no-tags",
		"--upload-pack=git -c uploadpack.allowAnySHA1InWant=true upload-pack", "file://"+filepath.ToSlash(root), commit)
	g.run(dir, "-c", "advice.detachedHead=false", "-c", "core.autocrlf=false", "checkout", "--quiet", commit)
	for _, prefix := range []string{"", "api/", "sdk/go/", "sdkgen/"} {
		g.run(dir, "tag", prefix+"v"+version)
	}
	return revision, g.err
}

// git runs git commands until one fails.
type git struct {
	ctx     context.Context
	environ []string
	err     error
}

// snapshot makes a commit of the work tree, and of the files that git does not know or ignore.
func (g *git) snapshot(root, head string) string {
	index, err := os.MkdirTemp("", "index-")
	if err != nil {
		g.err = err
		return ""
	}
	defer os.RemoveAll(index) //nolint:errcheck // what stays is in a directory for temporary files
	stamp := g.run(root, "show", "--no-patch", "--format=%ct +0000", "--no-show-signature", head)
	outer := g.environ
	defer func() { g.environ = outer }()
	g.environ = append(slices.Clip(g.environ), "GIT_INDEX_FILE="+filepath.Join(index, "index"),
		"GIT_AUTHOR_NAME=release", "GIT_AUTHOR_EMAIL=", "GIT_AUTHOR_DATE="+stamp,
		"GIT_COMMITTER_NAME=release", "GIT_COMMITTER_EMAIL=", "GIT_COMMITTER_DATE="+stamp)
	g.run(root, "read-tree", head)
	g.run(root, "-c", "core.autocrlf=false", "add", "--all")
	tree := g.run(root, "write-tree")
	return g.run(root, "commit-tree", "--no-gpg-sign", "-p", head, "-m", "uncommitted changes", tree)
}

func (g *git) run(dir string, args ...string) string {
	if g.err != nil {
		return ""
	}
	cmd := exec.CommandContext(g.ctx, "git", append([]string{"-C", dir}, args...)...)
	cmd.Env = g.environ
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		g.err = fmt.Errorf("git %s in %s: %w: %s", args[0], dir, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimRight(stdout.String(), "\n")
}

// plain leaves out of an environment what would change what is built.
func plain(environ []string) []string {
	cleared := []string{"GOFLAGS", "GOEXPERIMENT", "GOAMD64", "GOARM64", "GODEBUG", "GOFIPS140", "GOOS", "GOARCH",
		"PYTHONPATH", "PYTHONHOME", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"}
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(cleared, name)
	})
}
