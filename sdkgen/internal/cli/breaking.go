package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/compare"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/report"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project"
)

// markdown is the format of breaking alone.
const markdown = "markdown"

// limits are the values of --fail-on.
var limits = map[string]compare.Verdict{"breaking": compare.Breaking, "risky": compare.Risky,
	"none": compare.Compatible}

// broken says that a change of the API is not allowed.
type broken struct{ reason string }

func (b *broken) Error() string { return b.reason }

func (a *app) breaking() *cobra.Command {
	var against, failOn string
	var all, witnesses bool
	cmd := &cobra.Command{
		Use:   "breaking --against REF|DIR|MODULE@VERSION",
		Short: "Say what a change of the types means for those who use the API",
		Long: `Say what a change of the types means for those who use the API.

Each change is breaking, risky or compatible for stored objects, for manifests in git, for Python callers
and for Go callers. What is compared are the results of both versions of the types: CRDs with their CEL rules,
the classes of the Python SDK, the exported Go API and the Go client.

The other version is a git ref of this repository, of which only git's objects are read, a directory, or a
published version of the module that has the API packages.

A breaking change in v1 or v1beta1 fails, and so does one in v1alpha1 unless version in sdkgen.yaml, that of
the SDKs, has another major number, below 1.0 another minor one. breaking.exceptions in sdkgen.yaml names a list of
accepted changes.`,
		Example: `  sdkgen breaking --against origin/main
  sdkgen breaking --against v0.3.0 --format markdown    # a changelog
  sdkgen breaking --against origin/main --witness       # the smallest object that shows each change`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			limit, ok := limits[failOn]
			if !ok {
				return fmt.Errorf("unknown verdict %q: --fail-on takes breaking, risky or none", failOn)
			}
			return a.inProject(func(ctx context.Context, project *project.Project) error {
				report, err := project.Breaking(ctx, against, witnesses)
				if report == nil {
					return err
				}
				// A wrong line of the exceptions list does not hide the changes.
				if err := a.print(report, all, witnesses, err); err != nil {
					return err
				}
				if reason := report.Judge(limit); reason != "" {
					return &broken{reason}
				}
				return nil
			})(cmd, args)
		},
	}
	cmd.Flags().StringVar(&against, "against", "", "the other version: a git ref, a directory, or MODULE@VERSION")
	cmd.Flags().StringVar(&failOn, "fail-on", "breaking", "the verdict to fail on: breaking, risky or none")
	cmd.Flags().BoolVar(&all, "all", false, "print compatible changes too")
	cmd.Flags().BoolVar(&witnesses, "witness", false, "print the smallest object that shows each change")
	if err := cmd.MarkFlagRequired("against"); err != nil {
		panic(err) // it was defined above
	}
	return cmd
}

// print prints a report in the format of --format. failed is what went wrong after it was made. A format for programs
// has it with the report, in one document.
func (a *app) print(report *report.Report, all, witnesses bool, failed error) error {
	switch a.format {
	case markdown:
		return cmp.Or(report.Markdown(a.stdout), failed)
	case string(diag.JSON):
		return cmp.Or(report.JSON(a.stdout, witnesses, append(diag.Of(failed), a.warnings...)), printed(failed))
	case string(diag.GitHub):
		return cmp.Or(diag.Print(a.stdout, diag.GitHub,
			append(append(report.Diagnostics(), diag.Of(failed)...), a.warnings...)), printed(failed))
	}
	return cmp.Or(report.Text(a.stdout, all, witnesses), failed)
}

// reported is an error that stdout has already.
type reported struct{ error }

func printed(err error) error {
	if err == nil {
		return nil
	}
	return &reported{err}
}
