package lint_test

import (
	"context"
	"flag"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"
	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// repository is the root of this repository.
var repository = testkit.Repository

// Every case gets these files, unless it brings its own.
var common = map[string]string{
	"api/v1/doc.go": "// +k8s:openapi-gen=true\n// +groupName=example.org\npackage v1\n",
	"api/v1/kind.go": "package v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct " +
		"{\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n",
}

// offline is an environment in which the go command does not ask the network.
func offline() []string {
	return append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=", "CGO_ENABLED=0")
}

// testCase is one archive of testdata.
type testCase struct {
	name, file string
	archive    *txtar.Archive
	dirs       []string          // of its packages, as diagnostics name them
	pkgs       []*loader.Package // in the same order
}

// readCases reads the archives of testdata.
func readCases(t *testing.T) []*testCase {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	var all []*testCase
	for _, file := range files {
		all = append(all, &testCase{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), file: file,
			archive: parse(t, file)})
	}
	return all
}

// writeCases writes the cases, each in a directory of its name in one module, since most of the time
// goes into loading what they import.
func writeCases(t *testing.T, all []*testCase) (root string) {
	t.Helper()
	root = newModule(t)
	for _, c := range all {
		c.write(t, filepath.Join(root, c.name))
	}
	return root
}

// cases loads all cases.
func cases(t *testing.T) []*testCase {
	t.Helper()
	all := readCases(t)
	for _, pkg := range loadPackages(t, writeCases(t, all), "./...") {
		name, dir, _ := strings.Cut(strings.TrimPrefix(pkg.PkgPath, modulePath+"/"), "/")
		for _, c := range all {
			if c.name == name {
				c.dirs, c.pkgs = append(c.dirs, dir), append(c.pkgs, pkg)
			}
		}
	}
	return all
}

// write writes the files of the case, and those that every case has.
func (c *testCase) write(t *testing.T, dir string) {
	t.Helper()
	for name, text := range common {
		put(t, dir, name, []byte(text))
	}
	for _, f := range c.archive.Files {
		if f.Name != "want" {
			put(t, dir, f.Name, f.Data)
		}
	}
}

const modulePath = "example.org/op"

// newModule makes a module that resolves from this module's cache.
func newModule(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	if err := testkit.WriteModule(root, modulePath); err != nil {
		t.Fatal(err)
	}
	return root
}

func put(t *testing.T, root, name string, data []byte) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func parse(t *testing.T, file string) *txtar.Archive {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return archive
}

func part(archive *txtar.Archive, name string) []byte {
	for _, f := range archive.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// expect compares got with the archive's "want", or rewrites it.
func expect(t *testing.T, file string, archive *txtar.Archive, got string) {
	t.Helper()
	at := -1
	for i, f := range archive.Files {
		if f.Name == "want" {
			at = i
		}
	}
	if at < 0 {
		archive.Files = append(archive.Files, txtar.File{Name: "want"})
		at = len(archive.Files) - 1
	}
	want := string(archive.Files[at].Data)
	if got == want {
		return
	}
	if flag.Lookup("update").Value.String() != "true" { // golden's
		t.Error(cmp.Diff(want, got))
		return
	}
	archive.Files[at].Data = []byte(got)
	if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// loadProject loads a project as the toolchain does.
func loadProject(root string, dirs []string) (*load.Result, error) {
	return load.Load(context.Background(), load.Options{Root: root, Env: offline(), Dirs: dirs})
}

// loadPackages loads packages without what load.Load demands of an API.
func loadPackages(t *testing.T, dir string, patterns ...string) []*loader.Package {
	t.Helper()
	cfg := &packages.Config{Mode: packages.NeedModule, Dir: dir, Env: append(os.Environ(), "GOFLAGS=", "CGO_ENABLED=0"),
		Fset: token.NewFileSet()}
	roots, err := loader.LoadRootsWithConfig(cfg, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	checker := &loader.TypeChecker{}
	for _, root := range roots {
		checker.Check(root)
	}
	return roots
}
