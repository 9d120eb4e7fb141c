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
	above []string // definitions being made
}

// object returns a manifest of a definition: with every property, or only with the required
// ones. Inside one of its own kind it has the required ones, and inside two nothing.
func (s *sampler) object(name string, full bool) map[string]any {
	out := map[string]any{}
	depth := s.depth(name)
	if depth > 1 {
		return out
	}
	s.above = append(s.above, name)
	defer func() { s.above = s.above[:len(s.above)-1] }()
	s.properties(out, s.doc.Definitions[name], full && depth == 0)
	return out
}

// depth counts the definitions of a name that are being made.
func (s *sampler) depth(name string) int {
	n := 0
	for _, other := range s.above {
		if other == name {
			n++
		}
	}
	return n
}

func (s *sampler) properties(out map[string]any, schema spec.Schema, full bool) {
	gvk, isRoot := swagger.KindOf(schema)
	for _, key := range slices.Sorted(maps.Keys(schema.Properties)) {
		switch {
		case !full && !required(schema, key):
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
		if schema.Items == nil || schema.Items.Schema == nil || s.depth(swagger.Referenced(*schema.Items.Schema)) > 1 {
			return []any{}
		}
		return []any{s.value(key, *schema.Items.Schema, full)}
	case schema.Type.Contains("object"):
		if extra := schema.AdditionalProperties; extra != nil && extra.Schema != nil {
			if s.depth(swagger.Referenced(*extra.Schema)) > 1 {
				return map[string]any{}
			}
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
