package swagger_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-openapi/loads"
	"github.com/go-openapi/spec"
	"github.com/go-openapi/strfmt"
	"github.com/go-openapi/validate"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	crdopenapi "k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/swagger"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestPaths makes the documents of the API packages in testdata/paths/*.txtar, which are in one load
// but for those that say "alone:". "want" of a package's directory holds its operations and the
// definitions that only they need, or what is wrong. "names:" is as in TestBuild.
func TestPaths(t *testing.T) {
	var together []*testkit.Case
	for _, c := range testkit.Cases(t, "paths/*.txtar") {
		if c.Field("alone") == "" {
			together = append(together, c)
			continue
		}
		runPaths(t, []*testkit.Case{c})
	}
	runPaths(t, together)
}

func runPaths(t *testing.T, cases []*testkit.Case) {
	t.Helper()
	var archive txtar.Archive
	var dirs []string
	for _, c := range cases {
		for _, f := range c.Files {
			f.Name = c.Name + "/" + f.Name
			archive.Files = append(archive.Files, f)
			if path.Base(f.Name) == "doc.go" {
				dirs = append(dirs, path.Dir(f.Name))
			}
		}
	}
	p, err := openProject(t, testkit.Project(t, &archive), dirs)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*testkit.Case{}
	for _, c := range cases {
		byName[c.Name] = c
	}
	for _, pkg := range p.api.Packages {
		t.Run(pkg.Dir, func(t *testing.T) {
			name, version := path.Split(pkg.Dir)
			c := byName[path.Clean(name)]
			opts := config.Swagger{Title: "cases", Names: map[string]string{}}
			for pair := range strings.FieldsSeq(c.Field("names")) {
				goType, name, _ := strings.Cut(pair, "=")
				opts.Names[goType] = name
			}
			doc, err := p.buildPaths(t, pkg, opts)
			if doc == nil { // a group that the API server keeps for itself is refused, and has a document
				c.Want(t, "want "+version, err.Error()+"\n")
				return
			}
			c.Want(t, "want "+version, operations(doc))
			p.checkPaths(t, pkg, doc)
		})
	}
}

// TestPathsOfThisAPI checks the paths of this project's own API, and has a few by name.
func TestPathsOfThisAPI(t *testing.T) {
	p := openThis(t)
	opts := config.Swagger{Title: "flux-operator"}
	doc, err := p.buildPaths(t, p.api.Packages[0], opts)
	if err != nil {
		t.Fatal(err)
	}
	p.checkPaths(t, p.api.Packages[0], doc)
	first := testkit.Encode(t, doc)
	for range 20 {
		again, err := p.buildPaths(t, p.api.Packages[0], opts)
		if err != nil {
			t.Fatal(err)
		}
		if testkit.Encode(t, again) != first {
			t.Fatal("a second Build gives other bytes")
		}
	}
	text := operations(doc)
	for _, id := range []string{
		"createNamespacedMiniCluster", "deleteCollectionNamespacedMiniCluster", "listMiniClusterForAllNamespaces",
		"patchNamespacedMiniClusterScale", "readNamespacedMiniClusterStatus",
	} {
		if !strings.Contains(text, " "+id+" ") {
			t.Errorf("there is no operation %s", id)
		}
	}
}

// verb is an operation with its method.
type verb struct {
	method string
	*spec.Operation
}

func verbs(item spec.PathItem) []verb {
	all := []verb{{"GET", item.Get}, {"POST", item.Post}, {"PUT", item.Put}, {"PATCH", item.Patch},
		{"DELETE", item.Delete}}
	return slices.DeleteFunc(all, func(v verb) bool { return v.Operation == nil })
}

// operations writes out what the paths of a document say: tag, id, parameters and responses of each
// operation, with a * where a parameter must be given.
func operations(doc *spec.Swagger) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(doc.Paths.Paths)) {
		item := doc.Paths.Paths[name]
		fmt.Fprintf(&b, "%s (%s)\n", name, parameters(doc, item.Parameters))
		for _, v := range verbs(item) {
			fmt.Fprintf(&b, "  %s %s (%s)", v.method, v.ID, parameters(doc, v.Parameters))
			for _, code := range slices.Sorted(maps.Keys(v.Responses.StatusCodeResponses)) {
				fmt.Fprintf(&b, " %d", code)
				if schema := v.Responses.StatusCodeResponses[code].Schema; schema != nil {
					fmt.Fprintf(&b, ":%s", model.Referenced(*schema))
				}
			}
			fmt.Fprintf(&b, " %s\n", strings.Join(v.Tags, " "))
		}
	}
	models := ofTypes(doc).Definitions
	for _, name := range slices.Sorted(maps.Keys(doc.Definitions)) {
		if _, ok := models[name]; !ok {
			pkg, typeName := goType(doc.Definitions[name])
			fmt.Fprintln(&b, strings.TrimSuffix(name+": "+pkg+"."+typeName, ": ."))
		}
	}
	return b.String()
}

func parameters(doc *spec.Swagger, list []spec.Parameter) string {
	var all []string
	for _, parameter := range list {
		if tokens := parameter.Ref.GetPointer().DecodedTokens(); len(tokens) == 2 {
			parameter = doc.Parameters[tokens[1]]
		}
		name := parameter.Name
		if parameter.Required {
			name += "*"
		}
		if parameter.Schema != nil {
			_, typeName := goType(*parameter.Schema)
			name += ":" + model.Referenced(*parameter.Schema) + typeName
		}
		all = append(all, name)
	}
	return strings.Join(all, " ")
}

// checkPaths holds a document with paths against what every such document keeps.
func (p *project) checkPaths(t *testing.T, pkg *load.Package, doc *spec.Swagger) {
	t.Helper()
	data, err := swagger.Encode(doc)
	if err != nil {
		t.Fatal(err)
	}
	p.checkPublished(t, pkg, data)
	checkPathsClosed(t, doc)
	checkValid(t, data)
	checkOpenAPI3(t, data)
	checkClosed(t, doc)
	checkRoundTrip(t, doc)
	checkExpands(t, doc)
	without := ofTypes(doc)
	checkClosed(t, without)
	checkPruned(t, pkg, without)
	for name, definition := range doc.Definitions {
		if _, isModel := without.Definitions[name]; isModel {
			continue
		}
		for inner := range walk(definition) {
			if inner.Default != nil {
				t.Errorf("%s has the default %v, which the API server does not publish", name, inner.Default)
			}
		}
	}
}

// checkPublished: the paths are the API server's, with all that they say, but for the ids of the
// operations and the names of types.
func (p *project) checkPublished(t *testing.T, pkg *load.Package, data []byte) {
	t.Helper()
	want := map[string]any{"paths": map[string]any{}, "parameters": map[string]any{}}
	for _, kind := range pkg.Kinds {
		if kind.List {
			continue
		}
		crd := p.crd(t, pkg, kind.Name) // as it is applied, with its schemas
		for _, version := range crd.Spec.Versions {
			if version.Name != pkg.Version || !version.Served {
				continue
			}
			raw, err := crdopenapi.BuildOpenAPIV2(crd, version.Name, crdopenapi.Options{V2: true})
			if err != nil {
				t.Fatal(err)
			}
			bytes, err := json.Marshal(raw)
			if err != nil {
				t.Fatal(err)
			}
			for section, members := range sections(t, bytes) {
				maps.Copy(want[section].(map[string]any), members.(map[string]any))
			}
		}
	}
	if diff := cmp.Diff(want, sections(t, data)); diff != "" {
		t.Errorf("paths (-published +document):\n%s", diff)
	}
}

// sections returns the paths and shared parameters of a document without what this project names.
func sections(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	for _, section := range []string{"paths", "parameters"} {
		members, ok := doc[section].(map[string]any)
		if !ok {
			members = map[string]any{}
		}
		out[section] = unnamed(members)
	}
	return out
}

func unnamed(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			if key == "operationId" || key == "schema" {
				value[key] = "named"
				continue
			}
			value[key] = unnamed(member)
		}
	case []any:
		for i, member := range value {
			value[i] = unnamed(member)
		}
	}
	return value
}

// checkPathsClosed: what paths refer to is there, all that is there is referred to, and no
// operation has the id of another.
func checkPathsClosed(t *testing.T, doc *spec.Swagger) {
	t.Helper()
	used := map[string]bool{}
	queue := slices.Collect(maps.Keys(ofTypes(doc).Definitions))
	read := func(s *spec.Schema) {
		if s != nil {
			queue = append(queue, references(t, *s)...)
		}
	}
	shared := func(list []spec.Parameter) {
		for _, parameter := range list {
			if tokens := parameter.Ref.GetPointer().DecodedTokens(); len(tokens) == 2 {
				used[tokens[1]] = true
				parameter = doc.Parameters[tokens[1]]
			}
			if parameter.Name == "" {
				t.Errorf("the parameter %s is not defined", parameter.Ref.String())
			}
			read(parameter.Schema)
		}
	}
	ids := map[string]string{}
	for name, item := range doc.Paths.Paths {
		shared(item.Parameters)
		for _, v := range verbs(item) {
			if other, taken := ids[v.ID]; taken {
				t.Errorf("%s and %s both have the operation %s", other, name, v.ID)
			}
			ids[v.ID] = name
			shared(v.Parameters)
			for _, response := range v.Responses.StatusCodeResponses {
				read(response.Schema)
			}
		}
	}
	reached := map[string]bool{}
	for ; len(queue) > 0; queue = queue[1:] {
		definition, ok := doc.Definitions[queue[0]]
		if !ok {
			t.Errorf("paths refer to %s, which is not defined", queue[0])
		}
		if !reached[queue[0]] {
			reached[queue[0]] = true
			queue = append(queue, references(t, definition)...)
		}
	}
	if len(reached) != len(doc.Definitions) || len(used) != len(doc.Parameters) {
		t.Errorf("%d of %d definitions and %d of %d parameters are referred to",
			len(reached), len(doc.Definitions), len(used), len(doc.Parameters))
	}
}

// checkValid: go-openapi's validator has nothing against the document.
func checkValid(t *testing.T, data []byte) {
	t.Helper()
	doc, err := loads.Analyzed(data, "2.0")
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Spec(doc, strfmt.Default); err != nil {
		t.Errorf("the document is not valid Swagger 2.0: %v", err)
	}
}

// checkOpenAPI3: the document becomes a valid one of OpenAPI 3, with the same operations.
func checkOpenAPI3(t *testing.T, data []byte) {
	t.Helper()
	var old openapi2.T
	if err := json.Unmarshal(data, &old); err != nil {
		t.Fatal(err)
	}
	converted, err := openapi2conv.ToV3(&old)
	if err != nil {
		t.Fatalf("converting to OpenAPI 3: %v", err)
	}
	if converted.Paths == nil { // the converter leaves out what is empty
		converted.Paths = openapi3.NewPaths()
	}
	written, err := converted.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(written)
	if err != nil {
		t.Fatalf("loading as OpenAPI 3: %v", err)
	}
	if err := doc.Validate(context.Background()); err != nil {
		t.Errorf("the document is not valid as OpenAPI 3: %v", err)
	}
	for name, item := range old.Paths {
		if got, want := len(doc.Paths.Value(name).Operations()), len(item.Operations()); got != want {
			t.Errorf("%s has %d operations in OpenAPI 3, %d in Swagger 2.0", name, got, want)
		}
	}
}
