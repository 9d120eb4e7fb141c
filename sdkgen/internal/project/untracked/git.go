package untracked

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// repositories returns the directories to ask git about, by the directory to ask in: the root or, where
// generated files are in a repository of their own, such as a submodule, that one's.
func (f *finder) repositories() map[string][]string {
	asked := map[string][]string{}
	for name := range f.why {
		dir := path.Dir(name)
		at := "."
		for up := dir; up != "."; up = path.Dir(up) {
			if _, err := f.root.Lstat(path.Join(up, ".git")); err == nil && f.homes[up] {
				at = up
				break
			}
		}
		if !slices.Contains(asked[at], dir) {
			asked[at] = append(asked[at], dir)
		}
	}
	return asked
}

// listed returns the files below the directories that git tracks or would add, relative to root; a
// repository in one of them is its directory alone.
func listed(ctx context.Context, root string, environ []string, dirs map[string][]string) ([]string, error) {
	var files []string
	for at, below := range dirs {
		args := []string{"--literal-pathspecs", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"}
		slices.Sort(below)
		for _, dir := range below {
			rel, err := filepath.Rel(filepath.FromSlash(at), filepath.FromSlash(dir))
			if err != nil {
				return nil, err
			}
			args = append(args, filepath.ToSlash(rel))
		}
		git := exec.CommandContext(ctx, "git", args...)
		git.Dir, git.Env = filepath.Join(root, filepath.FromSlash(at)), slices.DeleteFunc(slices.Clone(environ), local)
		var stderr bytes.Buffer
		git.Stderr = &stderr
		out, err := git.Output()
		if err != nil {
			first, _, _ := strings.Cut(stderr.String(), "\n")
			return nil, errors.Join(ctx.Err(), fmt.Errorf("running git ls-files: %w: %s", err, first))
		}
		for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			if name != "" {
				files = append(files, path.Join(at, name))
			}
		}
	}
	return files, nil
}

// local tells the variables that bind git to one repository, as a hook of git's has them: they would be wrong
// for the directories here. It finds the repository of each by itself.
func local(entry string) bool {
	name, _, _ := strings.Cut(entry, "=")
	switch name {
	case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_NAMESPACE",
		"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_LITERAL_PATHSPECS":
		return true
	}
	return false
}
