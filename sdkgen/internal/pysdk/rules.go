package pysdk

import (
	"cmp"
	"maps"
	"slices"

	"github.com/go-openapi/spec"

	"github.com/flux-framework/flux-operator/sdkgen/internal/swagger"
)

// cel is the extension of the rules that the API server evaluates.
const cel = "x-kubernetes-validations"

// rules returns the constraints of a property by the keywords of an OpenAPI schema, those of
// its members under items or additionalProperties; nil if there are none. A pattern is
// Python's. How many properties a model may have is a constraint where it is referred to.
func (m *modeler) rules(schema spec.Schema) map[string]any {
	if target, ok := m.doc.Definitions[swagger.Referenced(schema)]; ok {
		schema.MinProperties = cmp.Or(schema.MinProperties, target.MinProperties)
		schema.MaxProperties = cmp.Or(schema.MaxProperties, target.MaxProperties)
	}
	out := map[string]any{}
	put := func(keyword string, value any, is bool) {
		if is {
			out[keyword] = value
		}
	}
	put("nullable", true, nullable(schema))
	put("enum", schema.Enum, len(schema.Enum) > 0)
	putNumber(out, "minimum", schema.Minimum)
	putNumber(out, "maximum", schema.Maximum)
	putNumber(out, "multipleOf", schema.MultipleOf)
	put("exclusiveMinimum", true, schema.ExclusiveMinimum)
	put("exclusiveMaximum", true, schema.ExclusiveMaximum)
	for keyword, limit := range map[string]*int64{
		"minLength": schema.MinLength, "maxLength": schema.MaxLength, "minItems": schema.MinItems,
		"maxItems": schema.MaxItems, "minProperties": schema.MinProperties, "maxProperties": schema.MaxProperties,
	} {
		if limit != nil {
			out[keyword] = int(*limit)
		}
	}
	python := pattern(schema.Pattern)
	put("pattern", python, schema.Pattern != "" && python != "")
	put("uniqueItems", true, schema.UniqueItems)
	listType, _ := schema.Extensions["x-kubernetes-list-type"].(string)
	put("x-kubernetes-list-type", listType, listType == "set")
	keys := schema.Extensions["x-kubernetes-list-map-keys"]
	put("x-kubernetes-list-map-keys", keys, listType == "map" && keys != nil)
	free := schema.Type.Contains("object") && (schema.AdditionalProperties == nil || schema.AdditionalProperties.Schema == nil)
	put("type", "object", free && swagger.Referenced(schema) == "")
	put("x-kubernetes-int-or-string", true, swagger.IsIntOrString(schema))
	if schema.Items != nil && schema.Items.Schema != nil {
		members := m.rules(*schema.Items.Schema)
		put("items", members, members != nil)
	}
	if extra := schema.AdditionalProperties; extra != nil && extra.Schema != nil {
		members := m.rules(*extra.Schema)
		put("additionalProperties", members, members != nil)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func putNumber(out map[string]any, keyword string, limit *float64) {
	if limit != nil {
		out[keyword] = *limit
	}
}

func nullable(schema spec.Schema) bool {
	extension, _ := schema.Extensions.GetBool("x-nullable")
	return extension || schema.Nullable
}

// celRules returns the CEL rules of a definition, under "", and of its properties, by key.
func celRules(schema spec.Schema) map[string]any {
	out := map[string]any{}
	if found, ok := schema.Extensions[cel]; ok {
		out[""] = found
	}
	for _, key := range slices.Sorted(maps.Keys(schema.Properties)) {
		if found, ok := schema.Properties[key].Extensions[cel]; ok {
			out[key] = found
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
