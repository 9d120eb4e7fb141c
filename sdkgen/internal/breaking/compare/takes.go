package compare

import (
	"encoding/json"
	"regexp"
	"slices"
	"unicode/utf8"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/sampler"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/surface"
)

// schemaFor is the schema of a type with what must be set, for the sampler. depth ends types that hold themselves.
func schemaFor(t *model.Type, depth int) *schema {
	if t == nil {
		return &schema{}
	}
	out := &schema{
		Format: t.Format, Pattern: t.Pattern, Minimum: t.Minimum, Maximum: t.Maximum, MultipleOf: t.MultipleOf,
		ExclusiveMinimum: t.ExclusiveMinimum, ExclusiveMaximum: t.ExclusiveMaximum, MinLength: t.MinLength,
		MaxLength: t.MaxLength,
		MinItems:  t.MinItems, MaxItems: t.MaxItems, MinProperties: t.MinProperties, MaxProperties: t.MaxProperties,
	}
	for _, value := range t.Enum {
		if data, err := json.Marshal(value); err == nil {
			out.Enum = append(out.Enum, apiextensionsv1.JSON{Raw: data})
		}
	}
	switch t.Shape {
	case model.String, model.Time:
		out.Type = "string"
	case model.Integer:
		out.Type = "integer"
	case model.Number:
		out.Type = "number"
	case model.Boolean:
		out.Type = "boolean"
	case model.IntOrString:
		out.XIntOrString = true
	case model.Array:
		out.Type, out.Items = "array", &apiextensionsv1.JSONSchemaPropsOrArray{Schema: schemaFor(t.Elem, depth)}
		if t.ListType != "" {
			out.XListType = &t.ListType
		}
	case model.Map:
		out.Type = "object"
		out.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Schema: schemaFor(t.Elem, depth)}
	case model.Object:
		out.Type = "object"
	case model.Reference:
		out.Type, out.Properties = "object", map[string]schema{}
		for _, field := range t.Definition.Fields {
			if field.Mandatory && depth > 0 {
				out.Properties[field.Key], out.Required = *schemaFor(&field.Type, depth-1), append(out.Required, field.Key)
			}
		}
	}
	return out
}

// takes says whether the constructors of the Python SDK take a value for a type.
func takes(t *model.Type, value any) bool {
	if t == nil || t.Shape == model.Any {
		return true
	}
	if len(t.Enum) > 0 && !slices.ContainsFunc(t.Enum, func(one any) bool { return spell(one) == spell(value) }) {
		return false
	}
	switch value := value.(type) {
	case string:
		return takesText(t, value)
	case int64:
		if t.Shape == model.Integer && t.Format == "int32" && value != int64(int32(value)) {
			return false
		}
		return (t.Shape == model.Integer || t.Shape == model.Number || t.Shape == model.IntOrString) &&
			takesNumber(t, float64(value))
	case float64:
		return t.Shape == model.Number && takesNumber(t, value)
	case bool:
		return t.Shape == model.Boolean
	case []any:
		return t.Shape == model.Array && holds(len(value), t.MinItems, t.MaxItems) &&
			!slices.ContainsFunc(value, func(item any) bool { return !takes(t.Elem, item) }) &&
			(t.ListType != "set" || distinct(value))
	case map[string]any:
		return takesObject(t, value)
	}
	return false
}

func distinct(list []any) bool {
	seen := map[string]bool{}
	for _, item := range list {
		seen[spell(item)] = true
	}
	return len(seen) == len(list)
}

func takesText(t *model.Type, text string) bool {
	switch t.Shape {
	case model.Time:
		return text == sampler.Formats["date-time"]
	case model.String, model.IntOrString:
	default:
		return false
	}
	if !holds(utf8.RuneCountInString(text), t.MinLength, t.MaxLength) {
		return false
	}
	pattern, err := regexp.Compile(t.Pattern)
	return err != nil || pattern.MatchString(text)
}

func takesNumber(t *model.Type, number float64) bool {
	if low := t.Minimum; low != nil && (number < *low || t.ExclusiveMinimum && number == *low) {
		return false
	}
	if high := t.Maximum; high != nil && (number > *high || t.ExclusiveMaximum && number == *high) {
		return false
	}
	if t.MultipleOf == nil {
		return true
	}
	times := number / *t.MultipleOf
	return times == float64(int64(times))
}

func takesObject(t *model.Type, object map[string]any) bool {
	smallest, largest := t.MinProperties, t.MaxProperties
	switch t.Shape {
	case model.Object, model.Map:
		for _, value := range object {
			if !takes(t.Elem, value) {
				return false
			}
		}
	case model.Reference:
		for _, field := range t.Definition.Fields {
			value, set := object[field.Key]
			if field.Mandatory && !set || set && !takes(&field.Type, value) {
				return false
			}
		}
		for key := range object {
			if surface.Property(t.Definition.Fields, key) == nil && !t.Definition.Open && !t.Open {
				return false
			}
		}
	default:
		return false
	}
	return holds(len(object), smallest, largest)
}

func holds(n int, smallest, largest *int64) bool {
	return (smallest == nil || int64(n) >= *smallest) && (largest == nil || int64(n) <= *largest)
}

// loses returns a value that the old type takes and the new one does not, a short one; false if none was found.
func loses(old, now *model.Type) (any, bool) {
	var best any
	size := 0
	for _, value := range tried(old, now) {
		n := len(spell(value))
		if value == "" {
			n = 1 << 10 // few programs give it
		}
		if takes(old, value) && !takes(now, value) && (size == 0 || n < size) {
			best, size = value, n
		}
	}
	return best, size > 0
}

// tried are values at and beyond the bounds of both types, and in lists and maps such elements.
func tried(old, now *model.Type) []any {
	if old == nil || now == nil {
		return nil
	}
	before, after := schemaFor(old, sampler.MaxDepth), schemaFor(now, sampler.MaxDepth)
	all := append(append(sampler.Edges(before), sampler.Edges(after)...), sampler.Filled(before))
	switch {
	case old.Shape == model.Array:
		for _, item := range tried(old.Elem, elem(now)) {
			all = append(all, []any{item})
		}
	case old.Shape == model.Map:
		for _, value := range tried(old.Elem, elem(now)) {
			all = append(all, map[string]any{"key": value})
		}
	case old.Shape == model.Number:
		all = append(all, 0.5)
	}
	return all
}

func spell(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(data)
}
