package gocode

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"reflect"
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

// OpenAPIFile is the name of the file with a package's definitions.
const OpenAPIFile = "zz_generated.openapi.go"

// OpenAPI generates zz_generated.openapi.go of one package, with ModelNameFile where it has one, and the report
// of API rule violations in it, a line each, as openapi-gen prints it. Of a package of another module it has only
// the types that kinds reach: nobody here can correct what openapi-gen says of the others.
// left are those of the project's own that no kind reaches and openapi-gen does not take.
func (g *Generator) OpenAPI(pkg *load.Package) (
	set *artifact.Set, report []byte, left []string, err error) {
	// controller-tools knows the position of a type that neither it nor openapi-gen can take.
	schemas, err := g.source.Schemas()
	if err != nil {
		return nil, nil, nil, err
	}
	reached := func(name string) bool {
		_, reached := schemas.Schema(pkg.Path + "." + name)
		return reached
	}
	in := func(t *types.Type) bool {
		if t.Name.Package != pkg.Path {
			// the command that is run for each package on its own sees no other API package
			return g.api.ByPath(t.Name.Package) == nil
		}
		return reached(t.Name.Name) || !pkg.Foreign && !pkg.Unusable(t.Name.Name)
	}
	set, report, err = g.openapi(pkg.Path, pkg.Dir, in)
	if err != nil && g.base != nil && g.base.Universe[pkg.Path] != nil {
		var list diag.List
		if list, left = g.refusals(pkg, g.refused(pkg, in), reached); len(list) > 0 {
			return nil, nil, nil, list
		}
		set, report, err = g.openapi(pkg.Path, pkg.Dir, func(t *types.Type) bool {
			return in(t) && (t.Name.Package != pkg.Path || !slices.Contains(left, t.Name.Name))
		})
	}
	if err != nil {
		return nil, nil, nil, err
	}
	if _, ok := set.Lookup(path.Join(pkg.Dir, OpenAPIFile)); !ok {
		return nil, nil, nil, fmt.Errorf("running openapi-gen: it generated no %s for %s", OpenAPIFile, pkg.Dir)
	}
	if !pkg.Foreign {
		names, err := g.modelNames(pkg)
		if err != nil {
			return nil, nil, nil, err
		}
		if err := set.Merge(names); err != nil {
			return nil, nil, nil, err
		}
	}
	return set, report, left, nil
}

// Definitions returns the file with a package's definitions: the one in files or, where that has none, one made now.
func (g *Generator) Definitions(pkg *load.Package, files *artifact.Set) (artifact.File, error) {
	name := path.Join(pkg.Dir, OpenAPIFile)
	if file, ok := files.Lookup(name); ok {
		return file, nil
	}
	set, _, _, err := g.OpenAPI(pkg)
	if err != nil {
		return artifact.File{}, err
	}
	file, _ := set.Lookup(name)
	return file, nil
}

// Violations returns the report on types of packages that are not the project's own; goTypes are
// the types, as "PACKAGE.Type", of packages with and without markers.
func (g *Generator) Violations(goTypes []string) ([]byte, error) {
	others := &Generator{source: g.source, api: g.api, root: g.root, header: g.header, scratch: g.scratch}
	expected := map[string]bool{}
	for _, goType := range goTypes {
		pkg := goType[:strings.LastIndexByte(goType, '.')]
		if api := g.api.ByPath(pkg); api == nil || api.Foreign {
			expected[goType] = true
			others.more = append(others.more, pkg)
		}
	}
	slices.Sort(others.more)
	others.more = slices.Compact(others.more)
	_, report, err := others.openapi("others", "others", func(t *types.Type) bool { return expected[t.Name.String()] })
	return report, err
}

// openapi runs openapi-gen on the types that in accepts, for a package with that import path and
// directory.
func (g *Generator) openapi(pkg, dir string, in func(*types.Type) bool) (*artifact.Set, []byte, error) {
	report := filepath.Join(g.scratch, "violations.report")
	opts := args.New()
	opts.OutputDir = filepath.Join(g.scratch, filepath.FromSlash(dir))
	opts.OutputPkg = pkg
	opts.OutputFile = OpenAPIFile
	opts.GoHeaderFile = g.header
	opts.ReportFilename = report
	if err := opts.Validate(); err != nil {
		return nil, nil, fmt.Errorf("configuring openapi-gen: %w", err)
	}
	set, err := g.run("openapi-gen", OpenAPIStage, generators.NameSystems(), generators.DefaultNameSystem(),
		func(ctx *generator.Context) ([]generator.Target, error) {
			ctx.Inputs = []string{pkg}
			ctx.Order = slices.DeleteFunc(ctx.Order, func(t *types.Type) bool { return !in(t) })
			ctx.Universe = enums(ctx.Universe)
			header, err := gengo.GoBoilerplate(g.header, gengo.StdBuildTag, gengo.StdGeneratedBy)
			if err != nil {
				return nil, err
			}
			return generators.GetOpenAPITargets(ctx, opts, header), nil
		})
	if err != nil {
		return nil, nil, err
	}
	violations, err := os.ReadFile(report)
	if err != nil {
		return nil, nil, fmt.Errorf("reading openapi-gen's report: %w", err)
	}
	return set, g.withoutStreaming(violations), nil
}

// withoutStreaming removes from a report what kubebuilder writes into each list, the json tag
// "metadata,omitzero" of ListMeta. The rule against it is for the API server's streaming encoder, which
// lists of custom resources never go through.
func (g *Generator) withoutStreaming(report []byte) []byte {
	var out []byte
	for line := range bytes.Lines(report) {
		violation, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("API rule violation: streaming_list_type_json_tags,"))
		parts := strings.Split(string(violation), ",") // package, type and field
		if ok && len(parts) == 3 && parts[2] == "ListMeta" && g.jsonTag(parts[0], parts[1], parts[2]) == "metadata,omitzero" {
			continue
		}
		out = append(out, line...)
	}
	return out
}

// jsonTag returns the json tag of a field, by its Go name.
func (g *Generator) jsonTag(pkg, typeName, field string) string {
	for _, member := range g.base.Universe.Type(types.Name{Package: pkg, Name: typeName}).Members {
		if member.Name == field {
			return reflect.StructTag(member.Tags).Get("json")
		}
	}
	return ""
}

// enums returns a universe with no other types and constants than those of enumerations, which are all
// that openapi-gen looks for there, beside the tags of packages. It does so twice for each type, through
// the whole universe, so that its time would grow with the square of the types.
func enums(all types.Universe) types.Universe {
	few, text := types.Universe{}, all.Type(types.Name{Name: "string"})
	isEnum := func(t *types.Type) bool {
		return t.Kind == types.Alias && t.Underlying == text && gengo.ExtractCommentTags("+", t.CommentLines)["enum"] != nil //nolint:staticcheck // the parser that openapi-gen itself uses
	}
	for path, pkg := range all {
		part := *pkg
		part.Types, part.Constants = map[string]*types.Type{}, map[string]*types.Type{}
		for name, t := range pkg.Types {
			if t == text || isEnum(t) {
				part.Types[name] = t
			}
		}
		for name, c := range pkg.Constants {
			if isEnum(c.Underlying) {
				part.Constants[name] = c
			}
		}
		if len(part.Types)+len(part.Constants)+len(part.Comments) > 0 { // openapi-gen makes do without the others
			few[path] = &part
		}
	}
	return few
}
