package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/sdkgen/internal/pipeline"
)

func (a *app) rules() *cobra.Command {
	var update, all bool
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "Check Kubernetes' API rules against the list of exceptions",
		Long: `Check Kubernetes' API rules against the list of exceptions.

A violation that is not in the list is an error, and so is a line of the list that nothing violates
any more. Types of the project's own packages are checked; with --all, so is every other type that
the API reaches.`,
		Args: cobra.NoArgs,
		RunE: a.inProject(func(ctx context.Context, project *pipeline.Project) error {
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
	cmd.Flags().BoolVar(&update, "update", false, "rewrite the list to today's violations, sorted; comments stay")
	cmd.Flags().BoolVar(&all, "all", false, "check types of other modules too, as far as the API reaches them")
	return cmd
}
