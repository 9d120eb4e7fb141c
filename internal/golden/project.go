package golden

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/txtar"
)

const (
	// ModulePath is that of the modules that Project writes.
	ModulePath = "example.org/op"
	// Repository is the root of this repository, for the tests of a package under internal/.
	Repository = "../.."
)

// Offline is an environment in which the go command does not ask the network.
func Offline() []string {
	return append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=")
}

// Project writes an archive as a project to a new folder. Where it has no go.mod, it gets this
// repository's, so that whatever that requires can be imported from the module cache; "go.mod+"
// is added to it. "module:" in the archive's comment is a module path other than ModulePath, or
// "none", which leaves the project without a go.mod.
func Project(t *testing.T, archive *txtar.Archive) (root string) {
	t.Helper()
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
	if err := WriteModule(root, Repository, module); err != nil {
		t.Fatal(err)
	}
	goMod := filepath.Join(root, "go.mod")
	Write(t, root, "go.mod", append(Read(t, goMod), part(archive, "go.mod+")...))
	return root
}

// WriteModule writes a go.mod of a module of that path, and a go.sum, to a folder. It requires of
// others what the go.mod in the repository does.
func WriteModule(dir, repository, module string) error {
	name := filepath.Join(repository, "go.mod")
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
	for _, own := range file.Replace { // the repository's other modules, in its folders
		if err := errors.Join(file.DropRequire(own.Old.Path), file.DropReplace(own.Old.Path, own.Old.Version)); err != nil {
			return err
		}
	}
	file.Cleanup()
	if data, err = file.Format(); err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(repository, "go.sum"))
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(dir, "go.mod"), data, 0o644), os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644))
}

// Read returns what a file holds.
func Read(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Write writes the file name, which has slashes, below root, with its folders.
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
