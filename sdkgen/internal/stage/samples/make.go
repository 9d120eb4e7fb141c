package samples

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/sampler"
)

type schema = sampler.Schema

// maxItems ends lists and maps that ask for more elements than a sample should have.
const maxItems = 16

// sample makes the least object and adds to it until the API server accepts it.
func (k *kind) sample() (*Sample, error) {
	if err := checkExamples(k.schema, nil); err != nil {
		return nil, err
	}
	object := map[string]any{
		"apiVersion": k.apiVersion(), "kind": k.definition.Spec.Names.Kind,
		"metadata": map[string]any{"name": strings.ToLower(k.definition.Spec.Names.Kind) + "-sample"},
	}
	for _, key := range slices.Sorted(maps.Keys(k.schema.Properties)) {
		if _, ok := object[key]; ok || key == "status" {
			continue
		}
		property := k.schema.Properties[key]
		if key == "spec" || wanted(k.schema, key, &property) {
			object[key] = value(&property, key)
		}
	}
	found, err := k.repair(object)
	if err != nil {
		return nil, err
	}
	return &Sample{Object: found}, nil
}

// wanted says whether a sample has a property.
func wanted(owner *schema, key string, property *schema) bool {
	return slices.Contains(owner.Required, key) && property.Default == nil || exemplified(property)
}

// exemplified says whether there is an example in a schema.
func exemplified(s *schema) bool {
	if s == nil {
		return false
	}
	if s.Example != nil {
		return true
	}
	for _, property := range s.Properties {
		if exemplified(&property) {
			return true
		}
	}
	return exemplified(sampler.Items(s)) || exemplified(sampler.Values(s))
}

// value returns a value of a schema for a property of that name.
func value(s *schema, key string) any {
	switch {
	case s.Example != nil:
		return sampler.Decode(*s.Example)
	case s.Default != nil && s.Type != "object":
		return sampler.Decode(*s.Default)
	}
	s = resolve(s)
	switch {
	case len(s.Enum) > 0:
		return enumerated(s)
	case s.XIntOrString:
		return int64(1)
	}
	switch s.Type {
	case "object":
		return members(s, key)
	case "array":
		return list(s, key)
	case "string":
		return words(s, key)[0]
	case "integer":
		return int64(number(s, key))
	case "number":
		return number(s, key)
	case "boolean":
		return false
	}
	return map[string]any{}
}

// enumerated returns the first value of an enumeration, not "" if there is another.
func enumerated(s *schema) any {
	for i := range s.Enum {
		if value := sampler.Decode(s.Enum[i]); value != "" && value != nil {
			return value
		}
	}
	return sampler.Decode(s.Enum[0])
}

func members(s *schema, key string) map[string]any {
	object := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		if wanted(s, name, &property) {
			object[name] = value(&property, name)
		}
	}
	if s.XEmbeddedResource {
		object["apiVersion"], object["kind"], object["metadata"] = "v1", "ConfigMap", map[string]any{"name": "sample"}
	}
	if below := sampler.Values(s); below != nil {
		for i := range bounded(1, s.MinProperties, s.MaxProperties) {
			object[numbered("key", i)] = value(below, key)
		}
	}
	return object
}

func list(s *schema, key string) []any {
	list := []any{}
	if below := sampler.Items(s); below != nil {
		for i := range bounded(1, s.MinItems, s.MaxItems) {
			list = append(list, value(below, numbered(strings.TrimSuffix(key, "s"), i)))
		}
	}
	return list
}

// numbered makes the names of several elements differ.
func numbered(name string, i int) string {
	if i == 0 {
		return name
	}
	return fmt.Sprintf("%s%d", name, i+1)
}

func bounded(expected int, low, high *int64) int {
	if low != nil {
		expected = max(expected, int(*low))
	}
	if high != nil {
		expected = min(expected, int(*high))
	}
	return min(expected, maxItems)
}

