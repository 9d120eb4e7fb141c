package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/internal/pipeline"
)

func (a *app) rules() *cobra.Command {
	var update bool
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "Check Kubernetes' API rules against the list of exceptions",
		Args:  cobra.NoArgs,
		RunE: a.inProject(func(ctx context.Context, project *pipeline.Project) error {
			if update {
				return project.UpdateRules(ctx)
			}
			known, err := project.Rules(ctx)
			if err != nil {
				return err
			}
			a.logger().Info("no new violations of API rules", "known", known)
			return nil
		}),
	}
	cmd.Flags().BoolVar(&update, "update", false, "rewrite the list to today's violations, sorted; comments stay")
	return cmd
}
