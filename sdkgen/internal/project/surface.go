package project

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/crd"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/surface"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/golang"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/python"
)

// Surface returns what the project's API packages give to those who use them. Nothing is linted: the source was, or is
// another version's, which nobody can correct.
func (p *Project) Surface(ctx context.Context) (*surface.Surface, error) {
	api, err := p.unlinted(ctx)
	if err != nil {
		return nil, err
	}
	return p.surface(api)
}

// unlinted returns the API packages, type-checked. Unlike generators it may run beside another project's.
func (p *Project) unlinted(ctx context.Context) (*load.Result, error) {
	api, err := load.Load(ctx, p.loadOptions())
	if err != nil {
		return nil, err
	}
	return api, api.Problems()
}

func (p *Project) surface(api *load.Result) (*surface.Surface, error) {
	src, err := p.newSource(api)
	if err != nil {
		return nil, err
	}
	schemas, err := src.schemas()
	if err != nil {
		return nil, err
	}
	out := &surface.Surface{Version: p.cfg.Version, Locate: src.object, Literal: python.Literal}
	var documents []apiDocument
	for _, pkg := range src.Packages {
		described, err := p.describe(src, pkg)
		if err != nil {
			return nil, err
		}
		out.Packages = append(out.Packages, *described)
		documents = append(documents, apiDocument{API: described.Document, file: path.Join(described.Dir, "swagger.json")})
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
	p.nameSDKs(out, documents)
	return out, nil
}

// nameSDKs says by what names programs import what the SDKs make of each package. What the stages that make the SDKs
// refuse has none.
func (p *Project) nameSDKs(api *surface.Surface, documents []apiDocument) {
	for _, lang := range []language{pythonLanguage, goLanguage} {
		s := p.newSDK(lang)
		if s.cfg == nil {
			continue
		}
		options, err := s.generatorOptions()
		if err != nil {
			continue
		}
		name, _ := options["packageName"].(string)
		all, err := s.distributions(documents, name)
		if err != nil {
			continue
		}
		for _, d := range all {
			for _, part := range d.parts {
				pkg := &api.Packages[slices.IndexFunc(documents, func(doc apiDocument) bool { return doc.API == part.API })]
				if s.stage == PythonStage {
					pkg.Module = strings.Join(append([]string{d.name}, part.names...), ".")
				} else if importPath, err := load.PackagePath(p.env.Root, path.Join(append([]string{d.dir}, part.names...)...)); err == nil {
					pkg.Import = importPath
				}
			}
		}
	}
}

// describe returns the surface of one API package.
func (p *Project) describe(src *source, pkg *load.Package) (*surface.Package, error) {
	definitions, err := src.definitions(pkg, &artifact.Set{})
	if err != nil {
		return nil, err
	}
	data, err := src.document(pkg, definitions, p.cfg.Swagger)
	if err != nil {
		return nil, err
	}
	api, err := model.Read(data)
	if err != nil {
		return nil, fmt.Errorf("reading the document of %s: %w", pkg.Path, err)
	}
	out := &surface.Package{Path: pkg.Path, Dir: pkg.Dir, Document: api, Types: pkg.Source.Types}
	if p.cfg.Python != nil {
		out.Python = python.Classes(api)
	}
	if p.cfg.Go != nil {
		out.Client = golang.Classes(api)
	}
	return out, nil
}
