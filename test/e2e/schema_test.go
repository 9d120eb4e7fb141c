package e2e

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

type props = apiextensionsv1.JSONSchemaProps

// The CEL rules of the schema, which limit the keys and the values of maps. Another rule fails the test.
var (
	keysRule   = regexp.MustCompile(`^self\.all\(key, size\(key\) <= (\d+)\)$`)
	valuesRule = regexp.MustCompile(`^self\.all\(key, .*size\(self\[key\]\) <= (\d+)\)$`)
)

// broken is a value that violates one constraint, and its path. The steps are names of properties, * for
// a value of a map and 0 for an item of a list.
type broken struct {
	name    string
	path    []string
	value   any
	problem string // of the test itself
}

// field is the last name of the path.
func (b broken) field() string {
	names := slices.DeleteFunc(slices.Clone(b.path), func(step string) bool { return step == "0" || step == "*" })
	return names[len(names)-1]
}

// missing stands for an omitted property.
type missing struct{}

// breaker collects a violation of each constraint of a schema.
type breaker struct{ broken []broken }

func (b *breaker) add(path []string, rule string, value any) {
	b.broken = append(b.broken, broken{strings.Join(path, ".") + " " + rule, slices.Clone(path), value, ""})
}

func (b *breaker) fail(path []string, problem string) {
	b.broken = append(b.broken, broken{strings.Join(path, "."), nil, nil, problem})
}

func (b *breaker) walk(path []string, p *props) {
	b.constraints(path, p)
	switch {
	case p.Items != nil:
		b.walk(append(path, "0"), p.Items.Schema)
	case p.AdditionalProperties != nil && p.AdditionalProperties.Schema != nil:
		b.walk(append(path, "*"), p.AdditionalProperties.Schema)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Properties)) {
		property := p.Properties[name]
		b.walk(append(path, name), &property)
	}
}

// constraints adds a violation of each constraint of a schema, without those of nested schemas.
func (b *breaker) constraints(path []string, p *props) {
	wrong := map[string]any{"string": int64(1), "integer": "x", "boolean": "x", "number": "x", "array": "x", "object": "x",
		"": map[string]any{}}
	b.add(path, "type", wrong[p.Type])
	switch p.Format {
	case "int32":
		b.add(path, "format", int64(1)<<31)
	case "int64":
		b.add(path, "format", 1.5)
	case "date-time":
		b.add(path, "format", "yesterday")
	case "":
	default:
		b.fail(path, "the test does not know the format "+p.Format)
	}
	for _, name := range p.Required {
		b.add(append(path, name), "required", missing{})
	}
	if len(p.Enum) > 0 {
		b.add(path, "enum", "none-of-the-enum")
	}
	if p.Minimum != nil {
		b.add(path, "minimum", int64(*p.Minimum)-1)
	}
	if p.Maximum != nil {
		b.add(path, "maximum", int64(*p.Maximum)+1)
	}
	if p.MinLength != nil {
		b.add(path, "minLength", strings.Repeat("x", int(*p.MinLength)-1))
	}
	if p.MaxLength != nil {
		b.add(path, "maxLength", strings.Repeat("x", int(*p.MaxLength)+1))
	}
	if p.Pattern != "" {
		b.add(path, "pattern", "\x01 no pattern takes this \x01")
	}
	if p.MinItems != nil {
		b.add(path, "minItems", []any{})
	}
	if p.XListType != nil && *p.XListType == "set" {
		b.add(path, "set", []any{valid(p.Items.Schema), valid(p.Items.Schema)})
	}
	if p.MaxItems != nil {
		b.add(path, "maxItems", slices.Repeat([]any{valid(p.Items.Schema)}, int(*p.MaxItems)+1))
	}
	if p.MaxProperties != nil {
		entries := map[string]any{}
		for i := range *p.MaxProperties + 1 {
			entries[fmt.Sprintf("x%d", i)] = valid(p.AdditionalProperties.Schema)
		}
		b.add(path, "maxProperties", entries)
	}
	for _, rule := range p.XValidations {
		b.rule(path, p, rule.Rule)
	}
	b.unknown(path, p)
}

// rule adds a violation of a CEL rule.
func (b *breaker) rule(path []string, p *props, rule string) {
	long := func(match []string) string {
		n, err := strconv.Atoi(match[1])
		if err != nil {
			b.fail(path, err.Error())
		}
		return strings.Repeat("x", n+1)
	}
	if m := keysRule.FindStringSubmatch(rule); m != nil {
		b.add(path, "rule "+rule, map[string]any{long(m): valid(p.AdditionalProperties.Schema)})
	} else if m := valuesRule.FindStringSubmatch(rule); m != nil {
		b.add(path, "rule "+rule, map[string]any{"x": long(m)})
	} else {
		b.fail(path, "the test has no value that breaks the rule "+rule)
	}
}

// unknown adds a failure for constraints that this test cannot violate.
func (b *breaker) unknown(path []string, p *props) {
	rest := p.DeepCopy()
	for _, known := range []any{
		&rest.Type, &rest.Format, &rest.Required, &rest.Enum, &rest.Minimum, &rest.Maximum, &rest.MinLength, &rest.MaxLength,
		&rest.Pattern, &rest.MinItems, &rest.MaxItems, &rest.MaxProperties, &rest.XListType, &rest.XValidations, &rest.Items,
		&rest.AdditionalProperties, &rest.Properties,
		&rest.Description, &rest.Default, &rest.XIntOrString, &rest.XMapType, &rest.XListMapKeys, &rest.Title, &rest.Example,
	} {
		reflect.ValueOf(known).Elem().SetZero()
	}
	if p.XIntOrString {
		rest.AnyOf = nil // an integer or a string
	}
	if !reflect.DeepEqual(rest, &props{}) {
		b.fail(path, fmt.Sprintf("the test does not know a constraint: %+v", rest))
	}
}

// valid returns the smallest value that a schema accepts.
func valid(p *props) any {
	switch p.Type {
	case "object":
		object := map[string]any{}
		for _, name := range p.Required {
			property := p.Properties[name]
			object[name] = valid(&property)
		}
		return object
	case "array":
		list := []any{}
		if p.MinItems != nil {
			for range *p.MinItems {
				list = append(list, valid(p.Items.Schema))
			}
		}
		return list
	case "integer":
		if p.Minimum != nil {
			return int64(*p.Minimum)
		}
		return int64(1)
	case "boolean":
		return true
	}
	if len(p.Enum) > 0 {
		return strings.Trim(string(p.Enum[0].Raw), `"`)
	}
	return "1"
}

// place sets a value at a path, and creates its parents.
func place(value any, p *props, path []string, put any) any {
	if len(path) == 0 {
		return put
	}
	step, rest := path[0], path[1:]
	if list, ok := value.([]any); ok && step == "0" {
		if len(list) == 0 {
			list = []any{valid(p.Items.Schema)}
		}
		list[0] = place(list[0], p.Items.Schema, rest, put)
		return list
	}
	object, ok := value.(map[string]any)
	if !ok {
		return value
	}
	inner := p.Properties[step]
	if step == "*" {
		step, inner = "x", *p.AdditionalProperties.Schema
	}
	if _, out := put.(missing); out && len(rest) == 0 {
		delete(object, step)
		return object
	}
	if _, there := object[step]; !there {
		object[step] = valid(&inner)
	}
	object[step] = place(object[step], &inner, rest, put)
	return object
}
