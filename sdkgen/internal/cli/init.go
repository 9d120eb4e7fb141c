package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project/scaffold"
)

// outputs are those that init can turn on.
var outputs = []string{scaffold.Python, scaffold.Go, scaffold.Clients}

func (a *app) init() *cobra.Command {
	var opts scaffold.Options
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write sdkgen.yaml for a project, and say what else to change",
		Long: `Write sdkgen.yaml for a project, and say what else to change.

It works in a project of kubebuilder, in any Go module with API types, and, with --package, for the API
of a module that go.mod requires. A doc.go with the markers that the generators need is written where
there is none. No file is overwritten, and where sdkgen.yaml exists, nothing is written.

With --sdk-only the project's types, CRDs and deepcopy code stay as its own tools make them, and sdkgen
writes nothing but the SDKs and swagger.json.`,
		Example: `  sdkgen init
  sdkgen init --outputs python,go,clients
  sdkgen init --sdk-only
  sdkgen init --package sigs.k8s.io/jobset/api/jobset/v1alpha2
  sdkgen init --dry-run     # print the files instead of writing them`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts.Asked = cmd.Flags().Changed("outputs")
			return a.scaffold(cmd.Context(), opts, dryRun)
		},
	}
	cmd.Flags().StringSliceVar(&opts.Outputs, "outputs", []string{scaffold.Python},
		"`list` of outputs to turn on: "+strings.Join(outputs, ", "))
	cmd.Flags().BoolVar(&opts.SDKOnly, "sdk-only", false, "leave types, CRDs and deepcopy code to the project's own tools")
	cmd.Flags().StringArrayVar(&opts.Packages, "package", nil,
		"import `path` of an API package of another module; can be repeated")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print the files instead of writing them")
	return cmd
}

// scaffold plans, and writes or prints the files.
func (a *app) scaffold(ctx context.Context, opts scaffold.Options, dryRun bool) error {
	for _, output := range opts.Outputs {
		if !slices.Contains(outputs, output) {
			return fmt.Errorf("--outputs: unknown output %q: use %s", output, strings.Join(outputs, ", "))
		}
	}
	return a.planned(opts, func(opts scaffold.Options, plan *scaffold.Result) error {
		if !dryRun {
			if err := scaffold.Write(opts.Root, plan.Files); err != nil {
				return err
			}
		}
		if !dryRun && !plan.Exists {
			if err := scaffold.Require(ctx, a.dir, opts.Packages); err != nil {
				plan.Unresolved(err)
			}
		}
		return a.printScaffold(opts.Config, plan, dryRun)
	})
}

// planned plans, and calls do while no other sdkgen can change the project.
func (a *app) planned(opts scaffold.Options, do func(scaffold.Options, *scaffold.Result) error) (err error) {
	env, err := a.environment()
	if err != nil {
		return err
	}
	if opts.Config = env.Config; opts.Config == "" {
		opts.Config = config.File
	}
	opts.Modules = env.Modules
	release, err := artifact.Acquire(env.Root)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if opts.Root, err = os.OpenRoot(env.Root); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opts.Root.Close()) }()
	plan, err := scaffold.Plan(opts)
	if err != nil {
		return err
	}
	return do(opts, plan)
}

// printScaffold prints what was written, what is to be changed and what to run next. In the formats for
// programs that is the diagnostics.
func (a *app) printScaffold(name string, plan *scaffold.Result, dryRun bool) error {
	if a.format != string(diag.Text) {
		return diag.Print(a.stdout, diag.Format(a.format), plan.Notes)
	}
	if plan.Exists {
		_, err := fmt.Fprintf(a.stdout, "%s exists: nothing was written\n", name)
		return err
	}
	var b strings.Builder
	for _, file := range plan.Files {
		if dryRun {
			fmt.Fprintf(&b, "--- %s\n%s", file.Path, file.Data)
		} else {
			fmt.Fprintf(&b, "wrote %s\n", file.Path)
		}
	}
	if len(plan.Notes) > 0 {
		b.WriteString("\nTo know and to change:\n")
		if err := diag.Print(&b, diag.Text, plan.Notes); err != nil {
			return err
		}
	}
	fmt.Fprintf(&b, "\nNext: %s\n", strings.Join(plan.Next, ", then "))
	if plan.Alternative != "" {
		fmt.Fprintf(&b, "Or:   %s\n", plan.Alternative)
	}
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}
