package testkit

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/txtar"
)

// ModulePath is the module path of the projects that Project writes.
const ModulePath = "example.org/op"

// Repository is the root of the repository, relative to the directory of the running test: its API is an example in
// some tests.
var Repository = repository()

func repository() string {
	for dir := ".."; ; dir = filepath.Join("..", dir) {
		if _, err := os.Stat(filepath.Join(dir, "sdkgen", "go.mod")); err == nil || len(dir) > 60 {
			return dir
		}
	}
}

// Offline is an environment in which the go command does not ask the network.
func Offline() []string {
	return append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=")
}

// Project writes an archive as a project to a new directory and fetches what testdata/project requires.
// Where it has no go.mod, it gets that of testdata/project, so that whatever is imported there can be imported
// from the module cache; "go.mod+" is added to it. "module:" in the archive's comment is a module path other than
// ModulePath, or "none", which leaves the project without a go.mod.
func Project(t *testing.T, archive *txtar.Archive) (root string) {
	t.Helper()
	if _, err := fetch(); err != nil {
		t.Fatal(err)
	}
	root = t.TempDir()
	for _, f := range archive.Files {
		Write(t, root, f.Name, f.Data)
	}
	module := field(archive, "module")
	if module == "none" || index(archive, "go.mod") >= 0 {
		return root
	}
	if module == "" {
		module = ModulePath
	}
	if err := WriteModule(root, module); err != nil {
		t.Fatal(err)
	}
	goMod := filepath.Join(root, "go.mod")
	Write(t, root, "go.mod", append(Read(t, goMod), part(archive, "go.mod+")...))
	return root
}

// WriteModule writes a go.mod of a module of that path, and a go.sum, to a directory. It requires of
// others what testdata/project does, which is in the module cache afterwards.
func WriteModule(dir, module string) error {
	fixture, err := fetch()
	if err != nil {
		return err
	}
	name := filepath.Join(fixture, "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	file, err := modfile.Parse(name, data, nil)
	if err != nil {
		return err
	}
	if err := file.AddModuleStmt(module); err != nil {
		return err
	}
	if data, err = file.Format(); err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(fixture, "go.sum"))
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(dir, "go.mod"), data, 0o644),
		os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644))
}

// fetch has the go command put into its module cache what the module graph and the packages of testdata/project
// need, once for each test binary: a test may be the first thing that runs on a machine. It returns that directory.
var fetch = sync.OnceValues(func() (fixture string, err error) {
	fixture = filepath.Join(Repository, "sdkgen", "internal", "testkit", "testdata", "project")
	for _, args := range [][]string{{"list", "-m", "all"}, {"list", "-deps", "./..."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = fixture, append(os.Environ(), "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("fetching the modules of %s: %w\n%s", fixture, err, out)
		}
	}
	return fixture, nil
})

// Read returns what a file holds.
func Read(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Write writes the file name, which has slashes, below root, with its directories.
func Write(t *testing.T, root, name string, data []byte) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
