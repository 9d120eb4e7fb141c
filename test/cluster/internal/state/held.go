package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/flux-framework/flux-operator/test/cluster/internal/process"
)

// Held is a directory whose lock this process has.
type Held struct {
	Folder
	lock *flock.Flock
}

// hold locks a directory; ErrRunning if another process has it for longer than the given time.
func hold(ctx context.Context, folder Folder, wait time.Duration) (*Held, error) {
	lock := flock.New(folder.Path(lockName), flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err == nil && !locked && wait > 0 {
		ctx, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		locked, err = lock.TryLockContext(ctx, 20*time.Millisecond)
	}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("locking %s: %w", folder, err)
	}
	if !locked {
		return nil, fmt.Errorf("%s: %w", folder, ErrRunning)
	}
	return &Held{Folder: folder, lock: lock}, nil
}

// Remove ends the processes that the state names and removes the directory. A state that cannot be read names none: it is always
// written whole, so a crash of the machine has torn it, and has ended them.
func (h *Held) Remove(ctx context.Context) error {
	state, err := h.Load()
	if err != nil {
		state.Components = nil
	}
	processes := make([]process.ID, 0, len(state.Components))
	for _, component := range state.Components {
		processes = append(processes, component.Process)
	}
	if err := process.Kill(ctx, processes...); err != nil {
		return err
	}
	if err := os.RemoveAll(string(h.Folder)); err != nil {
		return err
	}
	return h.lock.Unlock()
}

// clean removes a directory that no keeper holds, with the processes it left; ErrRunning as for hold.
func clean(ctx context.Context, folder Folder, wait time.Duration) error {
	content, err := folder.content()
	if err != nil || content == foreign {
		return err
	}
	if content == nothing {
		if err := os.Remove(string(folder)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	held, err := hold(ctx, folder, wait)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return held.Remove(ctx)
}

// Runs is whether a keeper holds the directory.
func (f Folder) Runs() bool {
	if _, err := os.Stat(f.Path(lockName)); err != nil {
		return false
	}
	held, err := hold(context.Background(), f, 0)
	if err != nil {
		return errors.Is(err, ErrRunning)
	}
	return held.lock.Unlock() != nil
}

// Down ends the control plane in the directory, whatever is left of it, and removes the directory.
func Down(ctx context.Context, folder Folder) error {
	if content, err := folder.content(); err != nil {
		return err
	} else if content != ours {
		return fmt.Errorf("%s: %w", folder, ErrNone)
	}
	state, err := folder.Load()
	if err == nil && folder.Runs() {
		if err := end(ctx, state.Keeper); err != nil {
			return err
		}
	}
	return clean(ctx, folder, glance)
}

// end asks a keeper to take everything down, and ends it if it does not.
func end(ctx context.Context, keeper process.ID) error {
	if err := keeper.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	patient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if keeper.Wait(patient) == nil {
		return nil
	}
	return process.Kill(ctx, keeper)
}
