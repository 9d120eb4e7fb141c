package pipeline

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/swagger"
)

// needSchemas makes the schemas of the API's types, once.
func (r *run) needSchemas() (err error) {
	if r.schemas == nil {
		r.schemas, err = r.gen.Schemas()
	}
	return err
}

// checkTable finds names that the configuration gives to types that the API does not reach.
func (r *run) checkTable() error {
	if err := r.needSchemas(); err != nil {
		return err
	}
	var list diag.List
	for _, goType := range slices.Sorted(maps.Keys(r.cfg.Swagger.Names)) {
		_, known := r.schemas.Schema(goType)
		if _, kubernetes := swagger.KubernetesName(goType); !known && !kubernetes {
			list.Add(token.Position{Filename: r.env.Config}, "config", "write it as PACKAGE.Type, as in k8s.io/api/core/v1.Pod, or remove it",
				"swagger.names has %s, but the API has no such type", goType)
		}
	}
	return list.Err()
}

// document makes swagger.json of one package from its definitions.
func (r *run) document(pkg *load.Package, definitions swagger.Definitions) ([]byte, error) {
	if err := r.needSchemas(); err != nil {
		return nil, err
	}
	api := swagger.API{
		Package: pkg.Path, Group: pkg.Group, Version: pkg.Version,
		Definitions: definitions, Schema: r.schemas.Schema,
		CRD: func(kind string) *apiextensionsv1.CustomResourceDefinition {
			return r.schemas.CRD(pkg.Path + "." + kind)
		},
		Pointer: r.schemas.Pointer,
		Locate: func(goType, property string) token.Position {
			i := strings.LastIndexByte(goType, '.')
			return r.api.PropertyPos(goType[:max(i, 0)], goType[i+1:], property)
		},
	}
	for _, kind := range pkg.Kinds {
		api.Kinds = append(api.Kinds, swagger.Kind{
			Name: kind.Name, List: kind.List, Plural: r.schemas.Plural(pkg.Path + "." + kind.Name),
		})
	}
	title := r.cfg.Swagger.Title
	if title == "" {
		title = path.Base(path.Dir(pkg.Path))
	}
	doc, err := swagger.Build(api, swagger.Options{Title: title, Names: r.cfg.Swagger.Names})
	if err != nil {
		return nil, err
	}
	if !pkg.Foreign { // nobody here can correct the CRD of another project
		if err := swagger.Refused(doc, api).Err(); err != nil {
			return nil, err
		}
	}
	return swagger.Encode(doc)
}

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

// Swagger returns swagger.json of the API package with that directory, import path or version.
// definitions are the package's own where they are compiled in; nil has them evaluated from
// the source that openapi-gen makes.
func (p *Project) Swagger(ctx context.Context, api string, definitions swagger.Definitions) ([]byte, error) {
	r := p.newRun(Options{NoCache: true})
	if err := r.load(ctx); err != nil {
		return nil, err
	}
	pkg, err := r.pick(api)
	if err != nil {
		return nil, err
	}
	if definitions == nil {
		if definitions, err = r.definitions(pkg, &artifact.Set{}); err != nil {
			return nil, err
		}
	}
	return r.document(pkg, definitions)
}

// pick finds an API package by directory, import path or version; "" means the only one.
func (r *run) pick(api string) (*load.Package, error) {
	var names []string
	var found []*load.Package
	for _, pkg := range r.api.Packages {
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
		return nil, fmt.Errorf("there is no API package %q: the packages are %s", api, strings.Join(names, ", "))
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("there are %d such API packages: name one of %s", len(found), strings.Join(names, ", "))
}
