package swagger_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"iter"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-openapi/spec"
	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/openapi"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/swagger"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
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
	opts := config.Swagger{Title: "flux-operator"}
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
func (p *project) check(t *testing.T, pkg *load.Package, opts config.Swagger, doc *spec.Swagger) {
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
		got := doc.Definitions[kind.Name].Extensions["x-kubernetes-group-version-kind"]
		want := []any{map[string]any{"group": pkg.Group, "version": pkg.Version, "kind": kind.Name}}
		if d := cmp.Diff(any(want), got); d != "" {
			t.Errorf("the kind %s: %s", kind.Name, d)
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
		from, _ := goType(definition)
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
		if pkg.PkgPath != from && (!strings.HasPrefix(from, testkit.ModulePath) ||
			!strings.HasPrefix(pkg.PkgPath, testkit.ModulePath)) {
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
func (p *project) checkDeterministic(t *testing.T, pkg *load.Package, opts config.Swagger, doc *spec.Swagger) {
	t.Helper()
	first := testkit.Encode(t, doc)
	name, src, err := p.openapi(pkg)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		definitions, err := openapi.Evaluate(pkg.Path, name, src)
		if err != nil {
			t.Fatal(err)
		}
		api, err := p.source.Model(pkg, definitions, opts)
		if api == nil {
			t.Fatal(err)
		}
		again, err := swagger.Print(api)
		if err != nil {
			t.Fatal(err)
		}
		if testkit.Encode(t, ofTypes(again)) != first {
			t.Fatal("a second model gives other bytes")
		}
	}
}

// checkRoundTrip: a document says all that the model knows.
func checkRoundTrip(t *testing.T, doc *spec.Swagger) {
	t.Helper()
	data, err := swagger.Encode(doc)
	if err != nil {
		t.Fatal(err)
	}
	back, err := swagger.Print(testkit.Model(t, data))
	if err != nil {
		t.Fatal(err)
	}
	again, err := swagger.Encode(back)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(data), string(again)); d != "" {
		t.Errorf("the document changes by being read and printed: %s", d)
	}
}

// checkExpands: go-openapi's tools resolve every reference, without asking anyone.
func checkExpands(t *testing.T, doc *spec.Swagger) {
	t.Helper()
	data, err := swagger.Encode(doc)
	if err != nil {
		t.Fatal(err)
	}
	read := &spec.Swagger{}
	if err := json.Unmarshal(data, read); err != nil {
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

// goType returns the package and the name of the Go type that a schema stands for.
func goType(s spec.Schema) (pkg, name string) {
	value, _ := s.Extensions["x-go-type"].(map[string]any)
	name, _ = value["type"].(string)
	source, _ := value["import"].(map[string]any)
	pkg, _ = source["package"].(string)
	return pkg, name
}
