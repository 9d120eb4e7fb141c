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

// TestParse: one file that cannot be read or parsed leaves none.
func TestParse(t *testing.T) {
	good, bad := filepath.Join(t.TempDir(), "good.go"), filepath.Join(t.TempDir(), "bad.go")
	for name, text := range map[string]string{good: "package a\n\nfunc f() { x := 1 }\n",
		bad: "package a\n\nfunc f() { x := := 1 }\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := &reach{fset: token.NewFileSet()}
	if files := r.parse([]string{good, good}); len(files) != 2 {
		t.Errorf("%d files, want 2", len(files))
	}
	for _, other := range []string{bad, good + ".missing"} {
		if r.parse([]string{good, other}) != nil {
			t.Errorf("%s is parsed", filepath.Base(other))
		}
	}
}
