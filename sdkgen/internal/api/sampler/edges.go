package sampler

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// At returns the schema that steps lead to, nil if there is none.
func At(s *Schema, steps []string) *Schema {
	for _, step := range steps {
		switch {
		case s == nil:
			return nil
		case step == ItemStep:
			s = Items(s)
		case step == ValueStep:
			s = Values(s)
		default:
			below, ok := s.Properties[step]
			if !ok {
				return nil
			}
			s = &below
		}
	}
	return s
}

// Open reports whether unknown fields of an object are kept.
func Open(s *Schema) bool {
	values := s.AdditionalProperties != nil && s.AdditionalProperties.Schema == nil && s.AdditionalProperties.Allows
	return values || s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
}

// Edges returns values at the bounds of a schema and one beyond.
func Edges(s *Schema) []any {
	var values []any
	for i := range s.Enum {
		values = append(values, Decode(s.Enum[i]))
	}
	if s.Default != nil {
		values = append(values, Decode(*s.Default))
	}
	for _, bound := range []*float64{s.Minimum, s.Maximum} {
		for delta := -1.0; bound != nil && delta <= 1; delta++ {
			values = append(values, Integers(*bound+delta))
		}
	}
	if s.Format == "int32" {
		values = append(values, int64(1)<<31, -(int64(1)<<31)-1)
	}
	for _, bound := range []*int64{s.MinLength, s.MaxLength} {
		for delta := int64(-1); bound != nil && s.Type == "string" && delta <= 1; delta++ {
			values = append(values, strings.Repeat("a", int(min(max(0, *bound+delta), 1<<20))))
		}
	}
	for _, bound := range []*int64{s.MinItems, s.MaxItems} {
		for delta := int64(-1); bound != nil && delta <= 1; delta++ {
			values = append(values, differentItems(s, *bound+delta))
		}
	}
	if s.Nullable {
		values = append(values, nil)
	}
	switch s.Type {
	case "string":
		values = append(values, "", "x y")
	case "integer", "number":
		values = append(values, int64(0), int64(-1), int64(1))
	case "array":
		values = append(values, []any{}, differentItems(s, 2))
	case "object":
		values = append(values, map[string]any{})
		if inner := Values(s); inner != nil {
			values = append(values, map[string]any{"key": Filled(inner)})
		}
		if Open(s) {
			values = append(values, map[string]any{"unknown": "value"})
		}
	case "":
		values = append(values, "text", int64(1))
	}
	return values
}

// differentItems returns a list of that many items, which differ in their keys, or, of a set, as a whole.
func differentItems(s *Schema, n int64) any {
	list := []any{}
	for range min(max(0, n), 4096) {
		if item := Items(s); item != nil {
			list = append(list, numbered(Filled(item), s, len(list)))
		}
	}
	return list
}

// Filled returns a value with nothing optional.
func Filled(s *Schema) any {
	return (&Sampler{Rand: rand.New(rand.NewPCG(3, 4))}).Value(s, nil, false, MaxDepth)
}

// numbered makes an item of a list differ from others.
func numbered(value any, list *Schema, n int) any {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range list.XListMapKeys {
			value[key] = numbered(value[key], &Schema{XListType: new("set")}, n)
		}
	case string:
		if list.XListType != nil && *list.XListType == "set" {
			return fmt.Sprintf("%s%d", value, n)
		}
	case int64:
		if list.XListType != nil && *list.XListType == "set" {
			return value + int64(n)
		}
	}
	return value
}
