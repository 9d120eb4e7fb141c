package load_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
)

// TestReceiver takes the receiver of each form that Go allows.
func TestReceiver(t *testing.T) {
	for source, want := range map[string]string{
		"func F() {}":                   "",
		"func (Widget) F() {}":          "Widget",
		"func (w *Widget) F() {}":       "Widget",
		"func (w *(Widget)) F() {}":     "Widget",
		"func (p Pair[K]) F() {}":       "Pair",
		"func (p *Pair[K, V]) F() {}":   "Pair",
		"func (p *other.Widget) F() {}": "", // Go does not compile it
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := load.Receiver(file.Decls[0].(*ast.FuncDecl)); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}
