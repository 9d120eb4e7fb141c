// Package sampler makes random objects of the schemas of custom resources.
package sampler

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Schema is the schema of a value, as a CustomResourceDefinition has it.
type Schema = apiextensionsv1.JSONSchemaProps

// Steps of a path in a schema that are no property.
const (
	ItemStep  = "[]" // an item of a list
	ValueStep = "{}" // a value of a map
)

// Sampler makes random objects of a schema. They meet its types, enumerations and bounds, and most patterns; CEL rules
// and compositions are met by chance, so each has to be validated.
type Sampler struct {
	*rand.Rand
	Fill  float64  // how likely an optional field is set
	Long  int      // how often to repeat what a pattern lets repeat without a limit; 0 for a few times
	Focus []string // steps to the value that At gives
	At    func(s *Schema) (value any, ok bool)
}

// MaxDepth is how deep optional fields are set that are not on the way to the focus.
const MaxDepth = 6

// Object returns an object of a kind.
func (s *Sampler) Object(sc *Schema, apiVersion, kind string) map[string]any {
	object, ok := s.Value(sc, s.Focus, true, 0).(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	object["apiVersion"], object["kind"] = apiVersion, kind
	object["metadata"] = map[string]any{"name": "witness"}
	return object
}

// Value returns a value; steps are what is left of the way to the focus, if it is below.
func (s *Sampler) Value(sc *Schema, steps []string, focused bool, depth int) any {
	if focused && len(steps) == 0 && s.At != nil {
		if value, ok := s.At(sc); ok {
			return value
		}
	}
	sc = s.resolve(sc)
	switch {
	case len(sc.Enum) > 0:
		return Decode(sc.Enum[s.IntN(len(sc.Enum))])
	case sc.XIntOrString:
		if sc.Pattern == "" || s.IntN(2) == 0 {
			return int64(1 + s.IntN(3))
		}
		return s.text(sc)
	}
	switch sc.Type {
	case "object":
		return s.members(sc, steps, focused, depth)
	case "array":
		return s.items(sc, steps, focused, depth)
	case "string":
		return s.text(sc)
	case "integer":
		return int64(s.number(sc))
	case "number":
		return s.number(sc)
	case "boolean":
		return s.IntN(2) == 0
	}
	return map[string]any{}
}

// Absent stands for a value that is left out.
type Absent struct{}

func (s *Sampler) members(sc *Schema, steps []string, focused bool, depth int) any {
	object := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(sc.Properties)) {
		on := focused && len(steps) > 0 && steps[0] == key
		few := sc.MinProperties != nil && int64(len(object)) < *sc.MinProperties
		expected := on || few || slices.Contains(sc.Required, key) || depth < MaxDepth && s.Float64() < s.Fill
		if key == "status" && depth == 0 {
			expected = on
		}
		if !expected {
			continue
		}
		below := sc.Properties[key]
		var rest []string
		if on {
			rest = steps[1:]
		}
		if value := s.Value(&below, rest, on, depth+1); value != (any)(Absent{}) {
			object[key] = value
		}
	}
	if sc.XEmbeddedResource && depth > 0 {
		object["apiVersion"], object["kind"], object["metadata"] = "v1", "Pod", map[string]any{"name": "inner"}
	}
	values := Values(sc)
	on := focused && len(steps) > 0 && steps[0] == ValueStep
	n := 0
	if sc.MinProperties != nil {
		n = int(*sc.MinProperties)
	}
	for i := len(object); values != nil && (i < n || on && len(object) == 0); i++ {
		var rest []string
		if on {
			rest = steps[1:]
		}
		value := s.Value(values, rest, on, depth+1)
		if value == any(Absent{}) {
			break
		}
		object[fmt.Sprintf("k%d", i)] = value
	}
	return object
}

func (s *Sampler) items(sc *Schema, steps []string, focused bool, depth int) any {
	list := []any{}
	item := Items(sc)
	on := focused && len(steps) > 0 && steps[0] == ItemStep
	n := 0
	if sc.MinItems != nil {
		n = int(*sc.MinItems)
	}
	if n == 0 && (on || s.Float64() < s.Fill) {
		n = 1
	}
	for i := 0; item != nil && i < min(n, 64); i++ {
		var rest []string
		if on {
			rest = steps[1:]
		}
		if value := s.Value(item, rest, on && i == 0, depth+1); value != any(Absent{}) {
			list = append(list, value)
		}
	}
	return list
}

