package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project/order"
)

func (a *app) generate() *cobra.Command {
	var opts project.Options
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Generate all artifacts and write what changed",
		Long: `Generate all artifacts and write what changed.

Every stage runs before the first file is written, so a run that fails or is killed leaves the
tree as it was. Files that sdkgen wrote before and that it no longer generates are removed; files that
it did not write are never touched, but a warning names those in directories of generated files, which
verify does not accept. A stage whose inputs and outputs match sdkgen.lock is skipped.`,
		Example: `  sdkgen generate
  sdkgen generate --only deepcopy,crd
  sdkgen generate --adopt     # once, in a project whose artifacts came from other tools`,
		Args: noArgs,
		RunE: a.inProject(func(ctx context.Context, project *project.Project) error {
			plan, err := project.Plan(ctx, opts)
			if plan != nil {
				err = errors.Join(a.adopted(project.Adopted(plan)), err)
			}
			if err != nil {
				return err
			}
			if err := project.Commit(ctx, plan); err != nil {
				return err
			}
			removed := 0
			for _, change := range plan.Changes() {
				if change.Kind == artifact.Deleted {
					removed++
					a.logger().Info("removed " + change.Path)
				}
			}
			a.logger().Info("", "written", len(plan.Changes())-removed)
			strays, err := project.Strays(ctx, plan.Lock())
			for i := range strays {
				strays[i].Severity = diag.Warning
			}
			a.warn(strays)
			return err
		}),
	}
	a.onlyFlag(cmd, &opts.Only)
	cmd.Flags().BoolVar(&opts.Force, "force", false, "run every stage, also those that are up to date")
	cmd.Flags().BoolVar(&opts.Adopt, "adopt", false,
		"overwrite files of the same names that sdkgen did not write, and print what becomes of CRDs as a diff")
	cmd.Flags().StringSliceVar(&opts.AcceptLoss, "accept-loss", nil,
		"`files` of CRDs to overwrite though they have schema that the new ones lack")
	return cmd
}

// adopted prints as a diff what becomes of CRDs that sdkgen did not write.
func (a *app) adopted(crds []artifact.Change) error {
	if a.quiet || a.format != string(diag.Text) {
		return nil
	}
	return artifact.Unified(a.stdout, crds)
}

// onlyFlag adds --only, with the stages that there are.
func (a *app) onlyFlag(cmd *cobra.Command, only *[]string) {
	var names, described []string
	for _, s := range order.Stages() {
		names = append(names, s.Name)
		described = append(described, cobra.CompletionWithDesc(s.Name, s.Doc))
	}
	cmd.Flags().StringSliceVar(only, "only", nil, "write only these `stages`: "+strings.Join(names, ", "))
	complete := cobra.FixedCompletions(described, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc("only", complete); err != nil {
		panic(err) // it was added above
	}
}
