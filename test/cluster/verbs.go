package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/test/cluster/controlplane"
	"github.com/flux-framework/flux-operator/test/cluster/internal/keeper"
)

func (f *flags) up() *cobra.Command {
	return f.start(f.dir(&cobra.Command{
		Use:   "up",
		Short: "Start a control plane in the background and print its environment variables",
		Long: "Start a control plane in the background and print its environment variables as shell exports. If one is " +
			"running\n" +
			"already, print its variables. Processes and files that a killed control plane left are removed first.",
		Example: "  eval \"$(cluster up --crd config/crd/bases)\"",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			running, err := controlplane.Find(f.options.Dir)
			if err == nil {
				f.options.Log.Info("already running", "dir", running.Dir)
			} else {
				if err := f.program(); err != nil {
					return err
				}
				if running, err = controlplane.Up(command.Context(), f.options); err != nil {
					return err
				}
			}
			out := command.OutOrStdout()
			fmt.Fprintf(out, "export KUBECONFIG=%s\n", quote(running.Kubeconfig))
			fmt.Fprintf(out, "export KUBEBUILDER_ASSETS=%s\n", quote(running.Bin))
			fmt.Fprintf(out, "export PATH=%s:\"$PATH\"\n", quote(running.Bin))
			return nil
		},
	}))
}

func (f *flags) down() *cobra.Command {
	return f.dir(&cobra.Command{
		Use:   "down",
		Short: "Stop the control plane and remove its directory",
		Long: "Stop the control plane and remove its directory, also if its keeper was killed. Without one it does " +
			"nothing.",
		Example: "  cluster down",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			err := controlplane.Down(command.Context(), f.options.Dir)
			if errors.Is(err, controlplane.ErrNone) {
				f.options.Log.Info("no control plane is running")
				return nil
			}
			return err
		},
	})
}

func (f *flags) kubeconfig() *cobra.Command {
	var user string
	var groups []string
	var raw bool
	command := f.dir(&cobra.Command{
		Use:     "kubeconfig",
		Short:   "Print the path of the administrator's or another user's kubeconfig",
		Example: "  cluster kubeconfig --user alice --group developers",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			running, err := controlplane.Find(f.options.Dir)
			if err != nil {
				return err
			}
			path := running.Kubeconfig
			if user != "" {
				path, err = running.User(user, groups...)
			} else if len(groups) > 0 {
				err = errors.New("--group requires --user")
			}
			if err != nil {
				return err
			}
			if !raw {
				fmt.Fprintln(command.OutOrStdout(), path)
				return nil
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			_, err = command.OutOrStdout().Write(content)
			return err
		},
	})
	command.Flags().StringVar(&user, "user", "",
		"`name` of a user to create, with a client certificate and no RBAC permissions")
	command.Flags().StringArrayVar(&groups, "group", nil, "`name` of a group of the user; may be repeated")
	command.Flags().BoolVar(&raw, "raw", false, "print the kubeconfig instead of its path")
	return command
}

func (f *flags) restart() *cobra.Command {
	var options controlplane.RestartOptions
	command := f.dir(&cobra.Command{
		Use:     "restart COMPONENT",
		Short:   "Restart one component with the same port and data, and wait until it is ready",
		Example: "  cluster restart kube-apiserver --pause 5s",
		Args:    cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			running, err := controlplane.Find(f.options.Dir)
			if err != nil {
				return err
			}
			return running.Restart(command.Context(), args[0], options)
		},
	})
	command.Flags().BoolVar(&options.Kill, "kill", false, "kill it with SIGKILL instead of SIGTERM")
	command.Flags().DurationVar(&options.Pause, "pause", 0, "how long to wait before it starts again")
	return command
}

func (f *flags) build() *cobra.Command {
	return f.sources(&cobra.Command{
		Use:     "build",
		Short:   "Build the programs of the control plane and print their directory",
		Long:    "Build the programs of the control plane, unless they are in the build cache, and print their directory.",
		Example: "  cluster build",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			bin, err := controlplane.Build(command.Context(), f.options)
			if err != nil {
				return err
			}
			fmt.Fprintln(command.OutOrStdout(), bin)
			return nil
		},
	})
}

// keep is the hidden command that runs the keeper process. Package keeper documents its input and output.
func keep() *cobra.Command {
	return &cobra.Command{
		Use:    controlplane.KeepVerb,
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			// The failure is in an event, or in the directory's state.
			if err := keeper.Run(command.Context(), command.InOrStdin(), command.OutOrStdout()); err != nil {
				return exitCode(undecided)
			}
			return nil
		},
	}
}
