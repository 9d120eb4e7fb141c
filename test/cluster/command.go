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

	"github.com/flux-framework/flux-operator/test/cluster/controlplane"
	"github.com/flux-framework/flux-operator/test/cluster/internal/process"
)

func (f *flags) run() *cobra.Command {
	return f.start(&cobra.Command{
		Use:   "run -- COMMAND [ARGUMENT...]",
		Short: "Run a command against a temporary control plane",
		Long: "Start a control plane in a temporary directory, run a command with KUBECONFIG and PATH set for it, and stop " +
			"the\n" +
			"control plane when the command exits or either process is killed. The exit code is the command's.",
		Example: "  cluster run --crd config/crd/bases -- go test ./test/e2e",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(command *cobra.Command, args []string) (err error) {
			if err := f.program(); err != nil {
				return err
			}
			control, err := controlplane.Start(command.Context(), f.options)
			if err != nil {
				return err
			}
			defer func() {
				if stopped := control.Stop(); stopped != nil {
					err = fmt.Errorf("stopping the control plane: %w", stopped)
				}
			}()
			return runCommand(command.Context(), control, args)
		},
	})
}

// runCommand runs the command, and terminates it if the control plane stops first.
func runCommand(ctx context.Context, control *controlplane.Instance, args []string) error {
	// The kernel kills the command when this thread ends (see process.Dependent).
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
				command.Process.Signal(received) //nolint:errcheck // it has exited
			}
		case <-control.Ended():
			command.Process.Signal(syscall.SIGTERM) //nolint:errcheck // it has exited
			<-ended                                 //nolint:errcheck // why the control plane stopped is the error
			return errors.New("the control plane stopped before the command exited")
		}
	}
}

// terminal reports whether stdin is a terminal, which sends interrupts to the command too.
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

// quote quotes a string as one shell word.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
