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
		Short: "Print as a diff what generate would change; write nothing",
		Long: `Print as a diff what generate would change; write nothing.

The plan is generate's, run in full. With --lock only the hashes in sdkgen.lock are compared: with
the generated files, and with what they are made from. That needs no Java and no Go.`,
		Args: cobra.NoArgs,
		RunE: a.inProject(func(ctx context.Context, project *pipeline.Project) error {
			if lock {
				return a.verifyLock(project)
			}
			plan, err := project.Plan(ctx, pipeline.Options{NoCache: true})
			if err != nil {
				return err
			}
			if len(plan.Changes()) == 0 {
				return nil
			}
			return a.different(plan.Changes())
		}),
	}
	cmd.Flags().BoolVar(&lock, "lock", false, "compare hashes only")
	return cmd
}

// state is what is wrong with a file that is to change.
var state = map[artifact.ChangeKind]string{
	artifact.Added: "it is missing", artifact.Modified: "it is not what its stage makes", artifact.Deleted: "nothing makes it any more",
}

// different prints changes as a diff where people read it, and returns them as findings.
func (a *app) different(changes []artifact.Change) error {
	if a.format == string(diag.Text) {
		if err := artifact.Unified(a.stdout, changes); err != nil {
			return err
		}
	}
	out := &differs{}
	for _, change := range changes {
		out.findings.Add(token.Position{Filename: change.Path}, change.Origin, "run `sdkgen generate`", "%s", state[change.Kind])
	}
	return out
}

func (a *app) verifyLock(project *pipeline.Project) error {
	drift, err := project.Drift()
	if err != nil || len(drift) == 0 {
		return err
	}
	out := &differs{}
	for _, line := range drift {
		if a.format == string(diag.Text) {
			fmt.Fprintln(a.stdout, line)
		}
		out.findings.Add(token.Position{}, "lock", "run `sdkgen generate`", "%s", line)
	}
	return out
}
