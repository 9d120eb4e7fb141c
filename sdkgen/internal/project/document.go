package project

import (
	"context"
	"errors"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/gocode"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/swagger"
)

// Document returns swagger.json of the one API package that cfg names; see Project.Swagger. It only
// reads, so it does not wait for another run and needs no sdkgen.yaml.
func Document(ctx context.Context, env Environment, cfg *config.Config, definitions swagger.Definitions) ([]byte, error) {
	p, err := open(env, cfg)
	if err != nil {
		return nil, err
	}
	data, err := p.Swagger(ctx, "", definitions)
	return data, errors.Join(err, p.Close())
}

// Swagger returns swagger.json of the API package with that directory, import path or version; "" is the
// only one. definitions are the package's own where they are compiled in; nil has them evaluated from
// the source that openapi-gen makes.
func (p *Project) Swagger(ctx context.Context, api string, definitions swagger.Definitions) ([]byte, error) {
	src, err := p.newBuild(Options{Force: true}).source(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.checkTable(src); err != nil {
		return nil, err
	}
	pkg, err := src.pick(api)
	if err != nil {
		return nil, err
	}
	if definitions != nil {
		definitions, err = src.byType(pkg, definitions)
	} else {
		definitions, err = src.definitions(pkg, &artifact.Set{})
	}
	if err != nil {
		return nil, err
	}
	return src.document(pkg, definitions, p.cfg.Swagger)
}

// swagger makes swagger.json of every API package.
func (b *build) swagger(ctx context.Context) (*artifact.Set, error) {
	src, err := b.source(ctx)
	if err != nil {
		return nil, err
	}
	if err := b.checkTable(src); err != nil {
		return nil, err
	}
	if err := b.warnOpen(src); err != nil {
		return nil, err
	}
	set := &artifact.Set{}
	for _, pkg := range src.Packages {
		definitions, err := src.definitions(pkg, b.sets[gocode.OpenAPIStage])
		if err != nil {
			return nil, err
		}
		data, err := src.document(pkg, definitions, b.cfg.Swagger)
		if err != nil {
			return nil, err
		}
		if err := set.Put(artifact.File{Path: path.Join(pkg.Dir, swagger.Doc), Data: data, Origin: swagger.Stage}); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// checkTable finds names that the configuration gives to types that the API does not reach.
func (p *Project) checkTable(src *source) error {
	schemas, err := src.schemas()
	if err != nil {
		return err
	}
	var list diag.List
	for _, goType := range slices.Sorted(maps.Keys(p.cfg.Swagger.Names)) {
		_, known := schemas.Schema(goType)
		if _, kubernetes := swagger.KubernetesName(goType); !known && !kubernetes {
			list.Add(p.cfg.Pos("swagger", "names", goType), "config", "write it as PACKAGE.Type, as in k8s.io/api/core/v1.Pod, or remove it",
				"swagger.names has %s, but the API has no such type", goType)
		}
	}
	return list.Err()
}

// pick finds an API package by directory, import path or version; "" means the only one.
func (s *source) pick(api string) (*load.Package, error) {
	var names []string
	var found []*load.Package
	for _, pkg := range s.Packages {
		if api == pkg.Dir || api == pkg.Path {
			return pkg, nil
		}
		if api == pkg.Version || api == "" {
			found = append(found, pkg)
		}
		names = append(names, pkg.Dir)
	}
	switch len(found) {
	case 0:
		return nil, diag.Errorf(token.Position{}, "config", "the packages are "+strings.Join(names, ", "), "there is no API package %q", api)
	case 1:
		return found[0], nil
	}
	return nil, diag.Errorf(token.Position{}, "config", "name one of "+strings.Join(names, ", "), "%q names %d API packages", api, len(found))
}

// definitions evaluates the definitions of a package: those in made, or, where it lacks the
// package, those that openapi-gen makes on the way.
func (s *source) definitions(pkg *load.Package, made *artifact.Set) (swagger.Definitions, error) {
	name := path.Join(pkg.Dir, gocode.OpenAPIFile)
	file, ok := made.Lookup(name)
	if !ok {
		schemas, err := s.schemas()
		if err != nil {
			return nil, err
		}
		set, _, _, err := s.gen.OpenAPI(pkg, schemas)
		if err != nil {
			return nil, err
		}
		file, _ = set.Lookup(name)
	}
	return swagger.Evaluate(pkg.Path, file.Path, file.Data)
}

// document makes swagger.json of one package from its definitions.
func (s *source) document(pkg *load.Package, definitions swagger.Definitions, cfg config.Swagger) ([]byte, error) {
	schemas, err := s.schemas()
	if err != nil {
		return nil, err
	}
	api := swagger.API{
		Package: pkg.Path, Group: pkg.Group, Version: pkg.Version, Foreign: pkg.Foreign,
		Definitions: definitions, Schema: schemas.Schema, Pointer: schemas.Pointer, Locate: s.position,
		Custom: schemas.Custom(),
		CRD:    func(kind string) *apiextensionsv1.CustomResourceDefinition { return schemas.CRD(pkg.Path + "." + kind) },
	}
	for _, kind := range pkg.Kinds {
		goType := pkg.Path + "." + kind.Name
		described := swagger.Kind{Name: kind.Name, List: kind.List, Plural: schemas.Plural(goType), Cluster: schemas.Cluster(goType)}
		if pkg.NoCRD {
			described.ListKind = pkg.ListOf(kind.Name)
		}
		api.Kinds = append(api.Kinds, described)
	}
	title := cfg.Title
	if title == "" {
		title = titleOf(pkg.Path)
	}
	doc, err := swagger.Build(api, swagger.Options{Title: title, Names: cfg.Names})
	if err != nil {
		return nil, s.advise(err)
	}
	if !pkg.Foreign { // nobody here can correct the CRD of another project
		if err := swagger.ValidateCRDs(doc, api).Err(); err != nil {
			return nil, s.advise(err)
		}
	}
	return swagger.Encode(doc)
}

// titleOf returns the last element of the path above an API package that is more than the usual name of a directory of
// APIs.
func titleOf(pkg string) string {
	above := path.Dir(pkg)
	for base := path.Base(above); (base == "api" || base == "apis") && path.Dir(above) != "."; base = path.Base(above) {
		above = path.Dir(above)
	}
	return path.Base(above)
}

// apiOf returns the entry of a document's API package in the configuration, and its position.
func (p *Project) apiOf(doc apiDocument) (config.API, token.Position) {
	for i, api := range p.cfg.APIs {
		if api.OutputDir() == path.Dir(doc.file) {
			return api, p.cfg.Pos("apis", i)
		}
	}
	return config.API{}, p.cfg.Pos("apis")
}

// diagnose names the file of an error that has no position.
func diagnose(file string, err error) error {
	return diag.List{{Pos: token.Position{Filename: file}, Message: err.Error()}}
}
