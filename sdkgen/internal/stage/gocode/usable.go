package gocode

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/gengo/v2"
	"k8s.io/gengo/v2/generator"
	"k8s.io/gengo/v2/types"
	"k8s.io/kube-openapi/cmd/openapi-gen/args"
	"k8s.io/kube-openapi/pkg/generators"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// ModelNameFile is the name of the file with the methods that give the names of a package's definitions, which
// openapi-gen writes where +k8s:openapi-model-package is.
const ModelNameFile = "zz_generated.model_name.go"

const modelMarker = "+k8s:openapi-model-package"

// definitionMethods are those by which a type gives openapi-gen its definition. Of packages that are not the
// project's own, the definitions are made of the Go type, as the CRDs are.
var definitionMethods = []string{
	"OpenAPIModelName", "OpenAPIDefinition", "OpenAPIV3Definition", "OpenAPISchemaType", "OpenAPISchemaFormat",
	"OpenAPIV3OneOfTypes",
}

// without returns comment lines but for those of a marker.
func without(comments []string, marker string) []string {
	return slices.DeleteFunc(comments,
		func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), marker) })
}

// refused returns the types of a package that openapi-gen fails on, by name, with its errors. It runs on
// halves of the package until it is down to them.
func (g *Generator) refused(pkg *load.Package, in func(*types.Type) bool) map[string]error {
	var names []string
	for name, t := range g.base.Universe[pkg.Path].Types {
		if in(t) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	out := map[string]error{}
	g.search(pkg, names, out)
	return out
}

func (g *Generator) search(pkg *load.Package, names []string, out map[string]error) {
	_, _, err := g.openapi(pkg.Path, pkg.Dir, func(t *types.Type) bool {
		return t.Name.Package == pkg.Path && slices.Contains(names, t.Name.Name)
	})
	switch {
	case err == nil || len(names) == 0:
	case len(names) == 1:
		out[names[0]] = err
	default:
		g.search(pkg, names[:len(names)/2], out)
		g.search(pkg, names[len(names)/2:], out)
	}
}

// refusals are the errors of types that kinds reach, with their positions. left are the other types.
func (g *Generator) refusals(
	pkg *load.Package, refused map[string]error, reached func(name string) bool,
) (list diag.List, left []string) {
	for _, name := range slices.Sorted(maps.Keys(refused)) {
		if !reached(name) || pkg.Foreign { // there, controller-tools' schema of the type stands in
			left = append(left, name)
			continue
		}
		text := refused[name].Error()
		if _, cause, ok := strings.Cut(text, "some targets had errors: "); ok {
			text = cause
		}
		list.Add(g.api.Pos(pkg.Path, name, ""), "openapi", "", "openapi-gen does not take the type %s: %s", name,
			strings.TrimSpace(text))
	}
	return g.api.Advise(list), left
}

// modelNames generates ModelNameFile of a package, nothing where no comment gives the names a prefix.
func (g *Generator) modelNames(pkg *load.Package) (*artifact.Set, error) {
	opts := args.New()
	opts.OutputModelNameFile = ModelNameFile
	return g.run("openapi-gen", OpenAPIStage, generators.NameSystems(), generators.DefaultNameSystem(),
		func(ctx *generator.Context) ([]generator.Target, error) {
			ctx.Inputs = []string{pkg.Path}
			ctx.Universe = maps.Clone(ctx.Universe)
			moved := *ctx.Universe[pkg.Path]
			moved.Dir = filepath.Join(g.scratch, filepath.FromSlash(pkg.Dir))
			ctx.Universe[pkg.Path] = &moved
			header, err := gengo.GoBoilerplate(g.header, gengo.StdBuildTag, gengo.StdGeneratedBy)
			if err != nil {
				return nil, err
			}
			return generators.GetModelNameTargets(ctx, opts, header), nil
		})
}

// ModelNames returns the Go types of a package by the names that +k8s:openapi-model-package gives to their
// definitions.
func (g *Generator) ModelNames(pkg *load.Package) (map[string]string, error) {
	set, err := g.modelNames(pkg)
	if err != nil || set.Len() == 0 {
		return nil, err
	}
	names := map[string]string{}
	for name, t := range g.base.Universe[pkg.Path].Types {
		for _, comments := range [][]string{t.CommentLines, g.base.Universe[pkg.Path].Comments} {
			if prefix := prefixOf(comments); prefix != "" {
				names[prefix+"."+name] = pkg.Path + "." + name
				break
			}
		}
	}
	return names, nil
}

// prefixOf returns the value of the marker for model names.
func prefixOf(comments []string) string {
	for _, line := range comments {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), modelMarker+"="); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
