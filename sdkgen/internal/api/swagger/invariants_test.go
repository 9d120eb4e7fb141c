package swagger_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"iter"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-openapi/spec"
	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/swagger"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// openThis opens this project itself.
func openThis(t *testing.T) *project {
	t.Helper()
	root, err := filepath.Abs(testkit.Repository)
	if err != nil {
		t.Fatal(err)
	}
	p, err := openProject(t, root, []string{"api/v1alpha1"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestThisAPI checks the document of this project's own API.
func TestThisAPI(t *testing.T) {
	p := openThis(t)
	opts := swagger.Options{Title: "flux-operator"}
	doc, err := p.build(t, p.api.Packages[0], opts)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(doc.Definitions); n < 20 {
		t.Errorf("only %d definitions", n)
	}
	p.check(t, p.api.Packages[0], opts, doc)
}

// check holds a document against what every document keeps.
func (p *project) check(t *testing.T, pkg *load.Package, opts swagger.Options, doc *spec.Swagger) {
	t.Helper()
	checkClosed(t, doc)
	checkPruned(t, pkg, doc)
	p.checkDefaults(t, pkg, doc)
	p.checkDeterministic(t, pkg, opts, doc)
	checkRoundTrip(t, doc)
	checkExpands(t, doc)
}

// walk yields a schema and all below it.
func walk(s spec.Schema) iter.Seq[spec.Schema] {
	return func(yield func(spec.Schema) bool) { visit(s, yield) }
}

func visit(s spec.Schema, yield func(spec.Schema) bool) bool {
	if !yield(s) {
		return false
	}
	below := slices.Concat(s.AllOf, s.AnyOf, s.OneOf)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		below = append(below, s.Properties[name])
	}
	if s.Not != nil {
		below = append(below, *s.Not)
	}
	if s.Items != nil {
		below = append(below, s.Items.Schemas...)
		if s.Items.Schema != nil {
			below = append(below, *s.Items.Schema)
		}
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		below = append(below, *s.AdditionalProperties.Schema)
	}
	for _, inner := range below {
		if !visit(inner, yield) {
			return false
		}
	}
	return true
}

// references returns the names of the definitions that a schema refers to.
func references(t *testing.T, s spec.Schema) []string {
	t.Helper()
	var names []string
	for inner := range walk(s) {
		if inner.Ref.String() == "" {
			continue
		}
		tokens := inner.Ref.GetPointer().DecodedTokens()
		if !inner.Ref.HasFragmentOnly || len(tokens) != 2 || tokens[0] != "definitions" {
			t.Errorf("%s is no reference to a definition", inner.Ref.String())
			continue
		}
		names = append(names, tokens[1])
	}
	return names
}

// checkClosed: each reference has a target, and nothing stands beside one that its readers ignore.
func checkClosed(t *testing.T, doc *spec.Swagger) {
	t.Helper()
	for name, definition := range doc.Definitions {
		for _, target := range references(t, definition) {
			if _, ok := doc.Definitions[target]; !ok {
				t.Errorf("%s refers to %s, which is not defined", name, target)
			}
		}
		for inner := range walk(definition) {
			beside := inner
			beside.Ref, beside.Description = spec.Ref{}, ""
			if data, err := json.Marshal(beside); inner.Ref.String() != "" && (err != nil || string(data) != "{}") {
				t.Errorf("%s: beside a reference to %s stands %s", name, inner.Ref.String(), data)
			}
		}
	}
}

// checkPruned: the root kinds reach every definition.
func checkPruned(t *testing.T, pkg *load.Package, doc *spec.Swagger) {
	t.Helper()
	reached := map[string]bool{}
	var queue []string
	for _, kind := range pkg.Kinds {
		queue = append(queue, kind.Name)
		gvk, ok := swagger.KindOf(doc.Definitions[kind.Name])
		if !ok || gvk.Group != pkg.Group || gvk.Version != pkg.Version || gvk.Kind != kind.Name {
			t.Errorf("the kind %s says it is %v", kind.Name, gvk)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		if !reached[queue[0]] {
			reached[queue[0]] = true
			queue = append(queue, references(t, doc.Definitions[queue[0]])...)
		}
	}
	for name := range doc.Definitions {
		if !reached[name] {
			t.Errorf("no root kind reaches %s", name)
		}
	}
}

// checkDefaults: where there is a default, some field of that name has a marker for one, in the
// package that the definition's type is from, or in one that embeds it.
func (p *project) checkDefaults(t *testing.T, pkg *load.Package, doc *spec.Swagger) {
	t.Helper()
	for name, definition := range doc.Definitions {
		from, _ := swagger.GoType(definition)
		declared := p.declaredDefaults(t, pkg, from)
		for property, schema := range definition.Properties {
			for inner := range walk(schema) {
				if inner.Default != nil && !declared[property] {
					t.Errorf("%s.%s has the default %v, which %s does not declare", name, property, inner.Default, from)
				}
			}
		}
		if definition.Default != nil {
			t.Errorf("%s itself has the default %v", name, definition.Default)
		}
	}
}

// declaredDefaults returns the JSON names of the fields with a default marker in a package and
// in those of this module that it imports.
func (p *project) declaredDefaults(t *testing.T, root *load.Package, from string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	seen := map[*loader.Package]bool{}
	for queue := []*loader.Package{root.Source}; len(queue) > 0; queue = queue[1:] {
		pkg := queue[0]
		if seen[pkg] {
			continue
		}
		seen[pkg] = true
		queue = append(queue, slices.Collect(maps.Values(pkg.Imports()))...)
		if pkg.PkgPath != from && (!strings.HasPrefix(from, testkit.ModulePath) || !strings.HasPrefix(pkg.PkgPath, testkit.ModulePath)) {
			continue
		}
		loader.EachType(pkg, func(_ *ast.File, _ *ast.GenDecl, declaration *ast.TypeSpec) {
			structType, ok := declaration.Type.(*ast.StructType)
			if !ok {
				return
			}
			for _, field := range structType.Fields.List {
				if defaultMarker.MatchString(comments(field.Doc)) {
					name, _, _ := strings.Cut(loader.ParseAstTag(field.Tag).Get("json"), ",")
					out[name] = true
				}
			}
		})
	}
	return out
}

var defaultMarker = regexp.MustCompile(`\+(kubebuilder:)?default:?=`)

func comments(group *ast.CommentGroup) string {
	var b strings.Builder
	if group != nil {
		for _, comment := range group.List {
			b.WriteString(comment.Text)
		}
	}
	return b.String()
}

// checkDeterministic: the same API gives the same bytes, time and again.
func (p *project) checkDeterministic(t *testing.T, pkg *load.Package, opts swagger.Options, doc *spec.Swagger) {
	t.Helper()
	first := encode(t, doc)
	name, src, err := p.openapi(pkg)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		definitions, err := swagger.Evaluate(pkg.Path, name, src)
		if err != nil {
			t.Fatal(err)
		}
		api := p.description(t, pkg, definitions)
		if i > 1 && !deprecatedKind(doc) { // the paths, which take most of the time, are left out
			api.CRD = nil
		}
		again, err := swagger.Build(api, opts)
		if err != nil {
			t.Fatal(err)
		}
		if encode(t, ofTypes(again)) != first {
			t.Fatal("a second Build gives other bytes")
		}
	}
}

// deprecatedKind says whether a root kind is deprecated, which its CRD may say.
func deprecatedKind(doc *spec.Swagger) bool {
	for _, definition := range doc.Definitions {
		if _, kind := swagger.KindOf(definition); kind && swagger.DeprecatedOf(definition) != "" {
			return true
		}
	}
	return false
}

// checkRoundTrip: what is written reads back to the same.
func checkRoundTrip(t *testing.T, doc *spec.Swagger) {
	t.Helper()
	data, err := swagger.Encode(doc)
	if err != nil {
		t.Fatal(err)
	}
	back, err := swagger.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	again, err := swagger.Encode(back)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, again) {
		t.Error("the document changes by being read and written")
	}
	checkModel(t, doc, data)
}

// checkModel checks that a document has the model of its bytes.
func checkModel(t *testing.T, doc *spec.Swagger, data []byte) {
	t.Helper()
	built, err := model.New(doc)
	if err != nil {
		t.Fatal(err)
	}
	read, err := model.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	for i, definition := range built.Definitions {
		for j, field := range definition.Fields {
			if other := read.Definitions[i].Fields[j]; !reflect.DeepEqual(field, other) {
				t.Errorf("%s: the model of %s differs:\n%#v\n%#v", definition.Name, field.Key, field, other)
			}
		}
	}
	if !reflect.DeepEqual(built, read) {
		t.Error("the model of the document is not that of its bytes")
	}
}

// checkExpands: go-openapi's tools resolve every reference, without asking anyone.
func checkExpands(t *testing.T, doc *spec.Swagger) {
	t.Helper()
	data, err := swagger.Encode(doc)
	if err != nil {
		t.Fatal(err)
	}
	read, err := swagger.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	opts := &spec.ExpandOptions{PathLoader: func(path string) (json.RawMessage, error) {
		t.Errorf("expanding the document loads %s", path)
		return nil, errors.New("nothing is loaded here")
	}}
	if err := spec.ExpandSpec(read, opts); err != nil {
		t.Errorf("expanding the document: %v", err)
	}
}

// encode is swagger.Encode for any value: keys sorted.
func encode(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var plain any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&plain); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(plain); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
