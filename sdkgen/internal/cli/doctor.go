package cli

import (
	"context"
	"fmt"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/pipeline"
)

func (a *app) doctor() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check required tools and package markers",
		Example: `  sdkgen doctor
  sdkgen doctor --format json`,
		Args: noArgs,
		RunE: a.inProject(func(ctx context.Context, project *pipeline.Project) error {
			return a.examine(ctx, project)
		}),
	}
}

// examine prints a line for each requirement, and returns the diagnostics of those that are not met.
func (a *app) examine(ctx context.Context, project *pipeline.Project) error {
	var missing diag.List
	check := func(name, found string, err error) {
		if err != nil {
			found = "missing"
			missing = append(missing, diag.Of(err)...)
		}
		if a.format == string(diag.Text) {
			fmt.Fprintf(a.stdout, "%-8s %s\n", name, found)
		}
	}
	goProgram, err := exec.LookPath("go")
	check("go", goProgram, hinted(err, "install Go: its go.mod is read by the go command"))
	python, err := exec.LookPath("python3")
	check("python3", python, hinted(err, "install Python 3: `sdkgen tools` and the SDK's tests need it"))
	if project.NeedsJava() {
		check("tools", project.Tools(), nil)
		java, version, err := project.Java()
		check("java", fmt.Sprintf("%s (version %d)", java, version), err)
		jar, err := project.Jar()
		check("jar", jar, err)
	}
	api, err := project.Load(ctx)
	if err != nil {
		check("api", "", err)
		return missing.Err()
	}
	for _, pkg := range api.Packages {
		check("api", fmt.Sprintf("%s: group %s, version %s, %d root kinds and lists", pkg.Dir, pkg.Group, pkg.Version, len(pkg.Kinds)), nil)
	}
	return missing.Err()
}

func hinted(err error, hint string) error {
	if err == nil {
		return nil
	}
	return diag.List{{Rule: "tools", Message: err.Error(), Hint: hint}}
}
