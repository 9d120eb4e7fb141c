package gogen

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"k8s.io/gengo/v2"
	"k8s.io/gengo/v2/generator"
	"k8s.io/gengo/v2/types"
	"k8s.io/kube-openapi/cmd/openapi-gen/args"
	"k8s.io/kube-openapi/pkg/generators"

	"github.com/flux-framework/flux-operator/internal/artifact"
	"github.com/flux-framework/flux-operator/internal/load"
)

// OpenAPIFile is the name of the file with a package's definitions.
const OpenAPIFile = "zz_generated.openapi.go"

// OpenAPI makes zz_generated.openapi.go of one package, and the report of API rule
// violations in it, a line each, as openapi-gen prints it.
func (g *Generator) OpenAPI(pkg *load.Package) (*artifact.Set, []byte, error) {
	report := filepath.Join(g.scratch, "violations.report")
	opts := args.New()
	opts.OutputDir = filepath.Join(g.scratch, filepath.FromSlash(pkg.Dir))
	opts.OutputPkg = pkg.Path
	opts.OutputFile = OpenAPIFile
	opts.GoHeaderFile = g.header
	opts.ReportFilename = report
	if err := opts.Validate(); err != nil {
		return nil, nil, fmt.Errorf("configuring openapi-gen: %w", err)
	}
	set, err := g.run("openapi-gen", OpenAPIStage, generators.NameSystems(), generators.DefaultNameSystem(),
		func(ctx *generator.Context) ([]generator.Target, error) {
			g.restrict(ctx, pkg)
			header, err := gengo.GoBoilerplate(g.header, gengo.StdBuildTag, gengo.StdGeneratedBy)
			if err != nil {
				return nil, err
			}
			return generators.GetOpenAPITargets(ctx, opts, header), nil
		})
	if err != nil {
		return nil, nil, err
	}
	if _, ok := set.Lookup(path.Join(pkg.Dir, OpenAPIFile)); !ok {
		return nil, nil, fmt.Errorf("running openapi-gen: it made no %s for %s", OpenAPIFile, pkg.Dir)
	}
	violations, err := os.ReadFile(report)
	if err != nil {
		return nil, nil, fmt.Errorf("reading openapi-gen's report: %w", err)
	}
	return set, violations, nil
}

// restrict makes a context see one API package as the input, as the command does that is
// run for each package on its own.
func (g *Generator) restrict(ctx *generator.Context, pkg *load.Package) {
	ctx.Inputs = []string{pkg.Path}
	ctx.Order = slices.DeleteFunc(ctx.Order, func(t *types.Type) bool {
		return t.Name.Package != pkg.Path && g.api.ByPath(t.Name.Package) != nil
	})
}
