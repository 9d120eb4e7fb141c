package swagger_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/go-openapi/spec"
	"sigs.k8s.io/yaml"

	"github.com/flux-framework/flux-operator/internal/load"
)

// A document says what the CRD says that controller-gen makes of the same types: what follows
// writes both out as trees of rules, and compares the trees.

// rules are what a schema demands at one place: each keyword with its values, sorted, as JSON.
// There may be several, of a type and of the field that has it.
type rules map[string][]string

// node is a place in an object, with the places below it: properties by name, "[]" for the
// items of a list and "{}" for the values of a map.
type node struct {
	rules rules
	below map[string][]any // the schemas of each place
	refs  []string         // definitions that are referred to
}

// ignored are keywords that have no part in it.
var ignored = []string{
	"description", "title", "example", "externalDocs", "x-go-type", "x-kubernetes-group-version-kind", "x-sdkgen-plural",
	"x-kubernetes-fancy", "x-kubernetes-patch-merge-key", "x-kubernetes-patch-strategy", // a CRD leaves them out
}

// readNode writes out schemas that hold at one place together.
func readNode(t *testing.T, definitions map[string]any, schemas []any) node {
	t.Helper()
	n := node{rules: rules{}, below: map[string][]any{}}
	for queue := schemas; len(queue) > 0; queue = queue[1:] {
		schema, ok := queue[0].(map[string]any)
		if !ok {
			t.Fatalf("%v is no schema", queue[0])
		}
		for keyword, value := range schema {
			switch keyword {
			case "allOf":
				queue = append(queue, value.([]any)...)
			case "$ref":
				ref := spec.MustCreateRef(value.(string))
				name := ref.GetPointer().DecodedTokens()[1]
				n.refs = append(n.refs, name)
				queue = append(queue, definitions[name])
			case "properties":
				for name, property := range value.(map[string]any) {
					n.below[name] = append(n.below[name], property)
				}
			case "items":
				n.below["[]"] = append(n.below["[]"], value)
			case "additionalProperties":
				n.below["{}"] = append(n.below["{}"], value)
			case "required", "x-kubernetes-validations":
				for _, item := range value.([]any) {
					n.add(t, keyword, item)
				}
			default:
				if !slices.Contains(ignored, keyword) {
					n.add(t, keyword, value)
				}
			}
		}
	}
	n.normalize()
	return n
}

func (n node) add(t *testing.T, keyword string, value any) {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	n.rules[keyword] = append(n.rules[keyword], string(data))
}

// normalize takes away what Swagger 2.0 says in another way than a CRD.
func (n node) normalize() {
	if n.rules["x-kubernetes-int-or-string"] != nil {
		delete(n.rules, "anyOf")
		n.rules["format"] = slices.DeleteFunc(n.rules["format"], func(f string) bool { return f == `"int-or-string"` })
	}
	for keyword, values := range n.rules {
		slices.Sort(values)
		n.rules[keyword] = slices.Compact(values)
		if len(values) == 0 {
			delete(n.rules, keyword)
		}
	}
}

// checkCRD compares each root kind with the CRD.
func (p *project) checkCRD(t *testing.T, pkg *load.Package, doc *spec.Swagger) {
	t.Helper()
	var definitions map[string]any
	if err := json.Unmarshal([]byte(encode(t, doc.Definitions)), &definitions); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, kind := range pkg.Kinds {
		if kind.List {
			continue
		}
		compared++
		schema, ok := p.crdSchemas(t)[pkg.Group+"/"+pkg.Version+"/"+kind.Name]
		if !ok {
			t.Errorf("there is no CRD of %s", kind.Name)
			continue
		}
		c := comparison{t: t, definitions: definitions}
		c.compare(kind.Name, []any{schema}, []any{map[string]any{"$ref": "#/definitions/" + kind.Name}}, nil)
	}
	if compared == 0 {
		t.Error("no kind was compared with its CRD")
	}
}

// comparison compares a CRD's schemas with those of a document.
type comparison struct {
	t           *testing.T
	definitions map[string]any
}

func (c comparison) compare(path string, crd, document []any, around []string) {
	c.t.Helper()
	want, got := readNode(c.t, nil, crd), readNode(c.t, c.definitions, document)
	for _, ref := range got.refs {
		// The API server knows ObjectMeta by itself, and a CRD cannot say that a type holds itself.
		if ref == "V1ObjectMeta" || slices.Contains(around, ref) {
			return
		}
	}
	around = append(slices.Clone(around), got.refs...)
	keywords := slices.Sorted(maps.Keys(want.rules))
	keywords = append(keywords, slices.Sorted(maps.Keys(got.rules))...)
	for _, keyword := range slices.Compact(keywords) {
		if !slices.Equal(want.rules[keyword], got.rules[keyword]) {
			c.t.Errorf("%s: %s is %v in the CRD, %v in the document", path, keyword, want.rules[keyword], got.rules[keyword])
		}
	}
	for place := range want.below {
		if got.below[place] == nil {
			c.t.Errorf("%s: the document does not have %s", path, place)
		}
	}
	for place, schemas := range got.below {
		if want.below[place] == nil {
			c.t.Errorf("%s: the CRD does not have %s", path, place)
			continue
		}
		c.compare(path+"."+place, want.below[place], schemas, around)
	}
}

// crdSchemas returns the schemas of all CRDs by group, version and kind.
func (p *project) crdSchemas(t *testing.T) map[string]any {
	t.Helper()
	if p.crds != nil {
		return p.crds
	}
	set, err := p.gen.CRDs("crd")
	if err != nil {
		t.Fatal(err)
	}
	p.crds = map[string]any{}
	for file := range set.All() {
		var crd struct {
			Spec struct {
				Group    string
				Names    struct{ Kind string }
				Versions []struct {
					Name   string
					Schema struct{ OpenAPIV3Schema map[string]any }
				}
			}
		}
		if err := yaml.Unmarshal(file.Data, &crd); err != nil {
			t.Fatal(err)
		}
		for _, version := range crd.Spec.Versions {
			p.crds[crd.Spec.Group+"/"+version.Name+"/"+crd.Spec.Names.Kind] = version.Schema.OpenAPIV3Schema
		}
	}
	return p.crds
}
