package apis

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// swagger is what the tests look at of a swagger.json.
type swagger struct {
	Definitions map[string]map[string]any
	all         any
}

func document(t *testing.T, file string) *swagger {
	t.Helper()
	doc := &swagger{}
	data := []byte(read(t, file))
	if err := json.Unmarshal(data, doc); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &doc.all); err != nil {
		t.Fatal(err)
	}
	return doc
}

// kinds gives the apiVersion of each root kind, lists aside.
func (s *swagger) kinds() map[string]string {
	kinds := map[string]string{}
	for name, definition := range s.Definitions {
		list, _ := definition["x-kubernetes-group-version-kind"].([]any)
		properties, _ := definition["properties"].(map[string]any)
		_, isList := properties["items"]
		for _, item := range list {
			if gvk := item.(map[string]any); gvk["kind"] == name && !isList {
				kinds[name] = fmt.Sprintf("%s/%s", gvk["group"], gvk["version"])
			}
		}
	}
	return kinds
}

// references counts the "$ref"s in a document and returns those that nothing is behind.
func references(doc *swagger) (count int, dangling []string) {
	var walk func(any)
	walk = func(value any) {
		switch value := value.(type) {
		case []any:
			for _, item := range value {
				walk(item)
			}
		case map[string]any:
			if ref, ok := value["$ref"].(string); ok {
				count++
				if !resolves(doc.all, ref) {
					dangling = append(dangling, ref)
				}
			}
			for _, item := range value {
				walk(item)
			}
		}
	}
	walk(doc.all)
	return count, dangling
}

func resolves(doc any, ref string) bool {
	path, ok := strings.CutPrefix(ref, "#/")
	for _, token := range strings.Split(path, "/") {
		object, _ := doc.(map[string]any)
		if doc, ok = object[token]; !ok {
			return false
		}
	}
	return ok
}

// share is how many there are, and how many of them were found.
type share struct{ found, of int }

func (s share) String() string { return fmt.Sprintf("%d/%d", s.found, s.of) }

// comparison holds a document against CRDs.
type comparison struct {
	definitions           map[string]map[string]any
	kinds                 int
	defaults, validations share
	lost                  []string
}

// checked are the keys of a CRD's schema that say what the API server does, besides its structure.
var checked = []string{
	"default", "enum", "exclusiveMaximum", "exclusiveMinimum", "format", "maxItems", "maxLength", "maxProperties",
	"maximum", "minItems", "minLength",
	"minProperties", "minimum", "multipleOf", "nullable", "pattern", "required", "type", "uniqueItems",
	"x-kubernetes-embedded-resource",
	"x-kubernetes-int-or-string", "x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type",
	"x-kubernetes-preserve-unknown-fields", "x-kubernetes-validations",
}

