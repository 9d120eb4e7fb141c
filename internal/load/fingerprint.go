package load

import (
	"bytes"
	"errors"
	"fmt"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
	"k8s.io/gengo/v2"
)

// Inputs returns the files that decide what Load sees, without running the go command: the
// Go files of the packages, of the packages of local modules that they import (their own
// module, and those that a replace directive or go.work finds in a folder), and the go.mod,
// go.sum and go.work files that pin all other modules. Test files and files that generators
// made are left out. The paths are absolute and sorted.
func Inputs(opts Options) ([]string, error) {
	m, err := findModule(opts.Root, opts.Dirs)
	if err != nil {
		return nil, err
	}
	w := &walker{seen: map[string]bool{}}
	if err := w.addModule(m.dir); err != nil {
		return nil, err
	}
	if err := w.addWorkspace(m.dir); err != nil {
		return nil, err
	}
	for _, importPath := range m.importPaths {
		if err := w.addPackage(importPath); err != nil {
			return nil, err
		}
	}
	slices.Sort(w.files)
	return slices.Compact(w.files), nil
}

// walker follows imports inside local modules.
type walker struct {
	modules []localModule
	seen    map[string]bool // import paths
	files   []string
}

type localModule struct{ path, dir string }

// addModule adds a module in a folder, and the folders that it replaces others by.
func (w *walker) addModule(dir string) error {
	if slices.ContainsFunc(w.modules, func(m localModule) bool { return m.dir == dir }) {
		return nil
	}
	name := filepath.Join(dir, "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("reading %q: %w", name, err)
	}
	mod, err := modfile.Parse(name, data, nil)
	if err != nil {
		return fmt.Errorf("parsing go.mod: %w", err)
	}
	if mod.Module == nil {
		return fmt.Errorf("parsing %q: there is no module line", name)
	}
	w.modules = append(w.modules, localModule{mod.Module.Mod.Path, dir})
	w.files = append(w.files, name)
	w.addFile(filepath.Join(dir, "go.sum"))
	for _, replace := range mod.Replace {
		if modfile.IsDirectoryPath(replace.New.Path) {
			w.modules = append(w.modules, localModule{replace.Old.Path, absolute(dir, replace.New.Path)})
		}
	}
	return nil
}

// addWorkspace adds the modules of the nearest go.work above dir.
func (w *walker) addWorkspace(dir string) error {
	for at := dir; ; at = filepath.Dir(at) {
		name := filepath.Join(at, "go.work")
		data, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			if at == filepath.Dir(at) {
				return nil
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("reading %q: %w", name, err)
		}
		work, err := modfile.ParseWork(name, data, nil)
		if err != nil {
			return fmt.Errorf("parsing go.work: %w", err)
		}
		w.files = append(w.files, name)
		w.addFile(filepath.Join(at, "go.work.sum"))
		for _, use := range work.Use {
			if err := w.addModule(absolute(at, use.Path)); err != nil {
				return err
			}
		}
		return nil
	}
}

func absolute(base, dir string) string {
	if filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return filepath.Join(base, filepath.FromSlash(dir))
}

func (w *walker) addFile(name string) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		w.files = append(w.files, name)
	}
}

// addPackage adds a package if it belongs to a local module, and what it imports.
func (w *walker) addPackage(importPath string) error {
	dir, ok := w.locate(importPath)
	if !ok || w.seen[importPath] {
		return nil
	}
	w.seen[importPath] = true
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("reading the package %q: %w", importPath, err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if err := w.addSource(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) addSource(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("reading %q: %w", name, err)
	}
	if isGenerated(data) {
		return nil
	}
	w.files = append(w.files, name)
	// What does not parse has no imports to follow; Load says what is wrong with it.
	file, _ := parser.ParseFile(token.NewFileSet(), name, data, parser.ImportsOnly)
	if file == nil {
		return nil
	}
	for _, spec := range file.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if err := w.addPackage(importPath); err != nil {
			return err
		}
	}
	return nil
}

// locate returns the folder of a package of a local module; the longest module path wins.
func (w *walker) locate(importPath string) (string, bool) {
	best := -1
	for i, m := range w.modules {
		if importPath != m.path && !strings.HasPrefix(importPath, m.path+"/") {
			continue
		}
		if best < 0 || len(m.path) > len(w.modules[best].path) {
			best = i
		}
	}
	if best < 0 {
		return "", false
	}
	m := w.modules[best]
	dir := filepath.Join(m.dir, filepath.FromSlash(strings.TrimPrefix(importPath, m.path)))
	info, err := os.Stat(dir)
	return dir, err == nil && info.IsDir()
}

// isGenerated says whether generators do not read a file because they may have written it:
// its build constraint rules out the tag that they all load with.
func isGenerated(src []byte) bool {
	for line := range bytes.Lines(src) {
		text := strings.TrimSpace(string(line))
		if text != "" && !strings.HasPrefix(text, "//") {
			return false
		}
		if !constraint.IsGoBuild(text) {
			continue
		}
		expr, err := constraint.Parse(text)
		if err != nil {
			return false
		}
		with := expr.Eval(func(string) bool { return true })
		without := expr.Eval(func(tag string) bool { return tag != gengo.StdBuildTag })
		return without && !with
	}
	return false
}
