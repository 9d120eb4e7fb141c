package swagger_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/modfile"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected parts of testdata")

const (
	// modulePath is that of the modules that the tests write.
	modulePath = "example.org/op"
	// repository is the root of this repository.
	repository = "../.."
)

// offline is an environment in which the go command does not ask the network.
func offline() []string {
	return append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
}

// testCase is one testdata/*/NAME.txtar. Its comment says what it shows, and has lines
// "FIELD: value".
type testCase struct {
	name, file string
	*txtar.Archive
}

func cases(t *testing.T, dir string) []testCase {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", dir, err)
	}
	var all []testCase
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, testCase{strings.TrimSuffix(filepath.Base(file), ".txtar"), file, archive})
	}
	return all
}

func (c testCase) field(name string) string {
	for line := range bytes.Lines(c.Comment) {
		if rest, ok := strings.CutPrefix(string(line), name+":"); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

func (c testCase) part(name string) (string, bool) {
	for _, f := range c.Files {
		if f.Name == name {
			return string(f.Data), true
		}
	}
	return "", false
}

// expect compares got with the case's "want", or rewrites it.
func (c testCase) expect(t *testing.T, got string) {
	t.Helper()
	want, found := c.part("want")
	if got == want {
		return
	}
	if !*update {
		t.Error(cmp.Diff(want, got))
		return
	}
	if !found {
		c.Files = append(c.Files, txtar.File{Name: "want"})
	}
	for i := range c.Files {
		if c.Files[i].Name == "want" {
			c.Files[i].Data = []byte(got)
		}
	}
	if err := os.WriteFile(c.file, txtar.Format(c.Archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// writeModule starts a module that requires what this repository requires, so that whatever
// that is can be imported from the module cache.
func writeModule(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	mod, err := modfile.Parse("go.mod", []byte(read(t, filepath.Join(repository, "go.mod"))), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := mod.AddModuleStmt(modulePath); err != nil {
		t.Fatal(err)
	}
	data, err := mod.Format()
	if err != nil {
		t.Fatal(err)
	}
	put(t, root, "go.mod", string(data))
	put(t, root, "go.sum", read(t, filepath.Join(repository, "go.sum")))
	return root
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func put(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
