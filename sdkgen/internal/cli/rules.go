package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/sdkgen/internal/project"
)

func (a *app) rules() *cobra.Command {
	var update, all bool
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "Check the Kubernetes API rules against the exceptions list",
		Long: `Check the Kubernetes API rules against the exceptions list.

A violation that is not in the list is an error, and so is a stale exception. Types of the project's
own packages are checked; with --all, also those of other modules that the API reaches.`,
		Example: `  sdkgen rules
  sdkgen rules --update    # accept today's violations`,
		Args: noArgs,
		RunE: a.inProject(func(ctx context.Context, project *project.Project) error {
			if update {
				return project.UpdateRules(ctx, all)
			}
			known, err := project.Rules(ctx, all)
			if err != nil {
				return err
			}
			a.logger().Info("no new violations of API rules", "known", known)
			return nil
		}),
	}
	cmd.Flags().BoolVar(&update, "update", false, "rewrite the exceptions list to today's violations; comments stay")
	cmd.Flags().BoolVar(&all, "all", false, "check types of other modules that the API reaches, too")
	return cmd
}
