package project

import (
	"errors"
	"maps"
	"slices"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/swagger"
)

// warnOpen warns of types whose method OpenAPISchemaType differs from their schema in the CRDs.
func (b *build) warnOpen(src *source) error {
	schemas, err := src.schemas()
	if err != nil {
		return err
	}
	var list diag.List
	custom := schemas.Custom()
	for _, goType := range slices.Sorted(maps.Keys(custom)) {
		if custom[goType] {
			list.Warn(src.position(goType, ""), swagger.Stage, "", "%s: its method OpenAPISchemaType and its schema in the CRD differ: in %s it is any JSON", goType, swagger.Doc)
		}
	}
	b.env.warn(list)
	return nil
}

// byType names compiled definitions by Go type where +k8s:openapi-model-package gave them other names.
func (s *source) byType(pkg *load.Package, definitions swagger.Definitions) (swagger.Definitions, error) {
	names, err := s.gen.ModelNames(pkg)
	if err != nil {
		return nil, err
	}
	out := swagger.Definitions{}
	for name, definition := range definitions {
		if goType, ok := names[name]; ok {
			name = goType
		}
		out[name] = definition
	}
	return out, nil
}

// advise completes the hints of errors in types.
func (s *source) advise(err error) error {
	if list, ok := errors.AsType[diag.List](err); ok {
		return s.Advise(list).Err()
	}
	return err
}
