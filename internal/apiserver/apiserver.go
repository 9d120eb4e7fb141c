// Package apiserver applies a CustomResourceDefinition to objects as the API server does, by the
// API server's own libraries.
package apiserver

import (
	"context"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

// Server is the API server's view of one version of a CustomResourceDefinition.
type Server struct {
	Structural *schema.Structural

	validator validation.SchemaValidator
	rules     *cel.Validator // nil where the schema has no rules
}

// New reads the version of a CustomResourceDefinition in YAML or JSON, the first one if version
// is "".
func New(manifest []byte, version string) (*Server, error) {
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(manifest, &crd); err != nil {
		return nil, fmt.Errorf("reading the CustomResourceDefinition: %w", err)
	}
	for _, v := range crd.Spec.Versions {
		if version != "" && v.Name != version || v.Schema == nil {
			continue
		}
		return newServer(v.Schema.OpenAPIV3Schema)
	}
	return nil, fmt.Errorf("the CustomResourceDefinition has no schema of version %q", version)
}

func newServer(v1 *apiextensionsv1.JSONSchemaProps) (*Server, error) {
	var props apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v1, &props, nil); err != nil {
		return nil, fmt.Errorf("converting the schema: %w", err)
	}
	structural, err := schema.NewStructural(&props)
	if err != nil {
		return nil, fmt.Errorf("reading the structural schema: %w", err)
	}
	validator, _, err := validation.NewSchemaValidator(&props)
	if err != nil {
		return nil, fmt.Errorf("reading the validations: %w", err)
	}
	return &Server{structural, validator, cel.NewValidator(structural, true, celconfig.PerCallLimit)}, nil
}

// Prune removes unknown fields from an object and returns their paths.
func (s *Server) Prune(object map[string]any) []string {
	return pruning.PruneWithOptions(object, s.Structural, true,
		schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
}

// Create applies the defaults to an object that is to be created, and returns what is wrong with
// it: CEL rules only if nothing else is.
func (s *Server) Create(object map[string]any) field.ErrorList {
	defaulting.PruneNonNullableNullsWithoutDefaults(object, s.Structural)
	defaulting.Default(object, s.Structural)
	errs := validation.ValidateCustomResource(nil, object, s.validator)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.Structural, object)...)
	if s.rules != nil && len(errs) == 0 {
		errs, _ = s.rules.Validate(context.Background(), nil, s.Structural, object, nil, celconfig.RuntimeCELCostBudget)
	}
	return errs
}
