// Package process identifies processes by PID and start time, so that a reused PID is not mistaken, and kills them.
package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// ID is a PID with the start time as the system reports it. The zero value is no process.
type ID struct {
	PID  int    `json:"pid"`
	Born string `json:"born"`
}

// ErrGone means that the process does not exist.
var ErrGone = errors.New("no such process")

// Of returns the ID of the process with a PID.
func Of(pid int) (ID, error) {
	when, err := born(pid)
	if err != nil {
		return ID{}, fmt.Errorf("inspecting process %d: %w", pid, err)
	}
	return ID{PID: pid, Born: when}, nil
}

// Alive reports whether the process is running. A zombie is not.
func (id ID) Alive() bool {
	if id.PID <= 0 {
		return false
	}
	when, err := born(id.PID)
	return err == nil && when == id.Born
}

// Signal sends a signal to exactly this process. It returns nil if the process has exited.
func (id ID) Signal(signal syscall.Signal) error {
	if id.PID <= 0 {
		return nil
	}
	// Take the handle before the check, so that the signal goes to the checked process.
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

// Kill sends SIGKILL to the processes and waits until they have exited.
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

// Wait returns when the process has exited.
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
