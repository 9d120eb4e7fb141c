package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/sdkgen/internal/pipeline"
)

func (a *app) generate() *cobra.Command {
	var opts pipeline.Options
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Make all artifacts and write what changed",
		Long: `Make all artifacts and write what changed.

Every stage runs before the first file is written, so a run that fails or is killed leaves the
tree as it was. Files that sdkgen wrote before and that are no longer made are removed; files that
it did not write are never touched.`,
		Args: cobra.NoArgs,
		RunE: a.inProject(func(ctx context.Context, project *pipeline.Project) error {
			opts.NoCache = a.noCache
			plan, err := project.Plan(ctx, opts)
			if err != nil {
				return err
			}
			if err := project.Commit(ctx, plan); err != nil {
				return err
			}
			a.logger().Info("", "written", len(plan.Changes()))
			return nil
		}),
	}
	cmd.Flags().StringSliceVar(&opts.Only, "only", nil, "stages to write, separated by commas: deepcopy, crd, openapi, swagger, python, go, clients")
	cmd.Flags().BoolVar(&opts.Adopt, "adopt", false, "overwrite files that sdkgen did not write, where it makes files of these names")
	return cmd
}
