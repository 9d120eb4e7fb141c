package config_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"

	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
)

const (
	schemaFile = "../../sdkgen.schema.json"
	schemaID   = "https://raw.githubusercontent.com/flux-framework/flux-operator/main/sdkgen/sdkgen.schema.json"
)

// TestSchemaFile makes sdkgen.schema.json from the configuration's types, tags and comments. With -update it
// writes it.
func TestSchemaFile(t *testing.T) {
	got := schema(t)
	want, err := os.ReadFile(schemaFile)
	if bytes.Equal(got, want) {
		return
	}
	if flag.Lookup("update").Value.String() != "true" {
		t.Fatalf("sdkgen.schema.json is stale, %v (-have +want; -update writes it):\n%s", err,
			cmp.Diff(string(want), string(got)))
	}
	if err := os.WriteFile(schemaFile, got, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestSchemaNamed: the configurations of this repository begin with a comment that names the schema for editors.
func TestSchemaNamed(t *testing.T) {
	files, err := filepath.Glob("../../../examples/*/*/" + config.File)
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range append(files, "../../../"+config.File) {
		data, err := os.ReadFile(file)
		if err != nil || !strings.HasPrefix(string(data), "# yaml-language-server: $schema="+schemaID+"\n") {
			t.Errorf("%s does not name the schema: %v", file, err)
		}
	}
}

// schema makes the JSON Schema of sdkgen.yaml.
func schema(t *testing.T) []byte {
	t.Helper()
	r := &jsonschema.Reflector{FieldNameTag: "yaml", RequiredFromJSONSchemaTags: true, ExpandedStruct: true,
		Anonymous: true}
	if err := r.AddGoComments(reflect.TypeFor[config.Config]().PkgPath(), "./", jsonschema.WithFullComment()); err != nil {
		t.Fatal(err)
	}
	for name, text := range r.CommentMap {
		r.CommentMap[name] = strings.Join(strings.Fields(text), " ")
	}
	root := r.Reflect(&config.Config{})
	root.ID, root.Title = schemaID, "sdkgen.yaml"
	complete(root)
	for name, def := range root.Definitions {
		complete(def)
		if conditions[name] != nil {
			def.AnyOf = conditions[name]()
			def.Required = nil
		}
	}
	data, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(data, '\n')
}

// conditions say which keys of a section go together. An empty value is as none.
var conditions = map[string]func() []*jsonschema.Schema{
	"API": func() []*jsonschema.Schema {
		var all []*jsonschema.Schema
		for _, chosen := range []string{"kinds", "exclude"} {
			all = append(all, without(chosen, keys([]string{"path"}, []string{"package", "dir"})),
				without(chosen, keys([]string{"package", "dir"}, []string{"path"})))
		}
		return all
	},
	"CRD": func() []*jsonschema.Schema {
		return []*jsonschema.Schema{keys([]string{"dir"}, nil), withoutCRDs("allowDangerousTypes"),
			withoutCRDs("ignoreUnexportedFields"), withoutCRDs("generateEmbeddedObjectMeta")}
	},
	"SDK": func() []*jsonschema.Schema {
		return []*jsonschema.Schema{keys([]string{"dir", "package"}, nil), keys([]string{"dir", "config"}, nil)}
	},
	"Generator": func() []*jsonschema.Schema {
		return []*jsonschema.Schema{keys([]string{"jar", "sha256"}, nil), keys(nil, []string{"jar", "sha256", "java"})}
	},
}

// keys is a section that has the first keys and not the others.
func keys(has, hasNot []string) *jsonschema.Schema {
	s := &jsonschema.Schema{Required: has, Properties: jsonschema.NewProperties()}
	one, none := uint64(1), uint64(0)
	for _, name := range has {
		s.Properties.Set(name, &jsonschema.Schema{Type: "string", MinLength: &one})
	}
	for _, name := range hasNot {
		s.Properties.Set(name, &jsonschema.Schema{MaxLength: &none})
	}
	return s
}

// withoutCRDs is a section crd that has no directory, and nothing that has no effect without it, but that option.
func withoutCRDs(option string) *jsonschema.Schema {
	s := keys([]string{option}, []string{"dir"})
	s.Properties.Set(option, &jsonschema.Schema{Const: true})
	for field := range reflect.TypeFor[config.CRD]().Fields() {
		key, empty := field.Tag.Get("yaml"), []any{nil}
		switch {
		case slices.Contains([]string{"dir", "allowDangerousTypes", "ignoreUnexportedFields", "generateEmbeddedObjectMeta"},
			key):
			continue
		case field.Type.Kind() == reflect.Bool:
			empty = append(empty, false)
		case field.Type.Kind() == reflect.String:
			empty = append(empty, "")
		}
		s.Properties.Set(key, &jsonschema.Schema{Enum: empty})
	}
	return s
}

// itemPatterns are the forms of the items of lists.
var itemPatterns = map[string]string{
	"applyconfigExternals": `^[^\s:,]+\.[A-Za-z_][A-Za-z0-9_]*:[^\s:,]+$`,
	"pluralExceptions":     `^[A-Za-z_][A-Za-z0-9_]*:[A-Za-z_][A-Za-z0-9_]*$`,
}

// without is a section in which a list is empty.
func without(list string, section *jsonschema.Schema) *jsonschema.Schema {
	none := uint64(0)
	section.Properties.Set(list, &jsonschema.Schema{MaxItems: &none})
	return section
}

// complete adds to a section what tags cannot say: paths stay in the project, a version and a year may be
// written as numbers, and an optional key may have no value.
func complete(section *jsonschema.Schema) {
	for pair := section.Properties.Oldest(); pair != nil; pair = pair.Next() {
		p := pair.Value
		if p.Format == "path" {
			p.Format, p.Not = "", &jsonschema.Schema{Type: "string", Pattern: `^/|[\\\x00]|^(\./+)*\.\.(/|$)`}
		}
		types := []any{p.Type}
		if pair.Key == "version" || pair.Key == "year" {
			types, p.Minimum = append(types, "number"), "0"
		}
		required := strings.Contains(strings.Join(section.Required, " "), pair.Key)
		switch {
		case required && len(types) == 1:
		case p.Ref != "":
			p.AnyOf, p.Ref = []*jsonschema.Schema{{Ref: p.Ref}, {Type: "null"}}, ""
		default:
			if !required {
				types = append(types, "null")
			}
			if len(p.Enum) > 0 {
				p.Enum = append(p.Enum, "", nil)
			}
			p.Type, p.Extras = "", map[string]any{"type": types}
		}
		if pattern := itemPatterns[pair.Key]; pattern != "" {
			p.Items.Pattern = pattern
		}
		if pair.Key == "deprecatedV1beta1CompatibilityPreserveUnknownFields" { // the API server refuses the other value
			p.Enum = []any{false, nil}
		}
	}
}
