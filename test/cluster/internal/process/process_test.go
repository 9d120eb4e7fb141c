package process_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/flux-framework/flux-operator/test/cluster/internal/process"
)

// sleeper is a process that stays until it is killed.
func sleeper(t *testing.T) *exec.Cmd {
	t.Helper()
	command := exec.Command("sleep", "600")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		command.Process.Kill()
		command.Wait()
	})
	return command
}

func name(t *testing.T, pid int) process.ID {
	t.Helper()
	id, err := process.Of(pid)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestKillEndsTheProcess(t *testing.T) {
	id := name(t, sleeper(t).Process.Pid)
	if !id.Alive() {
		t.Fatal("the process has been started and is not alive")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	// Nobody has waited for the process: what is left of it counts as gone.
	if err := process.Kill(ctx, id, process.ID{}); err != nil {
		t.Fatal(err)
	}
	if id.Alive() {
		t.Error("the process was killed and is alive")
	}
	if _, err := process.Of(id.PID); !errors.Is(err, process.ErrGone) {
		t.Errorf("naming a dead process: got %v, want %v", err, process.ErrGone)
	}
}

func TestStrangerWithTheSameNumberIsLeftAlone(t *testing.T) {
	stranger := name(t, sleeper(t).Process.Pid)
	known := process.ID{PID: stranger.PID, Born: "before"}
	if known.Alive() {
		t.Error("another process passes for the known one")
	}
	if err := process.Kill(t.Context(), known); err != nil {
		t.Error(err)
	}
	if !stranger.Alive() {
		t.Error("the stranger was killed")
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := name(t, os.Getpid()).Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestSignalReachesTheProcess(t *testing.T) {
	command := sleeper(t)
	if err := name(t, command.Process.Pid).Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	command.Wait()
	status, ok := command.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || status.Signal() != syscall.SIGTERM {
		t.Errorf("the process ended by %v, want %v", command.ProcessState, syscall.SIGTERM)
	}
}
