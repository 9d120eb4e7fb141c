package model

import (
	"cmp"
	"encoding/json"

	"github.com/go-openapi/spec"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/constraint"
)

// Schema returns the type as the schema that a CRD would have, without properties. The title of a definition's is the name of its Go
// type. t may be nil.
func (t *Type) Schema() *constraint.Schema {
	out := &constraint.Schema{}
	if t == nil {
		return out
	}
	into(out, t.SchemaValidations)
	into(&out.XValidations, t.CEL)
	out.Format, out.Nullable = t.Format, t.Nullable
	open := t.Open
	if t.ListType != "" {
		out.XListType = &t.ListType
	}
	for _, key := range t.MapKeys {
		if key, ok := key.(string); ok {
			out.XListMapKeys = append(out.XListMapKeys, key)
		}
	}
	switch t.Shape {
	case String:
		out.Type = "string"
	case Time:
		out.Type, out.Format = "string", "date-time"
	case Integer:
		out.Type = "integer"
	case Number:
		out.Type = "number"
	case Boolean:
		out.Type = "boolean"
	case IntOrString:
		out.XIntOrString, out.Format = true, ""
	case Array:
		out.Type, out.Items = "array", &apiextensionsv1.JSONSchemaPropsOrArray{Schema: t.Elem.Schema()}
	case Map:
		out.Type, out.AdditionalProperties = "object", &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: t.Elem.Schema()}
	case Object:
		out.Type = "object"
	case Reference:
		of := t.Definition
		out.Type, out.Title = "object", of.GoType.Name
		out.MinProperties, out.MaxProperties = cmp.Or(out.MinProperties, of.MinProperties), cmp.Or(out.MaxProperties, of.MaxProperties)
		open = open || of.Open
		var rules apiextensionsv1.ValidationRules
		into(&rules, of.CEL)
		out.XValidations = append(out.XValidations, rules...)
	}
	if open {
		out.XPreserveUnknownFields = &open
	}
	return out
}

// into copies what JSON says alike of both.
func into(out, from any) {
	if data, err := json.Marshal(from); err == nil {
		_ = json.Unmarshal(data, out)
	}
}

// validations returns the constraints of a schema with those of its allOf, as far as its own keywords can say them.
func validations(schema spec.Schema) spec.SchemaValidations {
	own := schema.Validations()
	var parts []constraint.Keywords
	for _, part := range schema.AllOf {
		if part.Ref.String() != "" || len(part.AllOf) > 0 {
			continue
		}
		parts = append(parts, keywords(part.Validations()))
	}
	if len(parts) == 0 {
		return own
	}
	if merged, ok := constraint.Merge(keywords(own), parts...); ok {
		out := spec.SchemaValidations{}
		into(&out, merged)
		return out
	}
	return own
}

func keywords(of spec.SchemaValidations) constraint.Keywords {
	out := constraint.Keywords{}
	into(&out, of)
	return out
}
