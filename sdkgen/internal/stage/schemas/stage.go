package schemas

import (
	"context"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
)

// New returns the stage that generates the documents.
func New(run *stage.Run) stage.Stage {
	cfg := run.Project.Config
	return stage.Stage{
		Name: Stage, Doc: "JSON Schemas and OpenAPI 3 documents of custom resources", Enabled: cfg.Schemas != nil,
		Key: func(k *stage.Key) error {
			k.JSON("schemas", cfg.Schemas)
			k.JSON("maxDescLen", cfg.CRDOptions().MaxDescLen)
			return k.Source()
		},
		Run: func(ctx context.Context) (*artifact.Set, error) {
			source, err := run.Source(ctx)
			if err != nil {
				return nil, err
			}
			installed, err := source.Installed()
			if err != nil {
				return nil, err
			}
			var resources []Resource
			for _, crd := range installed {
				resources = append(resources, Resource{Definition: crd.Definition, Version: crd.Version})
			}
			run.Project.Env.Report(stage.WithoutCRD(source, Stage, "JSON Schema and no OpenAPI 3 document"))
			return Files(cfg.Schemas.Dir, resources...)
		},
	}
}