// resolve adds to a schema one branch of each of its compositions.
func (s *Sampler) resolve(sc *Schema) *Schema {
	if len(sc.AllOf)+len(sc.AnyOf)+len(sc.OneOf) == 0 || sc.XIntOrString {
		return sc
	}
	out := *sc
	add := func(branch Schema) {
		out.Required = append(slices.Clone(out.Required), branch.Required...)
		if len(branch.Enum) > 0 {
			out.Enum = branch.Enum
		}
		if branch.Pattern != "" {
			out.Pattern = branch.Pattern
		}
		for key, below := range branch.Properties {
			if len(below.Enum) > 0 {
				own := out.Properties[key]
				own.Enum = below.Enum
				out.Properties = maps.Clone(out.Properties)
				out.Properties[key] = own
			}
		}
	}
	for _, branch := range sc.AllOf {
		add(branch)
	}
	for _, branches := range [][]Schema{sc.AnyOf, sc.OneOf} {
		if len(branches) > 0 {
			add(branches[s.IntN(len(branches))])
		}
	}
	return &out
}

func (s *Sampler) number(sc *Schema) float64 {
	low, high := 0.0, 100.0
	if sc.Minimum != nil {
		low = *sc.Minimum
		high = max(high, low+100)
	}
	if sc.Maximum != nil {
		high = *sc.Maximum
		low = min(low, high)
	}
	step := 1.0
	if sc.MultipleOf != nil {
		step = *sc.MultipleOf
	}
	for _, bound := range []bool{s.IntN(3) == 0, s.IntN(2) == 0} {
		if bound && !sc.ExclusiveMinimum {
			return low
		}
	}
	value := low + step*float64(1+s.IntN(max(1, int(min(1e6, (high-low)/step)))))
	return min(value, high)
}

// Formats are values of the formats that the API server checks.
var Formats = map[string]string{
	"date-time": "2020-01-02T03:04:05Z", "date": "2020-01-02", "duration": "1h0m0s", "byte": "YQ==",
	"uuid":  "123e4567-e89b-12d3-a456-426614174000",
	"uuid3": "123e4567-e89b-32d3-a456-426614174000", "uuid4": "123e4567-e89b-42d3-a456-426614174000",
	"uuid5": "123e4567-e89b-52d3-a456-426614174000",
	"ipv4":  "10.0.0.1", "ipv6": "::1", "cidr": "10.0.0.0/8", "email": "a@example.org", "hostname": "example.org",
	"uri": "https://example.org/", "mac": "00:00:5e:00:53:01",
}

func (s *Sampler) text(sc *Schema) string {
	if value, ok := Formats[sc.Format]; ok && sc.Pattern == "" {
		return value
	}
	if sc.Pattern != "" {
		if value, ok := s.Match(sc.Pattern); ok {
			return value
		}
	}
	length := 1 + s.IntN(3)
	if sc.MinLength != nil {
		length = max(length, int(*sc.MinLength))
	}
	if sc.MaxLength != nil {
		length = min(length, int(*sc.MaxLength))
	}
	return strings.Repeat("a", max(0, length-1)) + strings.Repeat(string(rune('a'+s.IntN(26))), min(1, length))
}

// Decode returns a value as the API server decodes it.
func Decode(value apiextensionsv1.JSON) any {
	var decoded any
	if err := json.Unmarshal(value.Raw, &decoded); err != nil {
		return nil
	}
	return Integers(decoded)
}

// Integers turns whole numbers into int64, as the API server decodes them.
func Integers(value any) any {
	switch value := value.(type) {
	case float64:
		if value == float64(int64(value)) {
			return int64(value)
		}
	case []any:
		for i := range value {
			value[i] = Integers(value[i])
		}
	case map[string]any:
		for key := range value {
			value[key] = Integers(value[key])
		}
	}
	return value
}

// Items returns the schema of a list's items, nil if there is none.
func Items(s *Schema) *Schema {
	if s.Items == nil {
		return nil
	}
	return s.Items.Schema
}

// Values returns the schema of a map's values, nil if there is none.
func Values(s *Schema) *Schema {
	if s.AdditionalProperties == nil {
		return nil
	}
	return s.AdditionalProperties.Schema
}
