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

// ErrRunning says that a directory's control plane runs.
var ErrRunning = errors.New("a control plane runs there; `cluster down` ends it")

// ErrNone says that there is no control plane.
var ErrNone = errors.New("no control plane; `cluster up` starts one")

// Home is the directory of a user that holds the built programs and remembers the directory of the control plane that has none of
// its own choice.
type Home string

// Current is the directory that was remembered.
func (h Home) Current() (Folder, error) {
	content, err := os.ReadFile(h.current())
	if errors.Is(err, fs.ErrNotExist) {
		return "", ErrNone
	}
	return Folder(strings.TrimSpace(string(content))), err
}

func (h Home) current() string { return filepath.Join(string(h), "current") }

// Take makes the directory for a control plane and holds it. An empty path takes a temporary directory; with remember it becomes
// the current one. What killed ones left behind is ended and removed before.
func (h Home) Take(ctx context.Context, path string, remember bool) (*Held, error) {
	if err := os.MkdirAll(string(h), 0o700); err != nil {
		return nil, err
	}
	// One at a time: a directory is not seen before it is locked.
	global := flock.New(filepath.Join(string(h), lockName))
	if _, err := global.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return nil, fmt.Errorf("waiting for another command: %w", err)
	}
	defer global.Unlock() //nolint:errcheck // it ends with the process
	if err := h.sweep(ctx, remember); err != nil {
		return nil, err
	}
	folder, err := makeFolder(ctx, Folder(path))
	if err != nil {
		return nil, err
	}
	held, err := hold(ctx, folder, glance)
	if err != nil {
		return nil, err
	}
	if remember {
		return held, replace(h.current(), []byte(string(folder)+"\n"))
	}
	return held, nil
}

// sweep cleans the temporary directories of dead control planes. The current one stays, that its failure can be seen, until
// another takes its place.
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
		if Folder(path) != current && own(path) {
			clean(ctx, Folder(path), 0) //nolint:errcheck // it runs, or cannot be removed: no reason not to start
		}
	}
	return nil
}

// own is whether a directory is this user's; what others write is not believed.
func own(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}

func makeFolder(ctx context.Context, folder Folder) (Folder, error) {
	if folder == "" {
		path, err := os.MkdirTemp("", prefix)
		return Folder(path), err
	}
	content, err := folder.content()
	if err != nil {
		return "", err
	}
	if content == foreign {
		return "", fmt.Errorf("%s holds other files: name an empty directory, or one that is not there", folder)
	}
	if err := clean(ctx, folder, glance); err != nil {
		return "", err
	}
	return folder, os.MkdirAll(string(folder), 0o700)
}
