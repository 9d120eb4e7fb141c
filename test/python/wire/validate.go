// Copyright The Flux Operator Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	kjson "k8s.io/apimachinery/pkg/util/json"
)

// server says what an API server says of an object, by the same library.
type server struct {
	structural *schema.Structural
	validator  validation.SchemaValidator
	rules      *cel.Validator
}

// newServer reads the first version of a CustomResourceDefinition.
func newServer(crd string) (*server, error) {
	data, err := os.ReadFile(crd)
	if err != nil {
		return nil, err
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(data, &definition); err != nil {
		return nil, fmt.Errorf("reading %s: %w", crd, err)
	}
	var props apiextensions.JSONSchemaProps
	v1 := definition.Spec.Versions[0].Schema.OpenAPIV3Schema
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v1, &props, nil); err != nil {
		return nil, fmt.Errorf("converting the schema: %w", err)
	}
	structural, err := schema.NewStructural(&props)
	if err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	validator, _, err := validation.NewSchemaValidator(&props)
	if err != nil {
		return nil, fmt.Errorf("reading the validations: %w", err)
	}
	return &server{structural, validator, cel.NewValidator(structural, true, celconfig.PerCallLimit)}, nil
}

// problem is what is wrong with a value.
type problem struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// validate lists what is wrong with an object that is to be created, CEL rules only if nothing
// else is.
func (s *server) validate(line json.RawMessage) (any, error) {
	var object map[string]any
	if err := kjson.Unmarshal(line, &object); err != nil { // numbers as the API server reads them
		return nil, err
	}
	defaulting.PruneNonNullableNullsWithoutDefaults(object, s.structural)
	defaulting.Default(object, s.structural)
	errs := validation.ValidateCustomResource(nil, object, s.validator)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.structural, object)...)
	if len(errs) == 0 {
		errs, _ = s.rules.Validate(context.Background(), nil, s.structural, object, nil, celconfig.RuntimeCELCostBudget)
	}
	problems := []problem{}
	for _, err := range errs {
		problems = append(problems, problem{err.Field, err.ErrorBody()})
	}
	return problems, nil
}
