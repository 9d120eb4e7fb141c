package testkit

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Universe type-checks packages of test projects. It reads what they import of other modules once, from the export data
// that the go command makes, so that a case takes milliseconds instead of a go build.
type Universe struct {
	fset    *token.FileSet
	root    string            // directory of a project, in which the go command runs
	exports map[string]string // files of export data by import path
	others  types.Importer
}

// NewUniverse returns an empty universe. The project at root, which Project made, has the requirements of all others.
func NewUniverse(root string) *Universe {
	u := &Universe{fset: token.NewFileSet(), root: root, exports: map[string]string{}}
	u.others = importer.ForCompiler(u.fset, "gc", u.open)
	return u
}

// open returns the export data of a package.
func (u *Universe) open(importPath string) (io.ReadCloser, error) {
	if u.exports[importPath] == "" {
		cmd := exec.Command("go", "list", "-mod=mod", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", importPath)
		cmd.Dir, cmd.Env = u.root, append(Offline(), "CGO_ENABLED=0")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("listing %s: %w\n%s", importPath, err, stderr.Bytes())
		}
		for line := range strings.Lines(string(out)) {
			name, file, _ := strings.Cut(strings.TrimSpace(line), " ")
			u.exports[name] = file
		}
	}
	return os.Open(u.exports[importPath])
}

// Packages are the packages of one project in a universe.
type Packages struct {
	universe *Universe
	root     string
	checked  map[string]*types.Package
}

// Project returns the packages of the project at root, whose module has the path ModulePath, as they are now.
func (u *Universe) Project(root string) *Packages {
	return &Packages{universe: u, root: root, checked: map[string]*types.Package{}}
}

// Import implements types.Importer.
func (p *Packages) Import(importPath string) (*types.Package, error) {
	below, own := strings.CutPrefix(importPath, ModulePath+"/")
	if !own {
		return p.universe.others.Import(importPath)
	}
	if pkg := p.checked[importPath]; pkg != nil {
		return pkg, nil
	}
	dir := filepath.Join(p.root, filepath.FromSlash(below))
	files, err := build.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	sources := map[string][]byte{}
	for _, name := range files.GoFiles {
		if sources[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	pkg, err := p.Check(importPath, sources)
	p.checked[importPath] = pkg
	return pkg, err
}

// Check type-checks the files of a package.
func (p *Packages) Check(importPath string, sources map[string][]byte) (*types.Package, error) {
	var files []*ast.File
	for name, source := range sources {
		file, err := parser.ParseFile(p.universe.fset, name, source, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	config := types.Config{Importer: p}
	return config.Check(importPath, p.universe.fset, files, nil)
}

// CheckAll type-checks all packages of directories of the project.
func (p *Packages) CheckAll(t *testing.T, dirs ...string) {
	t.Helper()
	for _, dir := range dirs {
		err := filepath.WalkDir(filepath.Join(p.root, dir), func(name string, entry os.DirEntry, err error) error {
			if err != nil || !entry.IsDir() {
				return err
			}
			if found, err := filepath.Glob(filepath.Join(name, "*.go")); err != nil || len(found) == 0 {
				return err
			}
			below, err := filepath.Rel(p.root, name)
			if err != nil {
				return err
			}
			_, err = p.Import(ModulePath + "/" + filepath.ToSlash(below))
			return err
		})
		if err != nil {
			t.Fatalf("the packages in %s do not compile: %v", dir, err)
		}
	}
}
