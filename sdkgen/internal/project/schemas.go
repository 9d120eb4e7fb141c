package project

import (
	"context"

	"sigs.k8s.io/controller-tools/pkg/crd"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/schemas"
)

// schemas makes the JSON Schemas and the OpenAPI documents of the custom resources.
func (b *build) schemas(ctx context.Context) (*artifact.Set, error) {
	src, err := b.source(ctx)
	if err != nil {
		return nil, err
	}
	made, err := src.schemas()
	if err != nil {
		return nil, err
	}
	var resources []schemas.Resource
	for _, pkg := range src.Packages {
		for _, kind := range pkg.Kinds {
			definition := made.CRD(pkg.Path + "." + kind.Name)
			if definition == nil {
				continue
			}
			definition = definition.DeepCopy()
			crd.FixTopLevelMetadata(*definition) // as it is installed
			resources = append(resources, schemas.Resource{Definition: definition, Version: pkg.Version})
		}
	}
	b.env.warn(src.withoutCRD(schemas.Stage, "JSON Schema and no OpenAPI 3 document"))
	return schemas.Files(b.cfg.Schemas.Dir, resources...)
}

func (b *build) schemasKey(k *keyer) error {
	k.json("schemas", b.cfg.Schemas)
	k.json("maxDescLen", b.cfg.CRDOptions().MaxDescLen)
	return b.sourceKey(k)
}
