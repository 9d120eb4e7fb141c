// Package swagger is the stage that generates swagger.json of each API package.
package swagger

import (
	"context"
	"maps"
	"slices"

	"github.com/go-openapi/spec"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/gotypes"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/swagger"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
)

// Stage is the name of the stage.
const Stage = stage.Swagger

// New returns the stage that generates swagger.json of every API package.
func New(run *stage.Run) stage.Stage {
	return stage.Stage{
		Name: Stage, Doc: "swagger.json", Enabled: true, Inputs: []string{stage.OpenAPI},
		Key: func(k *stage.Key) error {
			k.JSON("swagger", run.Project.Config.Swagger)
			return k.Source()
		},
		Run: func(ctx context.Context) (*artifact.Set, error) { return files(ctx, run) },
	}
}

func files(ctx context.Context, run *stage.Run) (*artifact.Set, error) {
	source, err := run.Source(ctx)
	if err != nil {
		return nil, err
	}
	if err := CheckTable(source, run.Project.Config); err != nil {
		return nil, err
	}
	schemas, err := source.Schemas()
	if err != nil {
		return nil, err
	}
	run.Project.Env.Report(openTypes(source, schemas))
	documents, err := run.Documents(ctx)
	if err != nil {
		return nil, err
	}
	set := &artifact.Set{}
	for _, document := range documents {
		doc, err := Checked(source, document.API)
		if err != nil {
			return nil, err
		}
		data, err := swagger.Encode(doc)
		if err != nil {
			return nil, err
		}
		if err := set.Put(artifact.File{Path: document.File, Data: data, Origin: Stage}); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// Checked returns the document of a model, compared with the CRDs.
func Checked(source *gotypes.Source, api *model.API) (*spec.Swagger, error) {
	schemas, err := source.Schemas()
	if err != nil {
		return nil, err
	}
	doc, err := swagger.Print(api)
	if err != nil {
		return nil, err
	}
	return doc, source.API.Advise(swagger.Compare(doc, api, schemas.CRD, source.Position)).Err()
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
		if _, kubernetes := model.KubernetesName(goType); !known && !kubernetes {
			list.Add(cfg.Pos("swagger", "names", goType), "config",
				"write it as PACKAGE.Type, as in k8s.io/api/core/v1.Pod, or remove it",
				"swagger.names has %s, but the API has no such type", goType)
		}
	}
	return list.Err()
}

// openTypes warns of types whose method OpenAPISchemaType differs from their schema in the CRDs.
func openTypes(source *gotypes.Source, schemas *gotypes.Schemas) diag.List {
	var list diag.List
	custom := schemas.Custom()
	for _, goType := range slices.Sorted(maps.Keys(custom)) {
		if custom[goType] {
			list.Warn(source.Position(goType, ""), Stage, "",
				"%s: its method OpenAPISchemaType and its schema in the CRD differ: in %s it is any JSON", goType, swagger.Doc)
		}
	}
	return list
}
