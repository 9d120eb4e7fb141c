package pysdk

import (
	"fmt"
	"maps"
	"slices"

	"github.com/go-openapi/spec"

	"github.com/flux-framework/flux-operator/sdkgen/internal/swagger"
)

// sampler makes manifests that generated tests send through the models and back.
type sampler struct {
	doc     *spec.Swagger
	above   []string // definitions being made
	invalid bool     // a constraint was met that no value was found for
}

// sample returns a manifest of a definition. A full one has every property; the models in it,
// which have tests of their own, have the required ones only.
func (s *sampler) sample(name string, full bool) map[string]any {
	out := map[string]any{}
	if s.depth(name) > 1 { // inside two of its own kind it has nothing
		return out
	}
	s.above = append(s.above, name)
	defer func() { s.above = s.above[:len(s.above)-1] }()
	s.properties(out, s.doc.Definitions[name], full)
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
			out[key] = s.value(key, schema.Properties[key])
		}
	}
}

func (s *sampler) value(key string, schema spec.Schema) any {
	if name := swagger.Referenced(schema); name != "" {
		// Kubernetes' own classes have no tests here; one level of them is read.
		target := s.doc.Definitions[name]
		out := s.sample(name, len(s.above) == 1 && swagger.IsKubernetes(target))
		if least := target.MinProperties; least != nil && int64(len(out)) < *least {
			out = s.sample(name, true)
		}
		s.invalid = s.invalid || within(int64(len(out)), target.MinProperties, target.MaxProperties) != int64(len(out))
		return out
	}
	if len(schema.Enum) > 0 {
		return schema.Enum[0]
	}
	switch {
	case swagger.IsIntOrString(schema):
		if schema.Pattern != "" {
			return s.text(key, schema)
		}
		return 8080
	case schema.Type.Contains("array"):
		return s.list(key, schema)
	case schema.Type.Contains("object"):
		return s.object(key, schema)
	case schema.Type.Contains("boolean"):
		return true
	case schema.Type.Contains("integer"):
		return int(s.number(schema, 7))
	case schema.Type.Contains("number"):
		return s.number(schema, 1.5)
	case schema.Format == "date-time":
		return "2026-01-02T03:04:05Z"
	}
	return s.text(key, schema)
}

func (s *sampler) list(key string, schema spec.Schema) any {
	if schema.Items == nil || schema.Items.Schema == nil || s.depth(swagger.Referenced(*schema.Items.Schema)) > 1 {
		s.invalid = s.invalid || schema.MinItems != nil && *schema.MinItems > 0
		return []any{}
	}
	size := within(1, schema.MinItems, schema.MaxItems)
	s.invalid = s.invalid || size > 1 // the items are alike, which a set refuses
	items := []any{}
	for range size {
		items = append(items, s.value(key, *schema.Items.Schema))
	}
	return items
}

func (s *sampler) object(key string, schema spec.Schema) any {
	out := map[string]any{}
	extra := schema.AdditionalProperties
	if extra == nil || extra.Schema == nil {
		s.properties(out, schema, true)
		return out
	}
	if s.depth(swagger.Referenced(*extra.Schema)) > 1 {
		s.invalid = s.invalid || schema.MinProperties != nil && *schema.MinProperties > 0
		return out
	}
	for i := range within(1, schema.MinProperties, schema.MaxProperties) {
		out["key"+fmt.Sprint(i)] = s.value(key, *extra.Schema)
	}
	return out
}

// number returns a number that the schema allows, the wanted one if it does.
func (s *sampler) number(schema spec.Schema, wanted float64) float64 {
	step := 1.0
	if schema.MultipleOf != nil {
		step = *schema.MultipleOf
		wanted = step
	}
	if limit := schema.Minimum; limit != nil && (wanted < *limit || wanted == *limit && schema.ExclusiveMinimum) {
		wanted = *limit
		if schema.ExclusiveMinimum || schema.MultipleOf != nil {
			wanted = step * float64(int(*limit/step)+1)
		}
	}
	if limit := schema.Maximum; limit != nil && (wanted > *limit || wanted == *limit && schema.ExclusiveMaximum) {
		wanted = *limit
		if schema.ExclusiveMaximum || schema.MultipleOf != nil {
			wanted = step * float64(int(*limit/step)-1)
		}
		s.invalid = s.invalid || schema.Minimum != nil && wanted < *schema.Minimum
	}
	return wanted
}

// within returns the wanted size, or the nearest that is allowed.
func within(wanted int64, smallest, largest *int64) int64 {
	if smallest != nil {
		wanted = max(wanted, *smallest)
	}
	if largest != nil {
		wanted = min(wanted, *largest)
	}
	return wanted
}
