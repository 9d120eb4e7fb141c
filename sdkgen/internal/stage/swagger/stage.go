// Package swagger is the stage that generates swagger.json of each API package.
package swagger

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"

	"github.com/go-openapi/spec"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/gotypes"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/swagger"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
)

// Stage is the name of the stage.
const Stage = stage.Swagger

// New returns the stage that generates swagger.json of every API package. definitions returns the Go file with the OpenAPI
// definitions of a package.
func New(run *stage.Run, definitions func(context.Context, *load.Package) (artifact.File, error)) stage.Stage {
	return stage.Stage{
		Name: Stage, Doc: "swagger.json", Enabled: true, Inputs: []string{stage.OpenAPI},
		Key: func(k *stage.Key) error {
			k.JSON("swagger", run.Project.Config.Swagger)
			return k.Source()
		},
		Run: func(ctx context.Context) (*artifact.Set, error) {
			return documents(ctx, run, definitions)
		},
	}
}

func documents(
	ctx context.Context, run *stage.Run, definitions func(context.Context, *load.Package) (artifact.File, error),
) (*artifact.Set, error) {
	source, err := run.Source(ctx)
	if err != nil {
		return nil, err
	}
	cfg := run.Project.Config
	if err := CheckTable(source, cfg); err != nil {
		return nil, err
	}
	open, err := openTypes(source)
	if err != nil {
		return nil, err
	}
	run.Project.Env.Report(open)
	set := &artifact.Set{}
	for _, pkg := range source.API.Packages {
		file, err := definitions(ctx, pkg)
		if err != nil {
			return nil, err
		}
		evaluated, err := swagger.Evaluate(pkg.Path, file.Path, file.Data)
		if err != nil {
			return nil, err
		}
		data, err := Document(source, pkg, evaluated, cfg.Swagger)
		if err != nil {
			return nil, err
		}
		if err := set.Put(artifact.File{Path: path.Join(pkg.Dir, swagger.Doc), Data: data, Origin: Stage}); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// CheckTable finds names that the configuration gives to types that the API does not reach.
func CheckTable(source *gotypes.Source, cfg *config.Config) error {
	schemas, err := source.Schemas()
	if err != nil {
		return err
	}
	var list diag.List
	for _, goType := range slices.Sorted(maps.Keys(cfg.Swagger.Names)) {
		_, known := schemas.Schema(goType)
		if _, kubernetes := swagger.KubernetesName(goType); !known && !kubernetes {
			list.Add(cfg.Pos("swagger", "names", goType), "config", "write it as PACKAGE.Type, as in k8s.io/api/core/v1.Pod, or remove it",
				"swagger.names has %s, but the API has no such type", goType)
		}
	}
	return list.Err()
}

// openTypes warns of types whose method OpenAPISchemaType differs from their schema in the CRDs.
func openTypes(source *gotypes.Source) (diag.List, error) {
	schemas, err := source.Schemas()
	if err != nil {
		return nil, err
	}
	var list diag.List
	custom := schemas.Custom()
	for _, goType := range slices.Sorted(maps.Keys(custom)) {
		if custom[goType] {
			list.Warn(source.Position(goType, ""), Stage, "",
				"%s: its method OpenAPISchemaType and its schema in the CRD differ: in %s it is any JSON", goType, swagger.Doc)
		}
	}
	return list, nil
}

// Document returns swagger.json of one package.
func Document(
	source *gotypes.Source, pkg *load.Package, definitions swagger.Definitions, cfg config.Swagger,
) ([]byte, error) {
	doc, err := Build(source, pkg, definitions, cfg)
	if err != nil {
		return nil, err
	}
	return swagger.Encode(doc)
}

// Build returns the document of one package, from its definitions.
func Build(
	source *gotypes.Source, pkg *load.Package, definitions swagger.Definitions, cfg config.Swagger,
) (*spec.Swagger, error) {
	schemas, err := source.Schemas()
	if err != nil {
		return nil, err
	}
	api := swagger.API{
		Package: pkg.Path, Group: pkg.Group, Version: pkg.Version, Foreign: pkg.Foreign,
		Definitions: definitions, Schema: schemas.Schema, Pointer: schemas.Pointer, Locate: source.Position,
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
		return nil, advise(source, err)
	}
	if !pkg.Foreign { // nobody here can correct the CRD of another project
		if err := swagger.ValidateCRDs(doc, api).Err(); err != nil {
			return nil, advise(source, err)
		}
	}
	return doc, nil
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

// advise completes the hints of errors in types.
func advise(source *gotypes.Source, err error) error {
	if list, ok := errors.AsType[diag.List](err); ok {
		return source.API.Advise(list).Err()
	}
	return err
}
