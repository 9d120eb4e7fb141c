package load

import (
	"context"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestReached says which packages are parsed for this API: those that its types are made of, and not
// all that these packages import.
func TestReached(t *testing.T) {
	root, err := filepath.Abs(testkit.Repository)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Load(context.Background(), Options{Root: root, Env: os.Environ(), Dirs: []string{"api/v1alpha1"}})
	if err != nil {
		t.Fatal(err)
	}
	all, parsed := 0, map[string]bool{}
	packages.Visit([]*packages.Package{res.Packages[0].Source.Package}, nil, func(pkg *packages.Package) {
		all++
		if pkg.Syntax != nil {
			parsed[pkg.PkgPath] = true
		}
	})
	for _, path := range []string{res.Packages[0].Path, metav1, "time"} {
		if !parsed[path] {
			t.Errorf("%s was not parsed", path)
		}
	}
	if len(parsed) > 10 || all < 100 {
		t.Errorf("%d of %d packages were parsed: %v", len(parsed), all, parsed)
	}
}

// TestParseBodies: what is wrong in a function's body is seen where bodies are asked for, and only there.
func TestParseBodies(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.go")
	for text, want := range map[string][2]bool{ // with bodies and without: is it parsed?
		"package a\n\nfunc f() { x := := 1 }\n": {false, true},
		"package a\n\nfunc f() { x := 1 }\n":    {true, true},
		"package a\n\nfunc f( { x := 1 }\n":     {false, false},
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r := &reach{fset: token.NewFileSet()}
		for i, bodies := range []bool{true, false} {
			if got := r.parse([]string{name}, bodies) != nil; got != want[i] {
				t.Errorf("%q, bodies %t: parsed %t, want %t", text, bodies, got, want[i])
			}
		}
		if r.parse([]string{name, name + ".missing"}, false) != nil {
			t.Error("a missing file is no error")
		}
	}
}
