package load

import (
	"errors"
	"fmt"
	"go/ast"
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

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// Inputs returns the files that decide what Load sees, without running the go command: the
// Go files of the packages, of the packages of local modules that they import (their own
// module, and those that a replace directive or go.work finds in a directory), and the go.mod and
// go.sum files that pin all other modules: of the module that the packages are loaded from, and the
// go.mod of each module in a directory that it reaches. Test files and files that generators made are
// left out. They are sorted by path.
//
// A go.work is none of them: it may be a developer's own. Of the modules that it names, those count that a
// package was found in.
func Inputs(opts Options) ([]Input, error) {
	h, err := findHome(opts)
	if err != nil {
		return nil, err
	}
	for _, importPath := range h.importPaths {
		if err := h.addPackage(importPath); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(h.files, func(a, b Input) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(h.files, func(a, b Input) bool { return a.Path == b.Path }), nil
}

// Input is a file that decides what Load sees.
type Input struct {
	Path string // absolute
	Data []byte
}

// syntaxErrors converts syntax errors in a go.mod or go.work; other errors stay as they are.
func syntaxErrors(root string, err error) error {
	found, ok := errors.AsType[modfile.ErrorList](err)
	if !ok {
		return err
	}
	var list diag.List
	for _, e := range found {
		list.Add(relative(root, token.Position{Filename: e.Filename, Line: e.Pos.Line, Column: e.Pos.LineRune}), rule, "",
			"%v", e.Err)
	}
	return list
}

// walker follows imports inside local modules.
type walker struct {
	modules  []module        // first the one that it starts from
	work     string          // go.work, if there is one
	used     map[string]bool // directories of the main modules: that one or, if there is one, those of go.work
	required map[string]bool // paths of modules that the main modules require
	seen     map[string]bool // import paths
	files    []Input
	later    map[string][]Input // of modules of a go.work, by directory: files that count once a package is found there
}

// newWalker starts from the module in a directory.
func newWalker(opts Options, dir string) (*walker, error) {
	w := &walker{used: map[string]bool{}, required: map[string]bool{}, seen: map[string]bool{},
		later: map[string][]Input{}}
	err := w.addModule(dir)
	if err == nil {
		err = w.addWorkspace(dir, Getenv(opts.Env, "GOWORK"))
	}
	if err != nil {
		return nil, syntaxErrors(opts.Root, err)
	}
	return w, nil
}

// reaches says whether a module is a main module or required by one and, if here is set, found in
// its directory and not as it was published.
func (w *walker) reaches(m module, here bool) bool {
	return w.used[m.dir] || w.required[m.path] && (!here || slices.Contains(w.modules, m))
}

// addModule adds a module in a directory, and the directories that it replaces others by.
func (w *walker) addModule(dir string) error {
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
		return diag.Errorf(token.Position{Filename: name}, rule, "write, for example: module example.org/project",
			"missing module directive")
	}
	w.modules = append(w.modules, module{mod.Module.Mod.Path, dir})
	w.used[dir] = true
	for _, r := range mod.Require {
		w.required[r.Mod.Path] = true
	}
	w.files = append(w.files, Input{name, data})
	if err := w.addFile(filepath.Join(dir, "go.sum")); err != nil {
		return err
	}
	return w.addReplaced(dir, mod.Replace)
}

// addReplaced adds the directories that replace modules; their own replace directives do not count.
func (w *walker) addReplaced(base string, replaced []*modfile.Replace) error {
	for _, r := range replaced {
		if !modfile.IsDirectoryPath(r.New.Path) {
			continue
		}
		dir := absolute(base, r.New.Path)
		w.modules = append(w.modules, module{r.Old.Path, dir})
		if err := w.addFile(filepath.Join(dir, "go.mod")); err != nil {
			return err
		}
	}
	return nil
}

// addWorkspace adds the modules of a go.work: the one that GOWORK names, else the nearest above dir.
func (w *walker) addWorkspace(dir, goWork string) error {
	if goWork == "off" {
		return nil
	}
	name := goWork
	for at := dir; name == ""; at = filepath.Dir(at) {
		switch _, err := os.Stat(filepath.Join(at, "go.work")); {
		case err == nil:
			name = filepath.Join(at, "go.work")
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("looking for go.work: %w", err)
		case at == filepath.Dir(at):
			return nil
		}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("reading %q: %w", name, err)
	}
	work, err := modfile.ParseWork(name, data, nil)
	if err != nil {
		return fmt.Errorf("parsing go.work: %w", err)
	}
	base := filepath.Dir(name)
	w.work = name
	clear(w.used)
	for _, use := range work.Use {
		used := absolute(base, use.Path)
		w.used[used] = true
		if used == dir { // it is here already
			continue
		}
		if err := w.apart(used, func() error { return w.addModule(used) }); err != nil {
			return err
		}
	}
	for _, r := range work.Replace {
		if err := w.apart(absolute(base, r.New.Path),
			func() error { return w.addReplaced(base, []*modfile.Replace{r}) }); err != nil {
			return err
		}
	}
	return nil
}

// apart keeps the files that add adds for a directory until a package is found in it.
func (w *walker) apart(dir string, add func() error) error {
	before := len(w.files)
	err := add()
	w.later[dir] = append(w.later[dir], w.files[before:]...)
	w.files = w.files[:before:before]
	return err
}

// Getenv returns the value of a variable in an environment as os.Environ gives it, "" if it is not set. The last
// entry of a name counts.
func Getenv(env []string, name string) string {
	for _, entry := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

func absolute(base, dir string) string {
	if filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return filepath.Join(base, filepath.FromSlash(dir))
}

// addFile adds a file that may be missing.
func (w *walker) addFile(name string) error {
	info, err := os.Stat(name)
	if err != nil || info.IsDir() {
		return nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("reading %q: %w", name, err)
	}
	w.files = append(w.files, Input{name, data})
	return nil
}

// addPackage adds a package if it belongs to a local module, and what it imports.
func (w *walker) addPackage(importPath string) error {
	holder, dir, ok := w.locate(importPath)
	if !ok || w.seen[importPath] {
		return nil
	}
	w.seen[importPath] = true
	w.files = append(w.files, w.later[holder]...)
	delete(w.later, holder)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("reading the package %q: %w", importPath, err)
	}
	for _, entry := range entries {
		if !isSource(entry) {
			continue
		}
		if err := w.addSource(filepath.Join(dir, entry.Name())); err != nil {
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
	// What does not parse has no imports to follow; Load says what is wrong with it.
	file, _ := parser.ParseFile(token.NewFileSet(), name, data, parser.ImportsOnly|parser.ParseComments)
	if file == nil {
		w.files = append(w.files, Input{name, data})
		return nil
	}
	if isGenerated(file) {
		return nil
	}
	w.files = append(w.files, Input{name, data})
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

// locate returns the directory of a package of a local module, and that of the module; the longest module path
// wins.
func (w *walker) locate(importPath string) (holder, dir string, ok bool) {
	best := -1
	for i, m := range w.modules {
		if !m.holds(importPath) {
			continue
		}
		if best < 0 || len(m.path) > len(w.modules[best].path) {
			best = i
		}
	}
	if best < 0 {
		return "", "", false
	}
	m := w.modules[best]
	dir = filepath.Join(m.dir, filepath.FromSlash(strings.TrimPrefix(importPath, m.path)))
	info, err := os.Stat(dir)
	return m.dir, dir, err == nil && info.IsDir()
}

// isGenerated says whether generators do not read a file because they may have written it:
// its build constraint rules out the tag that they all load with.
func isGenerated(file *ast.File) bool {
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if comment.Pos() > file.Package || !constraint.IsGoBuild(comment.Text) {
				continue
			}
			expr, err := constraint.Parse(comment.Text)
			if err != nil {
				return false
			}
			with := expr.Eval(func(string) bool { return true })
			without := expr.Eval(func(tag string) bool { return tag != gengo.StdBuildTag })
			return without && !with
		}
	}
	return false
}