// resolve adds to a schema what its compositions ask for: all of allOf, the first of anyOf and oneOf.
func resolve(s *schema) *schema {
	if len(s.AllOf)+len(s.AnyOf)+len(s.OneOf) == 0 || s.XIntOrString {
		return s
	}
	out := *s
	branches := slices.Clone(s.AllOf)
	for _, target := range [][]schema{s.AnyOf, s.OneOf} {
		if len(target) > 0 {
			branches = append(branches, target[0])
		}
	}
	for _, branch := range branches {
		out.Required = slices.Concat(out.Required, branch.Required)
		if len(branch.Enum) > 0 {
			out.Enum = branch.Enum
		}
		if branch.Pattern != "" {
			out.Pattern = branch.Pattern
		}
	}
	return &out
}

// number returns 1, or 8080 for a port, or what is closest to it within the bounds.
func number(s *schema, key string) float64 {
	step := 1.0
	if s.MultipleOf != nil && *s.MultipleOf > 0 {
		step = *s.MultipleOf
	}
	expected := max(1, step)
	if strings.HasSuffix(strings.ToLower(key), "port") {
		expected = math.Ceil(8080/step) * step
	}
	if low := s.Minimum; low != nil && (expected < *low || s.ExclusiveMinimum && expected == *low) {
		if expected = math.Ceil(*low/step) * step; s.ExclusiveMinimum && expected == *low {
			expected += step
		}
	}
	if high := s.Maximum; high != nil && (expected > *high || s.ExclusiveMaximum && expected == *high) {
		if expected = math.Floor(*high/step) * step; s.ExclusiveMaximum && expected == *high {
			expected -= step
		}
	}
	return expected
}

// words returns strings of a schema that a rule may accept, the best first.
func words(s *schema, key string) []any {
	limits := sampler.Limits{Pattern: s.Pattern, MinLength: s.MinLength, MaxLength: s.MaxLength}
	if value, ok := sampler.Formats[s.Format]; ok && limits.Allow(value) {
		return []any{value}
	}
	var fitting []any
	add := func(word string) {
		if limits.Allow(word) && !slices.Contains(fitting, any(word)) {
			fitting = append(fitting, word)
		}
	}
	for _, usual := range usualWords {
		if key == usual.key || strings.HasSuffix(key, strings.ToUpper(usual.key[:1])+usual.key[1:]) {
			add(usual.word)
		}
	}
	add(kebab(key))
	for _, usual := range usualWords {
		add(usual.word)
	}
	if len(fitting) == 0 {
		word, _ := sampler.Text(kebab(key), limits) // the API server's errors tell if there is none
		fitting = append(fitting, word)
	}
	return fitting
}

// usualWords are what fields of common names hold, and what CEL rules often ask of strings.
var usualWords = []struct{ key, word string }{
	{"name", "sample"}, {"group", "example.org"}, {"apiGroup", "apps"}, {"apiVersion", "apps/v1"}, {"kind", "Deployment"},
	{"controllerName", "example.org/sample"}, {"protocol", "TCP"},
	{"namespace", "default"}, {"image", "registry.example.org/sample:1.0"}, {"host", "example.org"},
	{"hostname", "example.org"},
	{"url", "https://example.org/"}, {"uri", "https://example.org/"}, {"URL", "https://example.org/"}, {"path", "/sample"},
	{"size", "1Gi"}, {"duration", "1h"},
	{"timeout", "1h"}, {"interval", "1h"}, {"ip", "10.0.0.1"}, {"cidr", "10.0.0.0/8"}, {"email", "sample@example.org"},
	{"version", "1.0.0"}, {"schedule", "0 0 * * *"},
}

// kebab spells a field's name as a name that the API server takes: secretName is secret-name.
func kebab(key string) string {
	var b strings.Builder
	for i, r := range key {
		upper := r >= 'A' && r <= 'Z'
		if upper && i > 0 && key[i-1] >= 'a' && key[i-1] <= 'z' {
			b.WriteByte('-')
		}
		if upper {
			r += 'a' - 'A'
		}
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		}
	}
	if b.Len() == 0 {
		return "sample"
	}
	return b.String()
}
