package gosource_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/golang/gosource"
)

const api = `package v1

type Meta struct {
	Kind string ` + "`json:\"kind\"`" + `
}

type Color string

type Part struct {
	Name string ` + "`json:\"name\"`" + `
}

type Own struct{}

func (*Own) UnmarshalJSON([]byte) error { return nil }

type Widget struct {
	Meta ` + "`json:\",inline\"`" + `
	Size   *int32              ` + "`json:\"size\"`" + `
	Color  Color               ` + "`json:\"color\"`" + `
	Parts  []Part              ` + "`json:\"parts\"`" + `
	Refs   []*Part             ` + "`json:\"refs\"`" + `
	Places map[string][]string ` + "`json:\"places\"`" + `
	Main   *Part               ` + "`json:\"main\"`" + `
	Ratio  float64             ` + "`json:\"ratio\"`" + `
	On     bool                ` + "`json:\"on\"`" + `
	Own    Own                 ` + "`json:\"own\"`" + `
}
`

const want = `package sample

import (
	"example.org/api/v1"
	"k8s.io/utils/ptr"
)

var Sample = v1.Widget{
	Meta: v1.Meta{
		Kind: "Widget",
	},
	Size:  ptr.To[int32](3),
	Color: "red \"x\"",
	Parts: []v1.Part{
		{
			Name: "a",
		},
	},
	Refs: []*v1.Part{
		&v1.Part{
			Name: "b",
		},
	},
	Places: map[string][]string{
		"x": {
			"y",
		},
	},
	Main:  &v1.Part{},
	Ratio: 0.5,
	On:    true,
}
`

func check(t *testing.T) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "api.go", api, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := (&types.Config{Importer: importer.Default()}).Check("example.org/api/v1", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// TestProgram writes an object with a value of each kind.
func TestProgram(t *testing.T) {
	got, err := gosource.Program(check(t), "Widget", map[string]any{
		"kind": "Widget", "size": int64(3), "color": `red "x"`, "parts": []any{map[string]any{"name": "a"}},
		"refs":   []any{map[string]any{"name": "b"}},
		"places": map[string]any{"x": []any{"y"}}, "main": map[string]any{}, "ratio": 0.5, "on": true,
	})
	if err != nil || got != want {
		t.Errorf("%v (-want +got):\n%s", err, cmp.Diff(want, got))
	}
}

// TestRefused: what cannot be written is an error.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		object map[string]any
		want   string
	}{
		{"Gadget", nil, "has no type Gadget"},
		{"Widget", map[string]any{"weight": int64(1)}, `has no field for "weight"`},
		{"Widget", map[string]any{"own": "x"}, "decodes its JSON itself"},
		{"Widget", map[string]any{"parts": "x"}, "x cannot be written as []example.org/api/v1.Part"},
	} {
		if _, err := gosource.Program(check(t), c.name, c.object); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.object, err, c.want)
		}
	}
}
