package swagger_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// elsewhere are markers that say nothing of a type's schema.
var elsewhere = []string{"groupName", "k8s:openapi-gen", "k8s:openapi-model-package"}

// TestTypesAreComplete: docs/use/types.md has a row for each marker and each type of fields in the cases
// of TestBuild that have a document, and in lint's case of right markers.
func TestTypesAreComplete(t *testing.T) {
	registry := &markers.Registry{}
	if err := crdmarkers.Register(registry); err != nil {
		t.Fatal(err)
	}
	rows := used{registry: registry, names: map[string]bool{}}
	for _, c := range testkit.Cases(t, "types/*.txtar") {
		rows.read(t, c)
	}
	corpus := used{registry: registry, names: map[string]bool{}}
	for _, c := range testkit.Cases(t, "build/*.txtar") {
		if strings.HasPrefix(c.Part("want"), "{") && !c.Has("refused") {
			corpus.read(t, c)
		}
	}
	for name := range corpus.names {
		if !rows.names[name] && !slices.Contains(elsewhere, strings.TrimPrefix(name, "+")) {
			t.Errorf("%s is used in the corpus, but there is no row for it", name)
		}
	}
	if len(rows.names) < 100 {
		t.Errorf("only %v", slices.Sorted(maps.Keys(rows.names)))
	}
}

// used collects the markers of a case, and the types of its fields that are not its own.
type used struct {
	registry *markers.Registry
	names    map[string]bool
}

func (u *used) read(t *testing.T, c *testkit.Case) {
	t.Helper()
	for _, f := range c.Files {
		if !strings.HasSuffix(f.Name, ".go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Data, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range file.Comments {
			for _, text := range markersOf(group) {
				u.names["+"+u.name(text)] = true
			}
		}
		imports := map[string]string{}
		for _, imported := range file.Imports {
			path := strings.Trim(imported.Path.Value, `"`)
			local := path[strings.LastIndexByte(path, '/')+1:]
			if imported.Name != nil {
				local = imported.Name.Name
			}
			imports[local] = path
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok && loader.ParseAstTag(field.Tag).Get("json") != "" {
				u.types(field.Type, imports)
			}
			return true
		})
	}
}

// types notes the basic types and those of other modules in a field's type.
func (u *used) types(x ast.Expr, imports map[string]string) {
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if path := imports[n.X.(*ast.Ident).Name]; !strings.HasPrefix(path, testkit.ModulePath) {
				u.names[path+"."+n.Sel.Name] = true
			}
			return false
		case *ast.Ident:
			if token.IsExported(n.Name) {
				return false
			}
			u.names[n.Name] = true
		}
		return true
	})
}

// name is a marker's name, without its arguments.
func (u *used) name(text string) string {
	for _, target := range []markers.TargetType{markers.DescribesField, markers.DescribesType, markers.DescribesPackage} {
		if definition := u.registry.Lookup(text, target); definition != nil {
			return definition.Name
		}
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(text, "+"), "=")
	if strings.HasPrefix(name, "k8s:validation:") { // the twins of kubebuilder's
		return "k8s:validation"
	}
	return name
}
