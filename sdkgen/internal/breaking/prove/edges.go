package prove

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/sampler"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/compare"
)

// candidate returns what makes the value at the change in the object with a number: in every other one a value at or
// beyond a bound of either sampler.Schema, one that CEL rules name, or none at all, and any in the others.
func (p *prover) candidate(change *compare.Change) func(number int) func(*sampler.Schema) (any, bool) {
	var choices []any
	return func(number int) func(*sampler.Schema) (any, bool) {
		return func(before *sampler.Schema) (any, bool) {
			if number%2 == 1 {
				return nil, false
			}
			if choices == nil {
				choices = p.choices(before, sampler.At(p.after, change.Steps))
			}
			choice := choices[(number/2)%len(choices)]
			if choice == any(sampler.Absent{}) {
				return choice, true
			}
			return runtime.DeepCopyJSONValue(choice), true
		}
	}
}

// choices are the values that candidate gives; after is nil for a value that the new sampler.Schema does not have.
func (p *prover) choices(before, after *sampler.Schema) []any {
	choices, literals := append([]any{sampler.Absent{}}, sampler.Edges(before)...), p.literals
	if after != nil {
		choices = append(append(choices, tooLong(before, after)...), sampler.Edges(after)...)
		literals = append(texts(after), literals...)
	}
	for _, value := range literals {
		if before.Type == "array" {
			value = []any{value}
		}
		choices = append(choices, value)
	}
	return choices
}

// tooLong is a text that the old pattern allows and that is longer than what is allowed now.
func tooLong(before, after *sampler.Schema) []any {
	if before.Pattern == "" || after.MaxLength == nil || *after.MaxLength > 1<<16 {
		return nil
	}
	s := &sampler.Sampler{Rand: rand.New(rand.NewPCG(5, 6)), Long: int(*after.MaxLength) + 1}
	if text, ok := s.Match(before.Pattern); ok {
		return []any{text}
	}
	return nil
}

var (
	quoted = regexp.MustCompile(`'([^'\\]{1,64})'|"([^"\\]{1,64})"`)
	whole  = regexp.MustCompile(`\b\d{1,9}\b`)
)

// texts returns the literals of all CEL rules of a schema: strings, and numbers with their neighbours.
func texts(s *sampler.Schema) []any {
	found, numbers := map[string]bool{}, map[int64]bool{}
	var walk func(*sampler.Schema)
	walk = func(s *sampler.Schema) {
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
		for _, below := range []*sampler.Schema{sampler.Items(s), sampler.Values(s)} {
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
