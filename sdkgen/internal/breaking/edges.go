package breaking

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/sampler"
)

// candidate returns what makes the value at the change in the object with a number: in every other one a value at or
// beyond a bound of either schema, one that CEL rules name, or none at all, and any in the others.
func (p *prover) candidate(change *Change) func(number int) func(*schema) (any, bool) {
	var choices []any
	return func(number int) func(*schema) (any, bool) {
		return func(before *schema) (any, bool) {
			if number%2 == 1 {
				return nil, false
			}
			if choices == nil {
				choices = p.choices(before, find(p.after, change.steps))
			}
			choice := choices[(number/2)%len(choices)]
			if choice == any(sampler.Absent{}) {
				return choice, true
			}
			return runtime.DeepCopyJSONValue(choice), true
		}
	}
}

// choices are the values that candidate gives; after is nil for a value that the new schema does not have.
func (p *prover) choices(before, after *schema) []any {
	choices, said := append([]any{sampler.Absent{}}, edges(before)...), p.said
	if after != nil {
		choices = append(append(choices, tooLong(before, after)...), edges(after)...)
		said = append(texts(after), said...)
	}
	for _, value := range said {
		if before.Type == "array" {
			value = []any{value}
		}
		choices = append(choices, value)
	}
	return choices
}

// tooLong is a text that the old pattern allows and that is longer than what is allowed now.
func tooLong(before, after *schema) []any {
	if before.Pattern == "" || after.MaxLength == nil || *after.MaxLength > 1<<16 {
		return nil
	}
	s := &sampler.Sampler{Rand: rand.New(rand.NewPCG(5, 6)), Long: int(*after.MaxLength) + 1}
	if text, ok := s.Match(before.Pattern); ok {
		return []any{text}
	}
	return nil
}

// find returns the schema that steps lead to, nil if there is none.
func find(s *schema, steps []string) *schema {
	for _, step := range steps {
		switch {
		case s == nil:
			return nil
		case step == sampler.ItemStep:
			s = sampler.Items(s)
		case step == sampler.ValueStep:
			s = sampler.Values(s)
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

// edges are values at the bounds of a schema and one beyond.
func edges(s *schema) []any {
	var values []any
	for i := range s.Enum {
		values = append(values, sampler.Decode(s.Enum[i]))
	}
	if s.Default != nil {
		values = append(values, sampler.Decode(*s.Default))
	}
	for _, bound := range []*float64{s.Minimum, s.Maximum} {
		for delta := -1.0; bound != nil && delta <= 1; delta++ {
			values = append(values, sampler.Integers(*bound+delta))
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
		if inner := sampler.Values(s); inner != nil {
			values = append(values, map[string]any{"key": filled(inner)})
		}
		if open(s) {
			values = append(values, map[string]any{"unknown": "value"})
		}
	case "":
		values = append(values, "text", int64(1))
	}
	return values
}

var (
	quoted = regexp.MustCompile(`'([^'\\]{1,64})'|"([^"\\]{1,64})"`)
	whole  = regexp.MustCompile(`\b\d{1,9}\b`)
)

// texts returns the literals of all CEL rules of a schema: texts, and numbers with those beside them.
func texts(s *schema) []any {
	found, numbers := map[string]bool{}, map[int64]bool{}
	var walk func(*schema)
	walk = func(s *schema) {
		for _, rule := range s.XValidations {
			for _, match := range quoted.FindAllStringSubmatch(rule.Rule, -1) {
				found[match[1]+match[2]] = true
			}
			for _, text := range whole.FindAllString(rule.Rule, -1) {
				n, err := strconv.ParseInt(text, 10, 64)
				for delta := int64(-1); err == nil && delta <= 1; delta++ {
					numbers[n+delta] = true
				}
			}
		}
		for _, below := range s.Properties {
			walk(&below)
		}
		for _, below := range []*schema{sampler.Items(s), sampler.Values(s)} {
			if below != nil {
				walk(below)
			}
		}
	}
	walk(s)
	var all []any
	for _, text := range slices.Sorted(maps.Keys(found)) {
		all = append(all, text)
	}
	for _, n := range slices.Sorted(maps.Keys(numbers)) {
		all = append(all, n)
	}
	return all
}

// differentItems returns a list of that many items, which differ in their keys, or, of a set, as a whole.
func differentItems(s *schema, n int64) any {
	list := []any{}
	for range min(max(0, n), 4096) {
		if item := sampler.Items(s); item != nil {
			list = append(list, numbered(filled(item), s, len(list)))
		}
	}
	return list
}

// filled returns a value with nothing optional.
func filled(s *schema) any {
	return (&sampler.Sampler{Rand: rand.New(rand.NewPCG(3, 4))}).Value(s, nil, false, sampler.MaxDepth)
}

// numbered makes an item of a list differ from others.
func numbered(value any, list *schema, n int) any {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range list.XListMapKeys {
			value[key] = numbered(value[key], &schema{XListType: new("set")}, n)
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
