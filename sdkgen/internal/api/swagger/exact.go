package swagger

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/go-openapi/spec"
)

// exact decodes a JSON value. Numbers are float64, as everywhere in a document, but integers
// that a float64 may not hold are json.Number.
func exact(data []byte) (any, error) {
	var value any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&value); err != nil {
		return nil, err
	}
	return exactFloats(value), nil
}

// maxExact is the largest integer up to which float64 holds every one.
const maxExact = 1 << 53

// exactFloats turns the json.Numbers in a decoded value into float64, where that changes nothing.
func exactFloats(value any) any {
	switch value := value.(type) {
	case json.Number:
		i, err := value.Int64()
		f, floatErr := value.Float64()
		isInteger := !strings.ContainsAny(string(value), ".eE")
		if floatErr != nil || isInteger && (err != nil || i > maxExact || i < -maxExact) {
			return value
		}
		return f
	case []any:
		for i, item := range value {
			value[i] = exactFloats(item)
		}
	case map[string]any:
		for key, item := range value {
			value[key] = exactFloats(item)
		}
	}
	return value
}

// restore sets the default and enum of a schema, and of all below it, to the exact values in
// the JSON that it was decoded from.
func restore(s *spec.Schema, raw any) {
	source, ok := raw.(map[string]any)
	if !ok {
		return
	}
	if value, ok := source["default"]; ok {
		s.Default = value
	}
	if values, ok := source["enum"].([]any); ok {
		s.Enum = values
	}
	properties, _ := source["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		restore(&property, properties[name])
		s.Properties[name] = property
	}
	if s.Items != nil && s.Items.Schema != nil {
		restore(s.Items.Schema, source["items"])
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		restore(s.AdditionalProperties.Schema, source["additionalProperties"])
	}
	parts, _ := source["allOf"].([]any)
	for i := range min(len(parts), len(s.AllOf)) {
		restore(&s.AllOf[i], parts[i])
	}
}
