package cli

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project/scaffold"
)

func (a *app) doctor() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check required tools and package markers",
		Example: `  sdkgen doctor
  sdkgen doctor --format json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			r := &requirements{app: a}
			err := a.inProject(r.examine)(cmd, args)
			if !r.opened { // it has no configuration, or a wrong one
				r.programs()
				if none, ok := errors.AsType[*project.MissingConfiguration](err); ok && none.Above == "" {
					r.scaffolding()
				}
				r.missing = append(r.missing, diag.Of(err)...)
				return r.missing
			}
			return err
		},
	}
}

// requirements are what a run needs; examine prints a line for each.
type requirements struct {
	*app
	opened  bool // examine was called
	missing diag.List
}

func (r *requirements) check(name, found string, err error) {
	if err != nil {
		found = "missing"
		r.missing = append(r.missing, diag.Of(err)...)
	}
	if r.format == string(diag.Text) {
		fmt.Fprintf(r.stdout, "%-8s %s\n", name, found)
	}
}

// programs checks for the program that every project needs.
func (r *requirements) programs() {
	goProgram, err := exec.LookPath("go")
	r.check("go", goProgram, hinted(err, "install Go: its go.mod is read by the go command"))
}

// scaffolding says which files init would write.
func (r *requirements) scaffolding() {
	err := r.planned(scaffold.Options{Outputs: []string{scaffold.Python}},
		func(_ scaffold.Options, plan *scaffold.Result) error {
			var names []string
			for _, file := range plan.Files {
				names = append(names, file.Path)
			}
			r.check("init", fmt.Sprintf("would write %s, with %d notes on what else to change", strings.Join(names, ", "),
				len(plan.Notes)), nil)
			return nil
		})
	if err != nil {
		r.check("init", "", err)
	}
}

// examine checks what a project needs, and returns the diagnostics of the requirements that are not met.
func (r *requirements) examine(ctx context.Context, project *project.Project) error {
	r.opened = true
	r.programs()
	if project.NeedsJava() {
		python, err := exec.LookPath("python3")
		r.check("python3", python, hinted(err, "install Python 3 with pip: `sdkgen tools` needs it"))
		r.check("tools", project.Tools(), nil)
		java, version, err := project.Java()
		r.check("java", fmt.Sprintf("%s (version %d)", java, version), err)
		jar, err := project.Jar()
		r.check("jar", jar, err)
	}
	api, err := project.Load(ctx)
	if err != nil {
		r.check("api", "", err)
		return r.missing.Err()
	}
	for _, pkg := range api.Packages {
		r.check("api", fmt.Sprintf("%s: group %s, version %s, %d root kinds and lists", pkg.Dir, pkg.Group, pkg.Version,
			len(pkg.Kinds)), nil)
	}
	return r.missing.Err()
}

func hinted(err error, hint string) error {
	if err == nil {
		return nil
	}
	return diag.List{{Rule: "tools", Message: err.Error(), Hint: hint}}
}
