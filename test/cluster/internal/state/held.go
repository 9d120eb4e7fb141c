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

// Held is a directory that this process has locked.
type Held struct {
	Directory
	lock *flock.Flock
}

// hold locks a directory, or returns ErrRunning if another process holds the lock for longer than wait.
func hold(ctx context.Context, directory Directory, wait time.Duration) (*Held, error) {
	lock := flock.New(directory.Path(lockName), flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err == nil && !locked && wait > 0 {
		ctx, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		locked, err = lock.TryLockContext(ctx, 20*time.Millisecond)
	}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("locking %s: %w", directory, err)
	}
	if !locked {
		return nil, fmt.Errorf("%s: %w", directory, ErrRunning)
	}
	return &Held{Directory: directory, lock: lock}, nil
}

// Remove kills the processes in the state and removes the directory. It ignores a state that cannot be read: the state
// is replaced atomically, so only a crash of the machine damages it, and that killed the processes too.
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
	if err := os.RemoveAll(string(h.Directory)); err != nil {
		return err
	}
	return h.lock.Unlock()
}

// clean removes a directory and the processes of its state, or returns ErrRunning as hold does.
func clean(ctx context.Context, directory Directory, wait time.Duration) error {
	content, err := directory.content()
	if err != nil || content == foreign {
		return err
	}
	if content == nothing {
		if err := os.Remove(string(directory)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	held, err := hold(ctx, directory, wait)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return held.Remove(ctx)
}

// Runs reports whether a keeper holds the directory.
func (d Directory) Runs() bool {
	if _, err := os.Stat(d.Path(lockName)); err != nil {
		return false
	}
	held, err := hold(context.Background(), d, 0)
	if err != nil {
		return errors.Is(err, ErrRunning)
	}
	return held.lock.Unlock() != nil
}

// Down stops the control plane in the directory, or kills what a dead keeper left, and removes the directory.
func Down(ctx context.Context, directory Directory) error {
	if content, err := directory.content(); err != nil {
		return err
	} else if content != ours {
		return fmt.Errorf("%s: %w", directory, ErrNone)
	}
	state, err := directory.Load()
	if err == nil && directory.Runs() {
		if err := end(ctx, state.Keeper); err != nil {
			return err
		}
	}
	return clean(ctx, directory, glance)
}

// end sends SIGTERM to a keeper, and kills it if it does not exit in time.
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
