package load

import (
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// module is a Go module in a directory.
type module struct {
	path string
	dir  string // absolute
}

// importPath returns the import path of a directory of the module.
func (m module) importPath(dir string) (string, error) {
	rel, err := filepath.Rel(m.dir, dir)
	if err != nil {
		return "", fmt.Errorf("locating %q: %w", dir, err)
	}
	return path.Join(m.path, filepath.ToSlash(rel)), nil
}

// holds says whether an import path is the module's, or of a module below it.
func (m module) holds(importPath string) bool {
	return importPath == m.path || strings.HasPrefix(importPath, m.path+"/")
}

// home is the module that the packages are loaded from.
type home struct {
	module
	importPaths []string // of the asked packages, in order
	holders     []module // of the project's own packages, each once
	foreign     bool     // there are packages of other modules
	*walker              // knows the module and those that it finds in directories
}

// findHome finds the module to load the packages from. The project's own, if they are of one
// module, are loaded from it, as by its users, whatever else the project requires. Packages of
// several modules, and those that are not the project's, are loaded from the module of the root,
// which must reach them.
func findHome(opts Options) (*home, error) {
	h := &home{}
	for _, dir := range opts.Dirs {
		abs := filepath.Join(opts.Root, filepath.FromSlash(dir))
		if info, err := os.Stat(abs); err != nil || !info.IsDir() {
			return nil, diag.Errorf(token.Position{Filename: dir}, rule,
				"apis in sdkgen.yaml lists the directories of the API packages", "no such directory")
		}
		holder, err := moduleOf(opts.Root, abs)
		if err != nil {
			return nil, err
		}
		importPath, err := holder.importPath(abs)
		if err != nil {
			return nil, err
		}
		h.importPaths = append(h.importPaths, importPath)
		if !slices.Contains(h.holders, holder) {
			h.holders = append(h.holders, holder)
		}
	}
	for _, foreign := range opts.Foreign {
		h.importPaths, h.foreign = append(h.importPaths, foreign.Path), true
	}
	if err := h.choose(opts); err != nil {
		return nil, err
	}
	if !h.used[h.dir] {
		return nil, diag.Errorf(relative(opts.Root, token.Position{Filename: h.work}), rule,
			"run `go work use .`"+in(opts.Root, h.dir)+", or set GOWORK=off",
			"the workspace does not use the module in %s", directory(opts.Root, h.dir))
	}
	for _, holder := range h.holders {
		if !h.reaches(holder, true) {
			return nil, h.unreached(opts.Root, holder, "apis in sdkgen.yaml lists a package of it")
		}
	}
	return h, nil
}

// choose sets the module that the packages are loaded from.
func (h *home) choose(opts Options) error {
	root, err := moduleOf(opts.Root, opts.Root)
	if len(h.holders) == 0 {
		if err != nil {
			return err
		}
		h.holders = []module{root}
	}
	h.module = h.holders[0]
	if err == nil && (len(h.holders) > 1 || len(opts.Foreign) > 0) {
		h.module = root
	}
	h.walker, err = newWalker(opts, h.dir)
	return err
}

// unreached reports a module that is not found where it is imported from.
func (w *walker) unreached(root string, m module, why string) error {
	message := fmt.Sprintf("the module does not require %s: %s", m.path, why)
	if w.required[m.path] {
		message = fmt.Sprintf("the module does not replace %s with its directory in this project, %s", m.path,
			directory(root, m.dir))
	}
	goMod := relative(root, token.Position{Filename: filepath.Join(w.modules[0].dir, "go.mod")})
	return diag.Errorf(goMod, rule, w.reach(root, m), "%s", message)
}

// reach says what to run so that a module is found in its directory.
func (w *walker) reach(root string, m module) string {
	from := w.modules[0].dir
	to, err := filepath.Rel(from, m.dir)
	if err != nil {
		to = m.dir
	}
	if to = filepath.ToSlash(to); !modfile.IsDirectoryPath(to) {
		to = "./" + to
	}
	command := "go mod edit"
	if !w.required[m.path] {
		command += " -require=" + m.path + "@v0.0.0"
	}
	return "run `" + command + " -replace=" + m.path + "=" + to + "`" + in(root, from)
}

// directory names a directory of the project.
func directory(root, dir string) string {
	if rel, err := filepath.Rel(root, dir); err == nil && rel != "." {
		return filepath.ToSlash(rel)
	}
	return "the project's root"
}

// in says where to run a command, if that is not the project's root.
func in(root, dir string) string {
	if dir == root {
		return ""
	}
	return " in " + directory(root, dir)
}

// moduleOf climbs from dir to root and returns the first module on the way.
func moduleOf(root, dir string) (module, error) {
	for at := dir; ; at = filepath.Dir(at) {
		file := filepath.Join(at, "go.mod")
		data, err := os.ReadFile(file)
		switch {
		case err == nil:
			modPath := modfile.ModulePath(data)
			if modPath == "" {
				return module{}, diag.Errorf(relative(root, token.Position{Filename: file}), rule,
					"write, for example: module example.org/project", "missing module directive")
			}
			return module{modPath, at}, nil
		case !errors.Is(err, fs.ErrNotExist):
			return module{}, fmt.Errorf("reading %q: %w", file, err)
		case at == root:
			return module{}, diag.Errorf(token.Position{}, rule,
				"run `go mod init` in the project's root, or name the root with -C",
				"no go.mod in %s or above it in the project", directory(root, dir))
		}
	}
}

// ImportPath returns the import path of a directory of the project that is for code which imports the
// API packages, slash-separated and relative to the root. The directory need not exist. That its
// module does not require the modules of the packages is a diag.List.
func ImportPath(opts Options, dir string) (string, error) {
	h, err := findHome(opts)
	if err != nil {
		return "", err
	}
	at := filepath.Join(opts.Root, filepath.FromSlash(dir))
	m, err := moduleOf(opts.Root, at)
	if err != nil {
		return "", err
	}
	w, err := newWalker(opts, m.dir)
	if err != nil {
		return "", err
	}
	for _, holder := range h.holders {
		if !w.reaches(holder, false) {
			return "", w.unreached(opts.Root, holder, "the code in "+dir+" imports it")
		}
	}
	return m.importPath(at)
}
