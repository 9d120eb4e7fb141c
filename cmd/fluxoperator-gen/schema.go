package main

import (
	"context"
	"fmt"
	"regexp"

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

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// noPath is the Field of a field.Error without a path.
const noPath = "<nil>"

// server applies a CustomResourceDefinition to objects as the API server does.
type server struct {
	structural *schema.Structural
	validator  validation.SchemaValidator
	rules      *cel.Validator // nil where the schema has no rules
}

func newServer(manifest []byte) (*server, error) {
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(manifest, &crd); err != nil {
		return nil, fmt.Errorf("reading the CustomResourceDefinition: %w", err)
	}
	for _, version := range crd.Spec.Versions {
		if version.Name != api.SchemeGroupVersion.Version || version.Schema == nil {
			continue
		}
		var props apiextensions.JSONSchemaProps
		err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(version.Schema.OpenAPIV3Schema,
			&props, nil)
		if err != nil {
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
		return &server{structural, validator, cel.NewValidator(structural, true, celconfig.PerCallLimit)}, nil
	}
	return nil, fmt.Errorf("the CustomResourceDefinition has no schema of version %s", api.SchemeGroupVersion.Version)
}

// admit does what the API server does when an object is created: it prunes unknown fields and
// returns their paths, drops the status, applies defaults and validates.
func (s *server) admit(object map[string]any) (unknown []string, errs field.ErrorList) {
	unknown = pruning.PruneWithOptions(object, s.structural, true,
		schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	delete(object, "status")
	defaulting.PruneNonNullableNullsWithoutDefaults(object, s.structural)
	defaulting.Default(object, s.structural)
	errs = validation.ValidateCustomResource(nil, object, s.validator)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.structural, object)...)
	errs = append(errs, largeNumbers(nil, s.structural, object)...)
	if s.rules != nil && len(errs) == 0 {
		errs, _ = s.rules.Validate(context.Background(), nil, s.structural, object, nil, celconfig.RuntimeCELCostBudget)
	}
	return unknown, oneEach(errs)
}

// largeNumbers reports numbers that the schema accepts and intstr.IntOrString cannot hold.
func largeNumbers(path *field.Path, s *schema.Structural, value any) field.ErrorList {
	var errs field.ErrorList
	switch value := value.(type) {
	case int64:
		if s.XIntOrString && value != int64(int32(value)) {
			errs = append(errs, field.Invalid(path, value, "is too large for a number: write it as a string, in quotes"))
		}
	case []any:
		for i, item := range value {
			if s.Items != nil {
				errs = append(errs, largeNumbers(path.Index(i), s.Items, item)...)
			}
		}
	case map[string]any:
		for key, item := range value {
			if property, ok := s.Properties[key]; ok {
				errs = append(errs, largeNumbers(path.Child(key), &property, item)...)
			} else if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
				errs = append(errs, largeNumbers(path.Key(key), s.AdditionalProperties.Structural, item)...)
			}
		}
	}
	return errs
}

// pathInText finds the path in a message of the validator, which has no Field for some numbers.
var pathInText = regexp.MustCompile(`(?: in |^")([^\s"]+)(?:$|")`)

// oneEach keeps one error per path: for one wrong value the validator reports its type, its format
// and each alternative.
func oneEach(errs field.ErrorList) field.ErrorList {
	var out field.ErrorList
	seen := map[string]bool{}
	add := func(err *field.Error) {
		if !seen[err.Field] {
			out = append(out, err)
		}
		seen[err.Field] = true
	}
	for _, err := range errs {
		if err.Field != noPath {
			add(err)
		}
	}
	for _, err := range errs {
		if err.Field != noPath {
			continue
		}
		if m := pathInText.FindStringSubmatch(err.Detail); m != nil {
			err.Field, err.BadValue = m[1], field.OmitValueType{}
		}
		add(err)
	}
	return out
}
