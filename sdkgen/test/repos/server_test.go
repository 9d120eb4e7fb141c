package repos

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	kjson "k8s.io/apimachinery/pkg/util/json"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// server says what an API server that has the CRDs says of an object, by the same library.
type server map[kind]*judge

// kind is an apiVersion and a kind.
type kind struct{ APIVersion, Kind string }

// judge applies the schema of one version of a CRD.
type judge struct {
	structural *structuralschema.Structural
	validator  validation.SchemaValidator
	rules      *cel.Validator
}

func newServer(t *testing.T, all crds) server {
	t.Helper()
	s := server{}
	for name, crd := range all {
		var definition apiextensionsv1.CustomResourceDefinition
		if err := json.Unmarshal([]byte(encode(crd)), &definition); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, v := range definition.Spec.Versions {
			var props apiextensions.JSONSchemaProps
			if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema,
				&props, nil); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			structural, err := structuralschema.NewStructural(&props)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			validator, _, err := validation.NewSchemaValidator(&props)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			s[kind{definition.Spec.Group + "/" + v.Name, definition.Spec.Names.Kind}] =
				&judge{structural, validator, cel.NewValidator(structural, true, celconfig.PerCallLimit)}
		}
	}
	return s
}

// reject says why an object cannot be created, "" if it can. A field that the server does not know is a reason:
// kubectl asks for strict validation. CEL rules count only where nothing else is wrong.
func (s server) reject(t *testing.T, target kind, manifest []byte) string {
	t.Helper()
	j := s[target]
	if j == nil {
		return "there is no CRD of the kind"
	}
	var object map[string]any
	if err := kjson.Unmarshal(manifest, &object); err != nil { // numbers as the API server reads them
		t.Fatal(err)
	}
	unknown := pruning.PruneWithOptions(object, j.structural, true,
		structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	delete(object, "status")
	defaulting.PruneNonNullableNullsWithoutDefaults(object, j.structural)
	defaulting.Default(object, j.structural)
	errs := validation.ValidateCustomResource(nil, object, j.validator)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, j.structural, object)...)
	if len(errs) == 0 {
		errs, _ = j.rules.Validate(context.Background(), nil, j.structural, object, nil, celconfig.RuntimeCELCostBudget)
	}
	var reasons []string
	for _, path := range unknown {
		reasons = append(reasons, "unknown field "+path)
	}
	for _, err := range errs {
		reasons = append(reasons, fmt.Sprintf("%s: %s", err.Field, err.ErrorBody()))
	}
	slices.Sort(reasons)
	return strings.Join(reasons, "; ")
}

// TestServer: pruned fields, wrong types, rules and defaults count.
func TestServer(t *testing.T) {
	crd := map[string]any{}
	if err := unmarshal(`
spec:
  group: g
  names: {kind: K}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [a]
            x-kubernetes-validations: [{rule: self.a != self.b, message: the same}]
            properties: {a: {type: string}, b: {type: string, default: x}}
`, &crd); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, crds{"k": crd})
	for manifest, want := range map[string]string{
		`{"spec": {"a": "b"}}`:                    "",
		`{"spec": {"a": "x"}}`:                    `spec: Invalid value: the same`,
		`{"spec": {"a": "b", "c": 1}, "d": 1}`:    "unknown field d; unknown field spec.c",
		`{"spec": {"a": 1}}`:                      `spec.a: Invalid value: "integer": spec.a in body must be of type string: "integer"`,
		`{"status": {"x": 1}, "spec": {"b": ""}}`: "spec.a: Required value; unknown field status",
	} {
		if got := s.reject(t, kind{"g/v1", "K"}, []byte(manifest)); got != want {
			t.Errorf("of %s it says %q, want %q", manifest, got, want)
		}
	}
	if s.reject(t, kind{"g/v2", "K"}, nil) == "" {
		t.Error("it takes an unknown kind")
	}
}
