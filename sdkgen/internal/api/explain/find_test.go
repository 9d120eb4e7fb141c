package explain

import (
	"strings"
	"testing"

	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/constraint"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

// version is a package with the kind Field, which has a spec with parts, and with one that refers to itself.
func version(group, name, storage string) Package {
	root := func(kind, plural string, fields ...*model.Field) *model.Definition {
		gvk := runtimeschema.GroupVersionKind{Group: group, Version: name, Kind: kind}
		return &model.Definition{
			Name: kind, Type: model.Type{Fields: fields},
			Root: &model.Root{GroupVersionKind: gvk, Plural: plural, StorageVersion: storage},
		}
	}
	text, err := model.NewType(&constraint.Schema{Type: "string"})
	if err != nil {
		panic(err)
	}
	object := func(name string, fields ...*model.Field) *model.Definition {
		return &model.Definition{Name: name, Type: model.Type{GoType: model.GoType{Name: name}, Fields: fields}}
	}
	part := object("Part", &model.Field{Key: "name", Type: *text, Required: true})
	parts := model.Type{Shape: model.Array, Elem: &model.Type{Shape: model.Map,
		Elem: &model.Type{Shape: model.Reference, Definition: part}}}
	spec := object("Spec", &model.Field{Key: "parts", Type: parts})
	node := root("Node", "nodes")
	node.Fields = []*model.Field{{Key: "below", Type: model.Type{Shape: model.Array,
		Elem: &model.Type{Shape: model.Reference, Definition: node}}}}
	return Package{API: &model.API{Group: group, Version: name, Definitions: []*model.Definition{
		root("Field", "fields", &model.Field{Key: "spec", Type: model.Type{Shape: model.Reference, Definition: spec}}), node,
		part, spec,
	}}}
}

func api(packages ...Package) *API {
	return &API{Packages: packages, Declared: func(model.GoType, string) *Declaration { return nil }}
}

// TestVersions: the storage version is explained; a kind of two groups is an error.
func TestVersions(t *testing.T) {
	two := api(version("a.example.org", "v1", "v1"), version("a.example.org", "v2", "v1"))
	for _, path := range []string{"field", "fields.spec", "Field.spec.parts", "FIELD.spec.parts.name",
		"field.spec.parts[].name", "field.spec.parts[0].name", "field.spec.parts[0][key].name"} {
		got, err := two.Explain(path, false)
		if err != nil {
			t.Fatal(err)
		}
		if got.Version != "v1" || got.Kind != "Field" || !strings.HasPrefix(got.Path, "field") {
			t.Errorf("%s is %+v", path, got)
		}
	}
	_, err := api(version("a.example.org", "v1", ""), version("b.example.org", "v1", "")).Explain("field", false)
	if err == nil || !strings.Contains(err.Error(), `"field" is a kind of a.example.org and of b.example.org`) {
		t.Errorf("got %v", err)
	}
}

// TestRecursive: all fields are listed, and those of a type that has itself once.
func TestRecursive(t *testing.T) {
	a := api(version("a.example.org", "v1", ""))
	got, err := a.Explain("field", true)
	if err != nil {
		t.Fatal(err)
	}
	if spec := got.Fields[0]; spec.Type != "Spec" || spec.Fields[0].Type != "[]map[string]Part" ||
		!spec.Fields[0].Fields[0].Required {
		t.Errorf("got %+v", spec)
	}
	if got, err = a.Explain("node", true); err != nil || len(got.Fields) != 1 || got.Fields[0].Fields != nil {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err = a.Explain("node.below.below.below", false); err != nil || len(got.Fields) != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestComplete: kinds are completed by their own name or the plural, once for all versions, and fields with their
// types.
func TestComplete(t *testing.T) {
	a := api(version("a.example.org", "v1", "v1"), version("a.example.org", "v2", "v1"))
	for path, want := range map[string]string{
		"f": "field\ta.example.org", "fields": "fields\ta.example.org", "": "field\ta.example.org|node\ta.example.org",
		"x":      "",
		"field.": "field.spec\t<Spec>", "fields.spec.parts.n": "fields.spec.parts.name\t<string>", "field.nothing.": "",
		"field.spec.x": "",
	} {
		if got := strings.Join(a.Complete(path), "|"); got != want {
			t.Errorf("%q: got %q, want %q", path, got, want)
		}
	}
}
