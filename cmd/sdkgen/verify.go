package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/internal/artifact"
	"github.com/flux-framework/flux-operator/internal/pipeline"
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
			if err := artifact.Unified(a.stdout, plan.Changes()); err != nil {
				return err
			}
			return errDiffers
		}),
	}
	cmd.Flags().BoolVar(&lock, "lock", false, "compare hashes only")
	return cmd
}

func (a *app) verifyLock(project *pipeline.Project) error {
	drift, err := project.Drift()
	if err != nil {
		return err
	}
	for _, line := range drift {
		if _, err := fmt.Fprintln(a.stdout, line); err != nil {
			return err
		}
	}
	if len(drift) > 0 {
		return errDiffers
	}
	return nil
}
