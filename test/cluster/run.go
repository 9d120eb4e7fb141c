package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/test/cluster/cluster"
)

// The exit codes. The verb run has that of its command.
const (
	done      = 0
	notRuns   = 1 // status: there is no control plane that runs
	undecided = 2 // it could not be done
)

// exitCode ends the program with a code and without a message.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	root := newRoot(stderr)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var code exitCode
	switch {
	case err == nil:
		return done
	case errors.As(err, &code):
		return int(code)
	}
	fmt.Fprintf(stderr, "cluster: %v\n", err)
	return undecided
}

// flags are those that several verbs have.
type flags struct {
	options cluster.Options
}

func newRoot(stderr io.Writer) *cobra.Command {
	f := &flags{}
	f.options.Log = slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	root := &cobra.Command{
		Use:           "cluster",
		Short:         "A real Kubernetes control plane for tests, on the loopback address",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(f.up(), f.run(), f.down(), f.status(), f.kubeconfig(), f.restart(), f.build(), keep())
	return root
}

func withoutTime(_ []string, attribute slog.Attr) slog.Attr {
	if attribute.Key == slog.TimeKey || attribute.Key == slog.LevelKey && attribute.Value.String() == "INFO" {
		return slog.Attr{}
	}
	return attribute
}

// dir adds the flag that names a control plane.
func (f *flags) dir(command *cobra.Command) *cobra.Command {
	command.Flags().StringVar(&f.options.Dir, "dir", os.Getenv(cluster.DirVariable),
		"`directory` of the control plane (default $"+cluster.DirVariable+", else the one that up has made last)")
	return command
}

// start adds the flags that say what to start.
func (f *flags) start(command *cobra.Command) *cobra.Command {
	set := command.Flags()
	set.IntVar(&f.options.Nodes, "nodes", 2, "`count` of nodes")
	set.StringArrayVar(&f.options.CRDs, "crd", nil,
		"`file` or directory with CustomResourceDefinitions to apply before the controllers start; may be repeated")
	set.DurationVar(&f.options.Timeout, "timeout", 0, "how long the start may take, without the build (default 2m)")
	return f.sources(command)
}

func (f *flags) sources(command *cobra.Command) *cobra.Command {
	command.Flags().StringVar(&f.options.Source, "source", "",
		"`directory` of the command's module, if it was built with -trimpath")
	return command
}

// program has the command itself keep the control plane.
func (f *flags) program() (err error) {
	f.options.Program, err = os.Executable()
	return err
}
