package cli

import (
	"context"
	"fmt"
	"go/token"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/pipeline"
)

func (a *app) verify() *cobra.Command {
	var lock bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Print what generate would change as a diff",
		Long: `Print what generate would change as a diff; write nothing.

Every stage runs. With --lock only the hashes in sdkgen.lock are compared with the generated files
and their inputs, which needs neither Java nor Go.`,
		Example: `  sdkgen verify
  sdkgen verify --format github    # annotations in a pull request
  sdkgen verify --lock             # fast enough for a pre-commit hook`,
		Args: noArgs,
		RunE: a.inProject(func(ctx context.Context, project *pipeline.Project) error {
			if lock {
				return a.verifyLock(project)
			}
			plan, err := project.Plan(ctx, pipeline.Options{Force: true})
			if err != nil {
				return err
			}
			if len(plan.Changes()) == 0 {
				return nil
			}
			return a.different(plan.Changes())
		}),
	}
	cmd.Flags().BoolVar(&lock, "lock", false, "compare only the hashes in sdkgen.lock")
	return cmd
}

// state is the diagnostic of a file that generate would change.
var state = map[artifact.ChangeKind]string{
	artifact.Added: "missing", artifact.Modified: "differs from what its stage generates", artifact.Deleted: "no stage generates it any more",
}

// different prints changes as a diff if the format is text, and returns them as diagnostics.
func (a *app) different(changes []artifact.Change) error {
	if a.format == string(diag.Text) {
		if err := artifact.Unified(a.stdout, changes); err != nil {
			return err
		}
	}
	out := &differs{}
	for _, change := range changes {
		out.diagnostics.Add(token.Position{Filename: change.Path}, change.Origin, "run `sdkgen generate`", "%s", state[change.Kind])
	}
	return out
}

func (a *app) verifyLock(project *pipeline.Project) error {
	drift, err := project.Drift()
	if err != nil || len(drift) == 0 {
		return err
	}
	if a.format == string(diag.Text) {
		for _, d := range drift.Sorted() {
			d.Hint = "" // the last line says it once
			fmt.Fprintln(a.stdout, d)
		}
	}
	return &differs{drift}
}
