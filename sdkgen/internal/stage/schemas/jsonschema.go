package schemas

import (
	"maps"
	"slices"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/server"
)

// dialect is the version of JSON Schema.
const dialect = "https://json-schema.org/draft/2020-12/schema"

// node is a JSON Schema.
type node = map[string]any

// JSONSchema returns the JSON Schema of a resource. It accepts the manifests that the API server accepts with strict
// field validation: what the API server sets by itself may be missing, and null is accepted where the API server drops
// it or replaces it by the default. It says nothing on CEL rules, and on items of a list map that have the same keys
// but differ.
func JSONSchema(r Resource) (map[string]any, error) {
	structural, err := server.Structural(r.Definition, r.Version)
	if err != nil {
		return nil, err
	}
	spec := r.Definition.Spec
	out := value(structural, false)
	out["$schema"], out["title"] = dialect, spec.Names.Kind
	out["x-kubernetes-group-version-kind"] = []node{{"group": spec.Group, "version": r.Version, "kind": spec.Names.Kind}}
	if v, _ := r.version(); v.Deprecated {
		out["deprecated"] = true
	}
	rootMembers(out, r)
	scaled(out, r)
	return out, nil
}

// value returns the schema of a value. preserved says that unknown fields are kept because those of the list
// around it are.
func value(s *structuralschema.Structural, preserved bool) node {
	out := node{}
	describe(out, s)
	switch {
	case s.XIntOrString:
		out["type"] = []any{"integer", "string"}
	case s.Type != "":
		out["type"] = s.Type
	}
	preserved = preserved || s.XPreserveUnknownFields
	if s.Items != nil {
		out["items"] = value(s.Items, preserved)
	}
	if s.Type == "object" || s.Type == "" && !s.XIntOrString {
		members(out, s, preserved)
	}
	if s.ValueValidation != nil {
		validations(out, withoutIntOrString(s), s)
	}
	if s.XEmbeddedResource {
		embeddedMembers(out)
	}
	extensions(out, s)
	if _, enumerated := out["enum"]; s.Nullable && !enumerated {
		return orNull(out)
	}
	return out
}

// describe adds what a schema says to readers.
func describe(out node, s *structuralschema.Structural) {
	if s.Title != "" {
		out["title"] = s.Title
	}
	if s.Description != "" {
		out["description"] = s.Description
	}
	if model.Deprecation(s.Description) != "" {
		out["deprecated"] = true
	}
	if s.Default.Object != nil {
		out["default"] = s.Default.Object
	}
	if s.Example.Object != nil {
		out["examples"] = []any{s.Example.Object}
	}
}

// members adds the fields of an object, or the values of a map.
func members(out node, s *structuralschema.Structural, preserved bool) {
	properties := node{}
	for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[key]
		below := value(&property, false)
		switch {
		case property.Nullable:
		case s.ValueValidation != nil && slices.Contains(s.ValueValidation.Required, key) && property.Default.Object == nil:
			below = notNull(below)
		default: // the API server drops null, or replaces it by the default
			below = orNull(below)
		}
		properties[key] = below
	}
	if len(properties) > 0 {
		out["properties"] = properties
	}
	switch {
	case s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil:
		below := value(s.AdditionalProperties.Structural, false)
		if !s.AdditionalProperties.Structural.Nullable {
			below = orNull(below)
		}
		out["additionalProperties"] = below
	case s.AdditionalProperties == nil && !preserved:
		out["additionalProperties"] = false
	}
}

// extensions adds what is no part of JSON Schema, under the names of the CustomResourceDefinition.
func extensions(out node, s *structuralschema.Structural) {
	for name, set := range map[string]bool{
		"x-kubernetes-preserve-unknown-fields": s.XPreserveUnknownFields,
		"x-kubernetes-embedded-resource":       s.XEmbeddedResource,
		"x-kubernetes-int-or-string":           s.XIntOrString,
	} {
		if set {
			out[name] = true
		}
	}
	if len(s.XListMapKeys) > 0 {
		out["x-kubernetes-list-map-keys"] = s.XListMapKeys
	}
	if s.XListType != nil {
		out["x-kubernetes-list-type"] = *s.XListType
		if *s.XListType != "atomic" {
			out["uniqueItems"] = true
		}
	}
	if s.XMapType != nil {
		out["x-kubernetes-map-type"] = *s.XMapType
	}
	if len(s.XValidations) > 0 {
		out[rulesExtension] = s.XValidations
	}
}

// rulesExtension has the CEL rules.
const rulesExtension = "x-kubernetes-validations"

// compositions are the keywords that may refuse null whatever the type is.
var compositions = []string{"allOf", "anyOf", "oneOf", "not"}

// orNull returns a schema that accepts null too.
func orNull(n node) node {
	moved := node{}
	for _, keyword := range compositions {
		if below, ok := n[keyword]; ok {
			moved[keyword] = below
			delete(n, keyword)
		}
	}
	if len(moved) > 0 {
		n["anyOf"] = []any{node{"type": "null"}, moved}
	}
	switch types := n["type"].(type) {
	case string:
		n["type"] = []any{types, "null"}
	case []any:
		if !slices.Contains(types, any("null")) {
			n["type"] = append(slices.Clone(types), "null")
		}
	}
	if values, ok := n["enum"].([]any); ok && !slices.Contains(values, nil) {
		n["enum"] = append(slices.Clone(values), nil)
	}
	return n
}

// notNull returns a schema that refuses null.
func notNull(n node) node {
	if types, ok := n["type"]; ok {
		list, _ := types.([]any)
		if !slices.Contains(list, any("null")) {
			return n
		}
	}
	refused := node{"type": "null"}
	if _, taken := n["not"]; !taken {
		n["not"] = refused
		return n
	}
	return node{"allOf": []any{n, node{"not": refused}}}
}
