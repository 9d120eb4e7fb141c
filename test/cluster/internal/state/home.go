package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

const (
	prefix   = "flux-cluster-" // of directories in the system's directory for temporary files
	patience = 20 * time.Second
	glance   = time.Second // how long another command may hold a lock that only looks at it
)

// ErrRunning means that the control plane of a directory is running.
var ErrRunning = errors.New("a control plane is running there; stop it with `cluster down`")

// ErrNone means that there is no control plane.
var ErrNone = errors.New("no control plane is running; start one with `cluster up`")

// Home is a user's directory that holds the built programs and the path of the current control plane, the one that was
// started without --dir.
type Home string

// Current returns the directory of the current control plane.
func (h Home) Current() (Directory, error) {
	content, err := os.ReadFile(h.current())
	if errors.Is(err, fs.ErrNotExist) {
		return "", ErrNone
	}
	return Directory(strings.TrimSpace(string(content))), err
}

func (h Home) current() string { return filepath.Join(string(h), "current") }

// Take creates the directory of a control plane and locks it. An empty path means a temporary directory; with remember
// it becomes the current one. Processes and files that killed control planes left are removed first.
func (h Home) Take(ctx context.Context, path string, remember bool) (*Held, error) {
	if err := os.MkdirAll(string(h), 0o700); err != nil {
		return nil, err
	}
	// One at a time, so that nobody sees a directory before it is locked.
	global := flock.New(filepath.Join(string(h), lockName))
	if _, err := global.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return nil, fmt.Errorf("waiting for another command: %w", err)
	}
	defer global.Unlock() //nolint:errcheck // it ends with the process
	if err := h.sweep(ctx, remember); err != nil {
		return nil, err
	}
	directory, err := makeDirectory(ctx, Directory(path))
	if err != nil {
		return nil, err
	}
	held, err := hold(ctx, directory, glance)
	if err != nil {
		return nil, err
	}
	if remember {
		return held, replace(h.current(), []byte(string(directory)+"\n"))
	}
	return held, nil
}

// sweep removes the temporary directories of dead control planes. The current one stays until another replaces it, so
// that its failure can be read.
func (h Home) sweep(ctx context.Context, replaced bool) error {
	current, err := h.Current()
	if err != nil && !errors.Is(err, ErrNone) {
		return err
	}
	if replaced && current != "" {
		if err := clean(ctx, current, glance); err != nil {
			return err
		}
	}
	found, err := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*"))
	if err != nil {
		return err
	}
	for _, path := range found {
		if Directory(path) != current && own(path) {
			clean(ctx, Directory(path), 0) //nolint:errcheck // it is running, or cannot be removed; neither prevents a start
		}
	}
	return nil
}

// own reports whether a directory belongs to this user; other users' files are not trusted.
func own(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}

func makeDirectory(ctx context.Context, directory Directory) (Directory, error) {
	if directory == "" {
		path, err := os.MkdirTemp("", prefix)
		return Directory(path), err
	}
	content, err := directory.content()
	if err != nil {
		return "", err
	}
	if content == foreign {
		return "", fmt.Errorf("%s contains other files; choose an empty or a new directory", directory)
	}
	if err := clean(ctx, directory, glance); err != nil {
		return "", err
	}
	return directory, os.MkdirAll(string(directory), 0o700)
}
