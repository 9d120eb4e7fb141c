package golang_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
)

// checkDeprecated holds what go doc and staticcheck take for deprecated in the case "deprecated" against what its
// document says: those whose comments have a paragraph that begins with "Deprecated: ".
func checkDeprecated(t *testing.T, set *artifact.Set) {
	t.Helper()
	want := []string{"Client.Widgets", "NewPart", "NewPartWithDefaults", "NewWidget", "Part", "Widget", "WidgetSpec.Part",
		"WidgetSpec.Size"}
	var got []string
	note := func(name string, doc *ast.CommentGroup) {
		if slices.ContainsFunc(strings.Split(doc.Text(), "\n\n"),
			func(paragraph string) bool { return strings.HasPrefix(paragraph, "Deprecated: ") }) {
			got = append(got, name)
		}
	}
	for file := range set.All() {
		syntax, err := parser.ParseFile(token.NewFileSet(), file.Path, file.Data, parser.ParseComments)
		if err != nil {
			continue // it is no Go
		}
		for _, decl := range syntax.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				note(receiver(decl)+decl.Name.Name, decl.Doc)
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if typ, ok := spec.(*ast.TypeSpec); ok {
						note(typ.Name.Name, decl.Doc)
						noteFields(typ, note)
					}
				}
			}
		}
	}
	slices.Sort(got)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("deprecated are:\n%s", d)
	}
}

func noteFields(typ *ast.TypeSpec, note func(string, *ast.CommentGroup)) {
	fields, ok := typ.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range fields.Fields.List {
		for _, name := range field.Names {
			note(typ.Name.Name+"."+name.Name, field.Doc)
		}
	}
}

// receiver is the type of a method with a dot behind it, "" for a function.
func receiver(decl *ast.FuncDecl) string {
	if decl.Recv == nil {
		return ""
	}
	typ := decl.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if name, ok := typ.(*ast.Ident); ok {
		return name.Name + "."
	}
	return ""
}
