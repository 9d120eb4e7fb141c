// Package process names processes so that they can be told from later ones with the same number, and ends them.
package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// ID is a process: its number, and when it was born in the words of the system. It is zero for none.
type ID struct {
	PID  int    `json:"pid"`
	Born string `json:"born"`
}

// ErrGone says that there is no such process.
var ErrGone = errors.New("no such process")

// Of names the process that has the number.
func Of(pid int) (ID, error) {
	when, err := born(pid)
	if err != nil {
		return ID{}, fmt.Errorf("looking at process %d: %w", pid, err)
	}
	return ID{PID: pid, Born: when}, nil
}

// Alive is whether the process runs. A dead one that nobody has waited for does not.
func (id ID) Alive() bool {
	if id.PID <= 0 {
		return false
	}
	when, err := born(id.PID)
	return err == nil && when == id.Born
}

// Signal sends a signal to the process and to no other. One that is gone is no error.
func (id ID) Signal(signal syscall.Signal) error {
	if id.PID <= 0 {
		return nil
	}
	// The handle is taken before the look, so that it is the process looked at that gets the signal.
	handle, err := os.FindProcess(id.PID)
	if err != nil {
		return fmt.Errorf("finding process %d: %w", id.PID, err)
	}
	defer handle.Release() //nolint:errcheck // nothing is left to do with it
	if !id.Alive() {
		return nil
	}
	if err := handle.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("sending %v to process %d: %w", signal, id.PID, err)
	}
	return nil
}

// Kill ends the processes at once and waits until they are gone.
func Kill(ctx context.Context, ids ...ID) error {
	var errs []error
	for _, id := range ids {
		errs = append(errs, id.Signal(syscall.SIGKILL))
	}
	for _, id := range ids {
		errs = append(errs, id.Wait(ctx))
	}
	return errors.Join(errs...)
}

// Wait returns when the process is gone.
func (id ID) Wait(ctx context.Context) error {
	for id.Alive() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for process %d to end: %w", id.PID, ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
	return nil
}
