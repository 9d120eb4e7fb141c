package python

import (
	"cmp"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

// rules returns the constraints of a type by the keywords of an OpenAPI schema, those of its elements
// under items or additionalProperties; empty if there are none. A pattern is Python's. How many
// properties a model may have, and that it may have unknown ones, is a constraint where it is referred to.
func rules(t *model.Type) map[string]any {
	out := map[string]any{}
	if t == nil {
		return out
	}
	put := func(keyword string, value any, ok bool) {
		if ok {
			out[keyword] = value
		}
	}
	put("nullable", true, t.Nullable)
	put("enum", t.Enum, len(t.Enum) > 0)
	put("exclusiveMinimum", true, t.ExclusiveMinimum)
	put("exclusiveMaximum", true, t.ExclusiveMaximum)
	put("uniqueItems", true, t.UniqueItems)
	putLimits(out, t)
	python := pattern(t.Pattern)
	put("pattern", python, t.Pattern != "" && python != "")
	put("x-kubernetes-list-type", t.ListType, t.ListType == "set")
	var mapKeys []any
	for _, key := range t.MapKeys {
		mapKeys = append(mapKeys, key)
	}
	put("x-kubernetes-list-map-keys", mapKeys, t.ListType == "map" && t.MapKeys != nil)
	put("x-kubernetes-int-or-string", true, t.Shape == model.IntOrString)
	put("format", t.Format, t.Shape == model.Integer && t.Format != "")
	put("x-kubernetes-preserve-unknown-fields", true, t.Shape == model.Reference && (t.Open || t.Definition.Open))
	elements := rules(t.Elem)
	switch t.Shape {
	case model.Object, model.Map:
		put("type", "object", t.Elem == nil)
		put("additionalProperties", elements, len(elements) > 0)
	case model.Array:
		put("items", elements, len(elements) > 0)
	}
	return out
}

func putLimits(out map[string]any, t *model.Type) {
	for keyword, limit := range map[string]*float64{"minimum": t.Minimum, "maximum": t.Maximum,
		"multipleOf": t.MultipleOf} {
		if limit != nil {
			out[keyword] = *limit
		}
	}
	smallest, largest := t.MinProperties, t.MaxProperties
	if t.Shape == model.Reference {
		smallest, largest = cmp.Or(smallest, t.Definition.MinProperties), cmp.Or(largest, t.Definition.MaxProperties)
	}
	for keyword, limit := range map[string]*int64{
		"minLength": t.MinLength, "maxLength": t.MaxLength, "minItems": t.MinItems, "maxItems": t.MaxItems,
		"minProperties": smallest, "maxProperties": largest,
	} {
		if limit != nil {
			out[keyword] = int(*limit)
		}
	}
}

// celRules returns the CEL rules of a definition, under "", and of its fields, by key.
func celRules(definition *model.Definition) map[string]any {
	out := map[string]any{}
	put := func(key string, rules apiextensionsv1.ValidationRules) {
		var list []any
		for _, rule := range rules {
			list = append(list, celRule(rule))
		}
		if list != nil {
			out[key] = list
		}
	}
	put("", definition.CEL)
	for _, field := range definition.Fields {
		put(field.Key, field.CEL)
	}
	return out
}

// celRule returns a rule by the keywords of the CRD.
func celRule(rule apiextensionsv1.ValidationRule) map[string]any {
	out := map[string]any{"rule": rule.Rule}
	for keyword, text := range map[string]string{
		"message": rule.Message, "messageExpression": rule.MessageExpression, "fieldPath": rule.FieldPath,
	} {
		if text != "" {
			out[keyword] = text
		}
	}
	if rule.Reason != nil {
		out["reason"] = string(*rule.Reason)
	}
	if rule.OptionalOldSelf != nil {
		out["optionalOldSelf"] = *rule.OptionalOldSelf
	}
	return out
}
