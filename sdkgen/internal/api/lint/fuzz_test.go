package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/loader"
)

// fuzzed is a package with a line in the comment of a type and of fields of several types.
const fuzzed = `package v1

const Constant = "a"

// %[1]s
type Text string

// %[1]s
type Spec struct {
	// %[1]s
	A int64 ` + "`json:\"a,omitempty\"`" + `

	// %[1]s
	B *Text ` + "`json:\"b\"`" + `

	// %[1]s
	C []string ` + "`json:\"c,omitempty\"`" + `

	// %[1]s
	D map[string]Sub ` + "`json:\"d,omitempty\"`" + `

	// %[1]s
	E []Sub ` + "`json:\"e,omitempty\"`" + `

	// %[1]s
	F Sub ` + "`json:\"f,omitempty\"`" + `
}

// %[1]s
type Sub struct {
	Name Text ` + "`json:\"name\"`" + `
	// +kubebuilder:validation:Minimum=1
	Count int32 ` + "`json:\"count,omitempty\"`" + `
}
`

// FuzzMarker: whatever a marker says, the linter ends, and each diagnostic has a place and one line.
func FuzzMarker(f *testing.F) {
	for _, line := range []string{
		"+default={\"name\": \"a\"}", "+default=ref(Constant)", "+kubebuilder:default={a,b}",
		"+kubebuilder:validation:Enum=a;b;\"c d\"",
		"+kubebuilder:validation:Maximum=1e300", "+kubebuilder:validation:Minimum=-9007199254740993",
		"+k8s:maximum=0x1p60 # x",
		"+kubebuilder:validation:items:Pattern=`^a`", "+kubebuilder:validation:XValidation:rule=\"self > 1\",message=\"no\"",
		"+k8s:validation:properties:name:maxLength=3", "+k8s:validation:items:cel[0]:rule>self",
		"+k8s:validation:enum=[\"a\", 5]",
		"+listType=map", "+listMapKey=name", "+kubebuilder:validation:ExactlyOneOf=a;b",
		"+kubebuilder:validation:Type=string", "+enum",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\n\r") {
			return
		}
		pkg := &packages.Package{Name: "v1", PkgPath: "example.org/api/v1", Fset: token.NewFileSet()}
		file, err := parser.ParseFile(pkg.Fset, "types.go", fmt.Sprintf(fuzzed, line), parser.ParseComments)
		if err != nil {
			return
		}
		pkg.Syntax = []*ast.File{file}
		pkg.TypesInfo = &types.Info{Defs: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{},
			Uses: map[*ast.Ident]types.Object{}}
		config := types.Config{Error: func(error) {}}
		if pkg.Types, err = config.Check(pkg.PkgPath, pkg.Fset, pkg.Syntax, pkg.TypesInfo); err != nil {
			t.Fatal(err)
		}
		for _, d := range check([]source{{"api/v1", false, &loader.Package{Package: pkg}, nil}}) {
			if d.Pos.Filename != "api/v1/types.go" || d.Pos.Line == 0 || d.Message == "" || strings.Contains(d.Message, "\n") {
				t.Errorf("%q: %#v", line, d)
			}
		}
	})
}
