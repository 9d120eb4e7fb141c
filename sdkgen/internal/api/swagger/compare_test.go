package swagger_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-openapi/spec"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// crd returns the CRD of a kind as it is written to its file.
func (p *project) crd(t *testing.T, pkg *load.Package, kind string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	if p.crds == nil {
		set, _, err := p.gen.CRDs("crd")
		if err != nil {
			t.Fatal(err)
		}
		p.crds = map[string]*apiextensionsv1.CustomResourceDefinition{}
		for file := range set.All() {
			crd := &apiextensionsv1.CustomResourceDefinition{}
			if err := yaml.UnmarshalStrict(file.Data, crd); err != nil {
				t.Fatal(err)
			}
			p.crds[crd.Spec.Group+"/"+crd.Spec.Names.Kind] = crd
		}
	}
	crd := p.crds[pkg.Group+"/"+kind]
	if crd == nil {
		t.Errorf("there is no CRD of %s", kind)
	}
	return crd
}

// TestCompare changes the documents of the API packages in testdata/compare/*.txtar, and says
// what Compare finds. A line of "changes" is a path below definitions and a value, or no value
// where the member is to be removed.
func TestCompare(t *testing.T) {
	cases := testkit.Cases(t, "compare/*.txtar")
	p, err := open(t, cases)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			pkg := p.api.Packages[i]
			api := p.model(t, pkg, config.Swagger{})
			doc, err := p.build(t, pkg, config.Swagger{})
			if err != nil {
				t.Fatal(err)
			}
			if n := p.checkNoticed(t, pkg, config.Swagger{}, doc); n == 0 {
				t.Error("nothing was taken away")
			}
			var b strings.Builder
			for line := range strings.Lines(c.Part("changes")) {
				line = strings.TrimSpace(line)
				pointer, value, _ := strings.Cut(line, " ")
				changed := change(t, doc, strings.Split(pointer, "/"), value)
				fmt.Fprintf(&b, "# %s\n", line)
				for _, d := range p.compare(t, pkg, api, changed) {
					d.Hint = "" // always the same
					fmt.Fprintln(&b, d)
				}
			}
			c.Want(t, "want", b.String())
		})
	}
}

// model returns the model of a package, also where its CRD is refused.
func (p *project) model(t *testing.T, pkg *load.Package, opts config.Swagger) *model.API {
	t.Helper()
	definitions, err := p.definitions(pkg)
	if err != nil {
		t.Fatal(err)
	}
	api, err := p.source.Model(pkg, definitions, opts)
	if api == nil {
		t.Fatal(err)
	}
	return api
}

// change returns a document in which one definition is another. A path begins with its name.
func change(t *testing.T, doc *spec.Swagger, path []string, value string) *spec.Swagger {
	t.Helper()
	one := &spec.Swagger{SwaggerProps: spec.SwaggerProps{Definitions: spec.Definitions{path[0]: doc.Definitions[path[0]]}}}
	var plain map[string]map[string]any
	if err := json.Unmarshal([]byte(testkit.Encode(t, one)), &plain); err != nil {
		t.Fatal(err)
	}
	set(t, plain["definitions"], path, value)
	changed := &spec.Swagger{}
	if err := json.Unmarshal([]byte(testkit.Encode(t, plain)), changed); err != nil {
		t.Fatal(err)
	}
	out := *doc
	out.Definitions = maps.Clone(doc.Definitions)
	maps.Copy(out.Definitions, changed.Definitions)
	return &out
}

// set sets or removes what a path leads to.
func set(t *testing.T, at map[string]any, path []string, value string) {
	t.Helper()
	last := len(path) - 1
	for _, token := range path[:last] {
		at, _ = at[token].(map[string]any)
	}
	if value == "" {
		if _, ok := at[path[last]]; !ok {
			t.Fatalf("%q leads nowhere", path)
		}
		delete(at, path[last])
		return
	}
	var decoded any
	if err := json.Unmarshal([]byte(value), &decoded); err != nil || at == nil {
		t.Fatalf("%q cannot be %s: %v", path, value, err)
	}
	at[path[last]] = decoded
}

// harmless are keywords without which a document demands the same.
var harmless = []string{
	"description", "title", "example", "x-go-type", "x-kubernetes-group-version-kind", "x-sdkgen-plural",
	"x-sdkgen-pointer", "x-sdkgen-deprecated", "x-kubernetes-order",
	"x-kubernetes-fancy", "x-kubernetes-patch-merge-key", "x-kubernetes-patch-strategy",
}

// members returns the paths of all that a schema demands, itself and below.
func members(schema map[string]any, path []string) [][]string {
	var out [][]string
	for keyword, value := range schema {
		at := append(slices.Clip(path), keyword)
		below, _ := value.(map[string]any)
		switch {
		case slices.Contains(harmless, keyword) || value == "int-or-string":
		case keyword == "properties":
			for name, property := range below {
				at := append(slices.Clip(at), name)
				out = append(append(out, at), members(property.(map[string]any), at)...)
			}
		case keyword == "items" || keyword == "additionalProperties":
			out = append(append(out, at), members(below, at)...)
		default:
			out = append(out, at)
		}
	}
	return out
}

// checkNoticed takes away, one by one, all that the API's own definitions demand: Compare must
// notice each time, and say where. It returns how often it did that.
func (p *project) checkNoticed(
	t *testing.T, pkg *load.Package, opts config.Swagger, doc *spec.Swagger,
) (changes int) {
	t.Helper()
	api := p.model(t, pkg, opts)
	for name, definition := range doc.Definitions {
		i := slices.IndexFunc(api.Definitions, func(d *model.Definition) bool { return d.Name == name })
		if i < 0 || api.Definitions[i].GoType.Package != pkg.Path ||
			slices.ContainsFunc(pkg.Kinds, func(k load.Kind) bool { return k.List && k.Name == name }) {
			continue
		}
		var schema map[string]any
		if err := json.Unmarshal([]byte(testkit.Encode(t, definition)), &schema); err != nil {
			t.Fatal(err)
		}
		for _, path := range members(schema, []string{name}) {
			changes++
			if found := p.compare(t, pkg, api, change(t, doc, path, "")); len(found) == 0 || !found[0].Pos.IsValid() {
				t.Errorf("without %s there are the diagnostics %v", strings.Join(path, "/"), found)
			}
		}
	}
	return changes
}
