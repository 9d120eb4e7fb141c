// Package describe puts together what a project's API gives to those who use it: the surface that is compared with that
// of another version, what can be explained of a field, and the reference pages. It reads several stages' packages.
package describe

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/gocode"

	"sigs.k8s.io/controller-tools/pkg/crd"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/gotypes"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/openapi"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/surface"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/golang"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/python"
)

// Load returns the API packages, type-checked. Nothing is linted: the source was, or it is another version's, which
// nobody can correct. Unlike generators it may run at the same time as another project's.
func Load(ctx context.Context, p *stage.Project) (*load.Result, error) {
	api, err := load.Load(ctx, p.LoadOptions())
	if err != nil {
		return nil, err
	}
	return api, api.Problems()
}

// Definitions evaluates the definitions that openapi-gen makes of a package.
func Definitions(p *stage.Project, source *gotypes.Source, pkg *load.Package) (openapi.Definitions, error) {
	gen, err := gocode.ForProject(p, source)
	if err != nil {
		return nil, err
	}
	file, err := gen.Definitions(pkg, nil)
	if err != nil {
		return nil, err
	}
	return openapi.Evaluate(pkg.Path, file.Path, file.Data)
}

// Surface returns what the project's API packages give to those who use them.
func Surface(p *stage.Project, api *load.Result) (*surface.Surface, error) {
	src := p.Source(api)
	schemas, err := src.Schemas()
	if err != nil {
		return nil, err
	}
	out := &surface.Surface{Version: p.Config.Version, Locate: src.Object, Literal: python.Literal}
	var documents []stage.Document
	for _, pkg := range src.API.Packages {
		described, err := describePackage(p, src, pkg)
		if err != nil {
			return nil, err
		}
		out.Packages = append(out.Packages, *described)
		documents = append(documents, stage.Document{API: described.Document, File: path.Join(described.Dir, "swagger.json")})
		for _, kind := range pkg.Kinds {
			generated := schemas.CRD(pkg.Path + "." + kind.Name)
			if generated == nil || out.CRD(generated.Spec.Group, generated.Spec.Names.Kind) != nil {
				continue
			}
			generated = generated.DeepCopy()
			crd.FixTopLevelMetadata(*generated) // as it is installed
			out.CRDs = append(out.CRDs, generated)
		}
	}
	NameSDKs(p, out, documents)
	return out, nil
}

// NameSDKs says by what names programs import what the SDKs make of each package. What the stages that make the SDKs
// refuse has none.
func NameSDKs(p *stage.Project, api *surface.Surface, documents []stage.Document) {
	for _, s := range []*stage.SDK{python.New(p), golang.New(p)} {
		if s.Config == nil {
			continue
		}
		options, err := s.GeneratorOptions()
		if err != nil {
			continue
		}
		name, _ := options["packageName"].(string)
		all, err := s.Distributions(documents, name)
		if err != nil {
			continue
		}
		for _, d := range all {
			for _, part := range d.Parts {
				pkg := &api.Packages[slices.IndexFunc(documents,
					func(doc stage.Document) bool { return doc.API == part.Document.API })]
				if s.Language.Stage == python.Stage {
					pkg.Module = strings.Join(append([]string{d.Name}, part.Names...), ".")
				} else if importPath, err := load.PackagePath(p.Env.Root,
					path.Join(append([]string{d.Dir}, part.Names...)...)); err == nil {
					pkg.Import = importPath
				}
			}
		}
	}
}

// describePackage returns the surface of one API package.
func describePackage(p *stage.Project, src *gotypes.Source, pkg *load.Package) (*surface.Package, error) {
	definitions, err := Definitions(p, src, pkg)
	if err != nil {
		return nil, err
	}
	api, err := src.Model(pkg, definitions, p.Config.Swagger)
	if err != nil {
		return nil, err
	}
	out := &surface.Package{Path: pkg.Path, Dir: pkg.Dir, Document: api, Types: pkg.Source.Types}
	if p.Config.Python != nil {
		out.Python = python.Classes(api)
	}
	if p.Config.Go != nil {
		out.Client = golang.Classes(api)
	}
	return out, nil
}
