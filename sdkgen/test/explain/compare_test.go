package explain

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// comparison compares what sdkgen says of a kind with its published schema.
type comparison struct {
	api
	fields int
	failed []string // "PATH: text"
}

func (c *comparison) fail(path, format string, args ...any) {
	c.failed = append(c.failed, path+": "+fmt.Sprintf(format, args...))
}

// report prints the differences that nobody expected, and those that were expected and are none.
func (c *comparison) report(t *testing.T, kind string) {
	t.Helper()
	expected := map[string]bool{}
	for _, text := range c.failed {
		path, _, _ := strings.Cut(text, ": ")
		if at := c.expected(path); at != "" {
			expected[at] = true
			continue
		}
		t.Error(text)
	}
	for _, at := range slices.Sorted(maps.Keys(c.Differs)) {
		if strings.HasPrefix(at, kind+".") && !expected[at] {
			t.Errorf("%s does not differ any more: remove it from testdata/apis.yaml", at)
		}
	}
}

// told are keywords that sdkgen tells otherwise, or that constrain nothing.
var told = []string{
	"type", "title", "description", "default", "example", "externalDocs", "properties", "required", "items",
	"additionalProperties",
	"x-kubernetes-validations", "x-kubernetes-int-or-string", "x-kubernetes-group-version-kind",
	"x-kubernetes-selectable-fields", "allOf",
}

// compare compares a field, and those below.
func (c *comparison) compare(t *testing.T, f *field, schema map[string]any, required bool) {
	t.Helper()
	if c.expected(f.Path) == "" {
		c.fields++
	}
	if f.Required != required {
		c.fail(f.Path, "required is %t, the API server says %t", f.Required, required)
	}
	if strings.HasSuffix(f.Path, ".metadata") && f.Type == "ObjectMeta" {
		return // a reference to a type of Kubernetes
	}
	if !reflect.DeepEqual(f.Default, schema["default"]) {
		c.fail(f.Path, "default is %v, the API server says %v", f.Default, schema["default"])
	}
	name, inner := "", schema
	constraints, rules := map[string]any{}, map[string]bool{}
	for target := ""; ; {
		collect(target, inner, constraints, rules)
		items, isList := inner["items"].(map[string]any)
		values, isMap := inner["additionalProperties"].(map[string]any)
		switch {
		case isList:
			name, target, inner = name+"[]", join(target, "items"), items
			continue
		case isMap:
			name, target, inner = name+"map[string]", join(target, "values"), values
			continue
		}
		break
	}
	name += typeName(inner)
	if spelled(f.Type) != name {
		c.fail(f.Path, "type is %s, the API server says %s", f.Type, name)
	}
	c.same(f, constraints, rules)
	c.below(t, f, inner)
}

func join(target, step string) string { return strings.TrimPrefix(target+"."+step, ".") }

func typeName(schema map[string]any) string {
	if name, _ := schema["type"].(string); name != "" && name != "object" {
		return name
	}
	return "Object"
}

// collect adds the constraints and rules of a schema. Those of an allOf are added, too: sdkgen merges them.
func collect(target string, schema, constraints map[string]any, rules map[string]bool) {
	for keyword, value := range schema {
		if slices.Contains(told, keyword) || value == false ||
			keyword == "anyOf" && schema["x-kubernetes-int-or-string"] == true {
			continue
		}
		constraints[target+" "+keyword] = value
	}
	list, _ := schema["x-kubernetes-validations"].([]any)
	for _, one := range list {
		rule, _ := one.(map[string]any)
		rules[target+" "+fmt.Sprint(rule["rule"])] = true
	}
	all, _ := schema["allOf"].([]any)
	for _, one := range all {
		part, _ := one.(map[string]any)
		for keyword, value := range part {
			if other, ok := constraints[target+" "+keyword]; ok && !reflect.DeepEqual(other, value) {
				value = merged{} // of which two are told as one
			}
			constraints[target+" "+keyword] = value
		}
	}
}

// merged is a value of a keyword that a schema has twice.
type merged struct{}

// same compares constraints and rules.
func (c *comparison) same(f *field, constraints map[string]any, rules map[string]bool) {
	got := map[string]any{}
	for _, constraint := range f.Constraints {
		key := constraint.Of + " " + constraint.Keyword
		got[key] = constraint.Value
		if constraints[key] == (any)(merged{}) {
			got[key] = merged{}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(constraints)) {
		if !reflect.DeepEqual(got[key], constraints[key]) {
			c.fail(f.Path, "%s is %v, the API server says %v", strings.TrimSpace(key), got[key], constraints[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if _, ok := constraints[key]; !ok {
			c.fail(f.Path, "%s is %v, the API server says nothing", strings.TrimSpace(key), got[key])
		}
	}
	text := map[string]bool{}
	for _, rule := range f.Rules {
		if rule.Path == "" {
			text[rule.Of+" "+rule.Rule] = true
		}
	}
	if !maps.Equal(text, rules) {
		c.fail(f.Path, "the rules are %v, the API server says %v", slices.Sorted(maps.Keys(text)),
			slices.Sorted(maps.Keys(rules)))
	}
}

// below compares the fields of an object.
func (c *comparison) below(t *testing.T, f *field, schema map[string]any) {
	t.Helper()
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	known := map[string]bool{}
	for _, child := range f.Fields {
		known[child.Name] = true
		property, ok := properties[child.Name].(map[string]any)
		if !ok {
			c.fail(child.Path, "the API server has no such field")
			continue
		}
		c.compare(t, child, property, slices.Contains(required, any(child.Name)))
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !known[name] {
			c.fail(f.Path+"."+name, "sdkgen has no such field")
		}
	}
}
