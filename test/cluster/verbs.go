package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/test/cluster/cluster"
	"github.com/flux-framework/flux-operator/test/cluster/internal/keeper"
)

func (f *flags) up() *cobra.Command {
	return f.start(f.dir(&cobra.Command{
		Use:   "up",
		Short: "Start a control plane that stays, and print the variables that lead to it",
		Long: "Start a control plane that stays, and print the variables that lead to it, as in eval \"$(cluster up)\".\n" +
			"What a killed one has left behind is ended and removed first. One that runs is left alone.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			running, err := cluster.Find(f.options.Dir)
			if err == nil {
				f.options.Log.Info("runs already", "dir", running.Dir)
			} else {
				if err := f.program(); err != nil {
					return err
				}
				if running, err = cluster.Up(command.Context(), f.options); err != nil {
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
		Short: "End the control plane, or what is left of it, and remove its directory",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			err := cluster.Down(command.Context(), f.options.Dir)
			if errors.Is(err, cluster.ErrNone) {
				f.options.Log.Info("there is nothing to end")
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
		Use:   "kubeconfig",
		Short: "Print the path of a kubeconfig: the administrator's, or another user's",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			running, err := cluster.Find(f.options.Dir)
			if err != nil {
				return err
			}
			path := running.Kubeconfig
			if user != "" {
				path, err = running.User(user, groups...)
			} else if len(groups) > 0 {
				err = errors.New("--group wants --user")
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
	command.Flags().StringVar(&user, "user", "", "`name` of a user, who gets a certificate and no rights")
	command.Flags().StringArrayVar(&groups, "group", nil, "`name` of a group that the user is in; may be repeated")
	command.Flags().BoolVar(&raw, "raw", false, "print the content, not the path")
	return command
}

func (f *flags) restart() *cobra.Command {
	var options cluster.RestartOptions
	command := f.dir(&cobra.Command{
		Use:   "restart COMPONENT",
		Short: "End one component and start it again, on the same port and data, and wait until it is ready",
		Args:  cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			running, err := cluster.Find(f.options.Dir)
			if err != nil {
				return err
			}
			return running.Restart(command.Context(), args[0], options)
		},
	})
	command.Flags().BoolVar(&options.Kill, "kill", false, "end it at once, as by kill -9")
	command.Flags().DurationVar(&options.Pause, "pause", 0, "how long it stays away")
	return command
}

func (f *flags) build() *cobra.Command {
	return f.sources(&cobra.Command{
		Use:   "build",
		Short: "Build the control plane's programs if they are not there, and print their directory",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			bin, err := cluster.Build(command.Context(), f.options)
			if err != nil {
				return err
			}
			fmt.Fprintln(command.OutOrStdout(), bin)
			return nil
		},
	})
}

// keep is the verb that the others start. Its input and output are as package keeper says.
func keep() *cobra.Command {
	return &cobra.Command{
		Use:    cluster.KeepVerb,
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			// The failure has been told, or is in the directory.
			if err := keeper.Run(command.Context(), command.InOrStdin(), command.OutOrStdout()); err != nil {
				return exitCode(undecided)
			}
			return nil
		},
	}
}
