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

	"github.com/flux-framework/flux-operator/test/cluster/controlplane"
)

// The exit codes. `cluster run` returns the exit code of its command.
const (
	done      = 0
	notRuns   = 1 // status: no control plane is running
	undecided = 2 // the command failed
)

// exitCode is an error that exits with a code and prints no message.
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

// flags are the flags that several commands share.
type flags struct {
	options controlplane.Options
}

func newRoot(stderr io.Writer) *cobra.Command {
	f := &flags{}
	f.options.Log = slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	root := &cobra.Command{
		Use:           "cluster",
		Short:         "Run a Kubernetes control plane for tests on the loopback address",
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

// dir adds the flag that selects a control plane.
func (f *flags) dir(command *cobra.Command) *cobra.Command {
	command.Flags().StringVar(&f.options.Dir, "dir", os.Getenv(controlplane.DirVariable),
		"`directory` of the control plane (default $"+controlplane.DirVariable+
			", else the one that `cluster up` started last)")
	return command
}

// start adds the flags of a start.
func (f *flags) start(command *cobra.Command) *cobra.Command {
	set := command.Flags()
	set.IntVar(&f.options.Nodes, "nodes", 2, "`number` of simulated nodes")
	set.StringArrayVar(&f.options.Images, "image", nil,
		"run pods for real, by a kubelet and containerd, with this image: `NAME=DIRECTORY[:DIRECTORY...]`, the uppermost "+
			"directory\n"+
			"first; may be repeated; needs root, overlayfs and runc")
	set.StringArrayVar(&f.options.CRDs, "crd", nil,
		"`file` or directory of CustomResourceDefinitions, applied before the controllers start; may be repeated")
	set.DurationVar(&f.options.Timeout, "timeout", 0,
		"how long to wait until the control plane is ready, without the build (default 2m)")
	return f.sources(command)
}

func (f *flags) sources(command *cobra.Command) *cobra.Command {
	command.Flags().StringVar(&f.options.Source, "source", "",
		"`directory` of the module test/cluster; required if this command was built with -trimpath")
	return command
}

// program makes this executable the keeper of the control plane.
func (f *flags) program() (err error) {
	f.options.Program, err = os.Executable()
	return err
}
