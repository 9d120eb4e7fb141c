package cli

import (
	"context"
	"fmt"
	"go/token"
	"slices"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project"
)

// unseen is what verify --lock does not see.
const unseen = "--lock compares hashes and runs no stage: it does not see an output that was edited together with " +
	"sdkgen.lock, nor another " +
	"development build of sdkgen; run `sdkgen verify` in CI"

func (a *app) verify() *cobra.Command {
	var lock bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Print what generate would change as a diff",
		Long: `Print what generate would change as a diff; write nothing.

Every stage runs, whatever sdkgen.lock says of it. A file that no stage made is a difference too where
all files are generated: in python.dir, go.dir and the clients' directories, and, if its name or header says
that it is generated, beside the API types and the CRDs. Remove it or list it under keep in sdkgen.yaml.
Files that git ignores and does not track do not count.

With --lock no stage runs: only the hashes in sdkgen.lock are compared with the generated files and
their inputs, which needs neither Java nor Go. That does not see an output that was edited
together with sdkgen.lock, nor that the generators of a development build of sdkgen changed. It is for a
pre-commit hook, not for CI.`,
		Example: `  sdkgen verify
  sdkgen verify --format github    # annotations in a pull request
  sdkgen verify --lock             # fast enough for a pre-commit hook`,
		Args: noArgs,
		RunE: a.inProject(func(ctx context.Context, p *project.Project) error {
			if lock {
				return a.verifyLock(ctx, p)
			}
			plan, err := p.Plan(ctx, project.Options{Force: true})
			if err != nil {
				return err
			}
			strays, err := p.Strays(ctx, plan.Lock())
			if err != nil {
				return err
			}
			return a.different(plan.Changes(), strays)
		}),
	}
	cmd.Flags().BoolVar(&lock, "lock", false, "compare only the hashes in sdkgen.lock")
	return cmd
}

// state is the diagnostic of a file that generate would change.
var state = map[artifact.ChangeKind]string{
	artifact.Added: "missing", artifact.Modified: "differs from what its stage generates",
	artifact.Deleted: "no stage generates it any more",
}

// different returns changes and stray files as diagnostics, if there are any. If the format is text it prints the
// changes as a diff.
func (a *app) different(changes []artifact.Change, strays diag.List) error {
	strays = slices.DeleteFunc(strays, func(d diag.Diagnostic) bool { // generate removes what the lock lists
		return slices.ContainsFunc(changes, func(c artifact.Change) bool { return c.Path == d.Pos.Filename })
	})
	if a.format == string(diag.Text) {
		if err := artifact.Unified(a.stdout, changes); err != nil {
			return err
		}
		if err := diag.Print(a.stdout, diag.Text, strays); err != nil {
			return err
		}
	}
	var list diag.List
	for _, change := range changes {
		list.Add(token.Position{Filename: change.Path}, change.Origin, project.Regenerate, "%s", state[change.Kind])
	}
	return differ(append(list, strays...))
}

func (a *app) verifyLock(ctx context.Context, p *project.Project) error {
	drift, err := p.Drift(ctx)
	if err != nil {
		return err
	}
	if a.format == string(diag.Text) {
		for _, d := range drift.Sorted() {
			if d.Hint == project.Regenerate {
				d.Hint = "" // the last line says it once
			}
			fmt.Fprintln(a.stdout, d)
		}
		a.logger().Info(unseen)
	}
	return differ(drift)
}

// differ returns diagnostics of files that differ as an error; nil if there are none.
func differ(list diag.List) error {
	if len(list) == 0 {
		return nil
	}
	return &differs{list}
}
