package load

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBlankBodies blanks function by function what is easy to get wrong.
func TestBlankBodies(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"body":              {"func f() { x := 1; return x }", "func f() {                ; }"},
		"empty body":        {"func f() {}", "func f() {}"},
		"comment":           {"func f() { a() /* b */; c() // d\n}", "func f() {   ; /* b */    ; // d\n}"},
		"lines":             {"func f() {\n\ta()\n\n\tb()\n}", "func f() {\n\t   \n\n\t  ;\n}"},
		"braces in strings": {"func f() { a(\"}\\\"}\", '}', '\\'', `}\n`) }", "func f() {                        \n ; }"},
		"brace in comment":  {"func f() { /* } */ a() // }\n}", "func f() { /* } */   ; // }\n}"},
		"literal":           {"func f() { func() { a() }() }", "func f() {                ; }"},
		"method":            {"func (r *R[T]) f() (a, b int) { return }", "func (r *R[T]) f() (a, b int) {      ; }"},
		"struct result":     {"func f() struct{ a int } { a() }", "func f() struct{ a int } {   ; }"},
		"interface result":  {"func f() map[string]interface{} { a() }", "func f() map[string]interface{} {   ; }"},
		"struct parameter":  {"func f(a struct{ b int }, c []interface{ d() }) { a() }", "func f(a struct{ b int }, c []interface{ d() }) {   ; }"},
		"type parameter":    {"func f[T interface{ ~int }](t T) { a() }", "func f[T interface{ ~int }](t T) {   ; }"},
		"parameters' lines": {"func f(\n\ta int,\n) error {\n\tb()\n}", "func f(\n\ta int,\n) error {\n\t  ;\n}"},
		"comment in header": {"func f() struct /* } */ { a int } { a() }", "func f() struct /* } */ { a int } {   ; }"},
		"no body":           {"func f()\nfunc g() { a() }", "func f()\nfunc g() {   ; }"},
		"no body, type":     {"func f()\ntype T struct { a int }", "func f()\ntype T struct { a int }"},
		"indented":          {"\tfunc f() { a() }", "\tfunc f() { a() }"},
		"variable":          {"var f = func() { a() }", "var f = func() { a() }"},
		"longer word":       {"func_ f() { a() }", "func_ f() { a() }"},
		"no end":            {"func f() { a() }\nfunc g() { b() ", "func f() {   ; }\nfunc g() { b() "},
		"string no end":     {"func f() { a(\" }\nfunc g() { b() }", "func f() { a(\" }\nfunc g() { b() }"},
		"comment no end":    {"func f() /* }\nfunc g() { b() }", "func f() /* }\nfunc g() { b() }"},
		"too many brackets": {"func f()) { a() }\nfunc g() { b() }", "func f()) { a() }\nfunc g() { b() }"},
		"nothing":           {"", ""},
		"last line":         {"func f() {} // a", "func f() {} // a"},
	} {
		src := []byte(c.src)
		blankBodies(src)
		if d := cmp.Diff(c.want, string(src)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// TestBlankedSame holds what the parser makes of blanked source against what it makes of the source,
// for packages with much of everything.
func TestBlankedSame(t *testing.T) {
	for _, dir := range []string{"bufio", "go/scanner", "internal/abi", "reflect", "text/template"} {
		files, err := filepath.Glob(filepath.Join(build.Default.GOROOT, "src", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files: %v", dir, err)
		}
		for _, name := range files {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			compareBlanked(t, name, src)
		}
	}
}

func FuzzBlankBodies(f *testing.F) {
	f.Add([]byte("package p\n\nfunc f() struct{} { /* a */ x(`}`, '}') // b\n\n// c\n}\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if _, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution); err == nil {
			compareBlanked(t, "source", src)
		}
	})
}

func compareBlanked(t *testing.T, name string, src []byte) {
	t.Helper()
	want := withoutBodies(t, name, src)
	blanked := bytes.Clone(src)
	blankBodies(blanked)
	if got := withoutBodies(t, name, blanked); got != want {
		t.Errorf("%s (-source +blanked):\n%s", name, cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
	}
}

// withoutBodies prints all of a file, with positions, but for what is in the functions' bodies and is no comment.
func withoutBodies(t *testing.T, name string, src []byte) string {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
			f.Body.List = nil
		}
	}
	var b strings.Builder
	if err := ast.Fprint(&b, fset, file, ast.NotNilFilter); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
