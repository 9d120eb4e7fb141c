package main

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/test/cluster/controlplane"
)

func (f *flags) status() *cobra.Command {
	return f.dir(&cobra.Command{
		Use:     "status",
		Short:   "Print the state of the control plane and its processes",
		Long:    "Print the state of the control plane and its processes. The exit code is 1 if none is running.",
		Example: "  cluster status",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			status, err := controlplane.Look(f.options.Dir)
			out := command.OutOrStdout()
			if errors.Is(err, controlplane.ErrNone) {
				fmt.Fprintln(out, "state\tnone")
				return exitCode(notRuns)
			}
			if err != nil {
				return err
			}
			table := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
			fmt.Fprintf(table, "state\t%s\n", status.Phase)
			fmt.Fprintf(table, "dir\t%s\n", status.Dir)
			for _, component := range status.Components {
				state := "gone"
				if component.Alive {
					state = "running"
				}
				fmt.Fprintf(table, "%s\t%s, process %d\n", component.Name, state, component.PID)
			}
			if err := table.Flush(); err != nil {
				return err
			}
			if status.Failure != "" {
				fmt.Fprintln(out, status.Failure)
			}
			if status.Phase != controlplane.Running {
				return exitCode(notRuns)
			}
			return nil
		},
	})
}