func (c *comparison) crd(t *testing.T, crd map[string]any) {
	t.Helper()
	spec := crd["spec"].(map[string]any)
	kind := spec["names"].(map[string]any)["kind"].(string)
	for _, version := range spec["versions"].([]any) {
		schema := version.(map[string]any)["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
		c.kinds++
		c.compare(kind, []map[string]any{schema}, []map[string]any{{"$ref": "#/definitions/" + kind}})
	}
}

// compare looks for all that the CRD's schemas of a place say in the document's schemas of it, and
// goes on to the places below.
func (c *comparison) compare(at string, crd, spec []map[string]any) {
	crd, spec = c.parts(crd), c.parts(spec)
	for _, key := range checked {
		for _, part := range crd {
			if want, ok := part[key]; ok {
				c.count(at, key, want, spec)
			}
		}
	}
	names := map[string]bool{}
	for _, part := range crd {
		properties, _ := part["properties"].(map[string]any)
		for name := range properties {
			names[name] = true
		}
	}
	for name := range names {
		step := func(part map[string]any) any {
			properties, _ := part["properties"].(map[string]any)
			return properties[name]
		}
		c.compare(at+"."+name, below(crd, step), below(spec, step))
	}
	for _, key := range []string{"items", "additionalProperties"} {
		step := func(part map[string]any) any { return part[key] }
		if inner := below(crd, step); len(inner) > 0 {
			c.compare(at+"["+key+"]", inner, below(spec, step))
		}
	}
}

func (c *comparison) count(at, key string, want any, spec []map[string]any) {
	target := &c.validations
	if key == "default" {
		target = &c.defaults
	}
	target.of++
	if slices.ContainsFunc(spec, func(part map[string]any) bool { return reflect.DeepEqual(part[key], want) }) {
		target.found++
		return
	}
	c.lost = append(c.lost, fmt.Sprintf("%s: %s: %v", at, key, want))
}

// parts follows references and takes allOf apart.
func (c *comparison) parts(schemas []map[string]any) []map[string]any {
	var out []map[string]any
	for _, schema := range schemas {
		out = append(out, schema)
		if ref, ok := schema["$ref"].(string); ok {
			out = append(out, c.parts([]map[string]any{c.definitions[strings.TrimPrefix(ref, "#/definitions/")]})...)
		}
		list, _ := schema["allOf"].([]any)
		for _, item := range list {
			out = append(out, c.parts([]map[string]any{item.(map[string]any)})...)
		}
	}
	return out
}

func below(schemas []map[string]any, step func(map[string]any) any) []map[string]any {
	var out []map[string]any
	for _, schema := range schemas {
		if inner, ok := step(schema).(map[string]any); ok {
			out = append(out, inner)
		}
	}
	return out
}

// TestComparison: what a document lacks is found, at any depth and through references.
func TestComparison(t *testing.T) {
	crd := `{"spec": {"names": {"kind": "K"}, "versions": [{"schema": {"openAPIV3Schema": {"properties": {"spec": {
		"required": ["a"], "properties": {"a": {"type": "string", "default": "x"}, "b": {"items": {"minimum": 1}}}}}}}}]}}`
	for _, c := range []struct{ doc, lost string }{
		{`{"K": {"properties": {"spec": {"allOf": [{"$ref": "#/definitions/S"}], "required": ["a"]}}},
		   "S": {"properties": {"a": {"type": "string", "default": "x"}, "b": {"items": {"$ref": "#/definitions/B"}}}}, "B": {"minimum": 1}}`, ""},
		{`{"K": {"properties": {"spec": {"$ref": "#/definitions/S"}}}, "S": {"required": ["a"], "properties": {
		   "a": {"type": "string", "default": "y"}, "b": {"items": {}}}}}`, "K.spec.a: default: x, K.spec.b[items]: minimum: 1"},
		{`{"K": {"properties": {"spec": {"$ref": "#/definitions/Gone"}}}}`,
			"K.spec.a: default: x, K.spec.a: type: string, K.spec.b[items]: minimum: 1, K.spec: required: [a]"},
	} {
		var definitions map[string]map[string]any
		var parsed map[string]any
		if err := errors.Join(json.Unmarshal([]byte(c.doc), &definitions), json.Unmarshal([]byte(crd), &parsed)); err != nil {
			t.Fatal(err)
		}
		got := &comparison{definitions: definitions}
		got.crd(t, parsed)
		slices.Sort(got.lost)
		if lost := strings.Join(got.lost, ", "); lost != c.lost {
			t.Errorf("lost %q, want %q", lost, c.lost)
		}
	}
}

func TestReferences(t *testing.T) {
	doc := &swagger{}
	if err := json.Unmarshal(
		[]byte(`{"definitions": {"A": {}}, "x": [{"$ref": "#/definitions/A"}, {"$ref": "#/definitions/B"}]}`),
		&doc.all); err != nil {
		t.Fatal(err)
	}
	if count, dangling := references(doc); count != 2 || !slices.Equal(dangling, []string{"#/definitions/B"}) {
		t.Errorf("%d references, dangling %q", count, dangling)
	}
}
