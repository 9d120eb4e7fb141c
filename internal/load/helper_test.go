package load_test

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
	return append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=")
}

// eachCase runs f on every testdata/GLOB, with the archive written to a folder, and compares
// what it returns with the archive's "want".
func eachCase(t *testing.T, glob string, f func(t *testing.T, root string, archive *txtar.Archive) string) {
	files, err := filepath.Glob(filepath.Join("testdata", glob))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", glob, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			expect(t, file, archive, f(t, write(t, archive), archive))
		})
	}
}

// expect compares got with the archive's "want", or rewrites it.
func expect(t *testing.T, file string, archive *txtar.Archive, got string) {
	t.Helper()
	if got == string(part(archive, "want")) {
		return
	}
	if !*update {
		t.Error(cmp.Diff(string(part(archive, "want")), got))
		return
	}
	set(archive, "want", got)
	if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

func part(archive *txtar.Archive, name string) []byte {
	for _, f := range archive.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

func set(archive *txtar.Archive, name, text string) {
	for i, f := range archive.Files {
		if f.Name == name {
			archive.Files[i].Data = []byte(text)
			return
		}
	}
	archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(text)})
}

// write writes an archive as a project. Where it has no go.mod, it gets this repository's, so
// that whatever that requires can be imported from the module cache; "go.mod+" is added to it.
// "module: none" leaves the project without one.
func write(t *testing.T, archive *txtar.Archive) (root string) {
	t.Helper()
	root = t.TempDir()
	for _, f := range archive.Files {
		put(t, root, f.Name, f.Data)
	}
	if part(archive, "go.mod") == nil && field(archive, "module") != "none" {
		put(t, root, "go.mod", append(goMod(t), part(archive, "go.mod+")...))
		put(t, root, "go.sum", read(t, repository, "go.sum"))
	}
	return root
}

func goMod(t *testing.T) []byte {
	t.Helper()
	file, err := modfile.Parse("go.mod", read(t, repository, "go.mod"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := file.AddModuleStmt(modulePath); err != nil {
		t.Fatal(err)
	}
	data, err := file.Format()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func read(t *testing.T, root, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return data
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

// field returns the rest of the archive's comment line that starts with name and a colon.
func field(archive *txtar.Archive, name string) string {
	for line := range bytes.Lines(archive.Comment) {
		if rest, ok := strings.CutPrefix(string(line), name+":"); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// dirs returns the API packages of an archive.
func dirs(archive *txtar.Archive) []string {
	if dirs := strings.Fields(field(archive, "apis")); len(dirs) > 0 {
		return dirs
	}
	return []string{"api/v1"}
}
