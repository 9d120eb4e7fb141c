package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// copyTree copies the project to dest: what git tracks or would track. Nothing in dest leads
// back to the project.
func copyTree(ctx context.Context, root, dest string) error {
	cmd := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	listed, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("listing the project's files: git ls-files: %w", err)
	}
	for name := range strings.SplitSeq(string(listed), "\x00") {
		if name == "" { // after the last one
			continue
		}
		if err := copyFile(filepath.Join(root, name), filepath.Join(dest, name)); err != nil {
			return err
		}
	}
	return nil
}

// copyTools copies the jars and the Java runtime, if there is one; not what is built or cached beside them.
func copyTools(from, to string) error {
	jars, err := filepath.Glob(filepath.Join(from, "*.jar"))
	if err != nil {
		return err
	}
	if len(jars) == 0 {
		return fmt.Errorf("no jar in %s: run `make tools`", from)
	}
	for _, jar := range jars {
		if err := copyFile(jar, filepath.Join(to, filepath.Base(jar))); err != nil {
			return err
		}
	}
	err = os.CopyFS(filepath.Join(to, "java"), os.DirFS(filepath.Join(from, "java")))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// copyFile copies a file or a symbolic link; a file that is gone, deleted but still in git's index, is none.
func copyFile(from, to string) error {
	info, err := os.Lstat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	// Streamed, to keep this program small: see sample.
	err = writeFile(to, in, info.Mode().Perm())
	return errors.Join(err, in.Close())
}

// writeFile writes a file that is not there yet.
func writeFile(name string, data io.Reader, mode fs.FileMode) error {
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, data)
	return errors.Join(err, out.Close())
}
