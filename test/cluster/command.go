package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/test/cluster/cluster"
	"github.com/flux-framework/flux-operator/test/cluster/internal/process"
)

func (f *flags) run() *cobra.Command {
	return f.start(&cobra.Command{
		Use:   "run -- COMMAND [ARGUMENT...]",
		Short: "Start a control plane, run a command with it, and always end the control plane",
		Long: "Start a control plane in a temporary directory, run a command with the variables that lead to it, and end the\n" +
			"control plane, whatever happens to the command or to this one. The exit code is the command's.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(command *cobra.Command, args []string) (err error) {
			if err := f.program(); err != nil {
				return err
			}
			control, err := cluster.Start(command.Context(), f.options)
			if err != nil {
				return err
			}
			defer func() {
				if stopped := control.Stop(); stopped != nil {
					err = fmt.Errorf("ending the control plane: %w", stopped)
				}
			}()
			return runCommand(command.Context(), control, args)
		},
	})
}

// runCommand waits for the command's end, and ends it if the control plane ends before.
func runCommand(ctx context.Context, control *cluster.Cluster, args []string) error {
	// The system ends the command with this thread.
	runtime.LockOSThread()
	command := exec.Command(args[0], args[1:]...)
	command.Env = control.Environment(os.Environ())
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.SysProcAttr = process.Dependent(syscall.SIGKILL)
	signals := make(chan os.Signal, 10)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("starting the command: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	for {
		select {
		case err := <-ended:
			return commandError(err)
		case received := <-signals:
			if received != os.Interrupt || !terminal() {
				command.Process.Signal(received) //nolint:errcheck // it is gone
			}
		case <-control.Ended():
			command.Process.Signal(syscall.SIGTERM) //nolint:errcheck // it is gone
			_ = <-ended
			return errors.New("the control plane ended before the command")
		}
	}
}

// terminal is whether there is one: it sends its interrupts to the command, too.
func terminal() bool {
	info, err := os.Stdin.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func commandError(err error) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return exitCode(128 + int(status.Signal()))
	}
	return exitCode(exit.ExitCode())
}

// quote writes a text as one word of a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
