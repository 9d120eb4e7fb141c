package python

import (
	"fmt"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

// sampling makes manifests that generated tests send through the models and back.
type sampling struct {
	above   []*model.Definition // those being made
	invalid bool                // a constraint was met that no value was found for
}

// sample returns a manifest of a definition. A full one has every property; the models in it,
// which have tests of their own, have the mandatory ones only.
func (s *sampling) sample(definition *model.Definition, full bool) map[string]any {
	out := map[string]any{}
	if s.depth(definition) > 1 { // inside two of its own kind it has nothing
		return out
	}
	s.above = append(s.above, definition)
	defer func() { s.above = s.above[:len(s.above)-1] }()
	for _, field := range definition.Fields {
		switch root := definition.Root; {
		case !full && !field.Mandatory:
		case root != nil && field.Key == "kind":
			out[field.Key] = root.Kind
		case root != nil && field.Key == "apiVersion":
			out[field.Key] = root.GroupVersion().String()
		default:
			out[field.Key] = s.value(field.Key, &field.Type)
		}
	}
	return out
}

// depth counts how often a definition is being made.
func (s *sampling) depth(definition *model.Definition) int {
	n := 0
	for _, other := range s.above {
		if other == definition {
			n++
		}
	}
	return n
}

func (s *sampling) value(key string, t *model.Type) any {
	if t.Shape == model.Reference {
		return s.reference(t.Definition)
	}
	if len(t.Enum) > 0 {
		return t.Enum[0]
	}
	switch t.Shape {
	case model.IntOrString:
		if t.Pattern != "" {
			return s.text(key, t)
		}
		return 8080
	case model.Array:
		return s.list(key, t)
	case model.Map, model.Object:
		return s.object(key, t)
	case model.Boolean:
		return true
	case model.Integer:
		return int(s.number(t, 7))
	case model.Number:
		return s.number(t, 1.5)
	case model.Time:
		return "2026-01-02T03:04:05Z"
	}
	return s.text(key, t)
}

func (s *sampling) reference(target *model.Definition) any {
	// Kubernetes' own classes have no tests here; one level of them is read.
	out := s.sample(target, len(s.above) == 1 && target.Kubernetes)
	if least := target.MinProperties; least != nil && int64(len(out)) < *least {
		out = s.sample(target, true)
	}
	s.invalid = s.invalid || within(int64(len(out)), target.MinProperties, target.MaxProperties) != int64(len(out))
	return out
}

// ended says whether elements of a type are left out: it is not known, or is made twice already.
func (s *sampling) ended(elem *model.Type) bool {
	return elem == nil || elem.Shape == model.Reference && s.depth(elem.Definition) > 1
}

func (s *sampling) list(key string, t *model.Type) any {
	if s.ended(t.Elem) {
		s.invalid = s.invalid || t.MinItems != nil && *t.MinItems > 0
		return []any{}
	}
	size := within(1, t.MinItems, t.MaxItems)
	s.invalid = s.invalid || size > 1 // the items are alike, which a set refuses
	items := []any{}
	for range size {
		items = append(items, s.value(key, t.Elem))
	}
	return items
}

func (s *sampling) object(key string, t *model.Type) any {
	out := map[string]any{}
	for _, field := range t.Fields {
		out[field.Key] = s.value(field.Key, &field.Type)
	}
	if t.Elem == nil {
		return out
	}
	if s.ended(t.Elem) {
		s.invalid = s.invalid || t.MinProperties != nil && *t.MinProperties > 0
		return out
	}
	for i := range within(1, t.MinProperties, t.MaxProperties) {
		out["key"+fmt.Sprint(i)] = s.value(key, t.Elem)
	}
	return out
}

// number returns a number that the type allows, the wanted one if it does.
func (s *sampling) number(t *model.Type, expected float64) float64 {
	step := 1.0
	if t.MultipleOf != nil {
		step = *t.MultipleOf
		expected = step
	}
	if limit := t.Minimum; limit != nil && (expected < *limit || expected == *limit && t.ExclusiveMinimum) {
		expected = *limit
		if t.ExclusiveMinimum || t.MultipleOf != nil {
			expected = step * float64(int(*limit/step)+1)
		}
	}
	if limit := t.Maximum; limit != nil && (expected > *limit || expected == *limit && t.ExclusiveMaximum) {
		expected = *limit
		if t.ExclusiveMaximum || t.MultipleOf != nil {
			expected = step * float64(int(*limit/step)-1)
		}
		s.invalid = s.invalid || t.Minimum != nil && expected < *t.Minimum
	}
	return expected
}

// within returns the wanted size, or the nearest that is allowed.
func within(expected int64, smallest, largest *int64) int64 {
	if smallest != nil {
		expected = max(expected, *smallest)
	}
	if largest != nil {
		expected = min(expected, *largest)
	}
	return expected
}
