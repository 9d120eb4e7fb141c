package pysdk

import (
	"maps"
	"slices"

	"github.com/go-openapi/spec"

	"github.com/flux-framework/flux-operator/internal/swagger"
)

// sampler makes manifests that generated tests send through the models and back.
type sampler struct {
	doc   *spec.Swagger
	above []string // definitions being made; a recursive one is left empty
}

// object returns a manifest of a definition: with every property, or only with the required ones.
func (s *sampler) object(name string, full bool) map[string]any {
	out := map[string]any{}
	if slices.Contains(s.above, name) {
		return out
	}
	s.above = append(s.above, name)
	defer func() { s.above = s.above[:len(s.above)-1] }()
	s.properties(out, s.doc.Definitions[name], full)
	return out
}

func (s *sampler) properties(out map[string]any, schema spec.Schema, full bool) {
	gvk, isRoot := swagger.KindOf(schema)
	for _, key := range slices.Sorted(maps.Keys(schema.Properties)) {
		switch {
		case !full && !slices.Contains(schema.Required, key):
		case isRoot && key == "kind":
			out[key] = gvk.Kind
		case isRoot && key == "apiVersion":
			out[key] = gvk.GroupVersion().String()
		default:
			out[key] = s.value(key, schema.Properties[key], full)
		}
	}
}

func (s *sampler) value(key string, schema spec.Schema, full bool) any {
	if name := swagger.Referenced(schema); name != "" {
		return s.object(name, full)
	}
	if len(schema.Enum) > 0 {
		return schema.Enum[0]
	}
	switch {
	case swagger.IsIntOrString(schema):
		return 8080
	case schema.Type.Contains("array"):
		if schema.Items == nil || schema.Items.Schema == nil {
			return []any{}
		}
		return []any{s.value(key, *schema.Items.Schema, full)}
	case schema.Type.Contains("object"):
		if extra := schema.AdditionalProperties; extra != nil && extra.Schema != nil {
			return map[string]any{"key": s.value(key, *extra.Schema, full)}
		}
		out := map[string]any{}
		s.properties(out, schema, full)
		return out
	case schema.Type.Contains("boolean"):
		return true
	case schema.Type.Contains("integer"):
		return 7
	case schema.Type.Contains("number"):
		return 1.5
	case schema.Format == "date-time":
		return "2026-01-02T03:04:05Z"
	case schema.Type.Contains("string"):
		return key
	}
	return key
}
