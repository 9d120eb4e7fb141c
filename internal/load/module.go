package load

import (
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"

	"github.com/flux-framework/flux-operator/internal/diag"
)

// module is the Go module that holds the API packages.
type module struct {
	dir         string // absolute
	path        string
	importPaths []string // of the asked packages, in order
}

// findModule finds the go.mod that each folder belongs to; they must share one. Foreign packages
// are looked for from that module, or from the root's if there are no folders.
func findModule(opts Options) (module, error) {
	var m module
	root, dirs := opts.Root, opts.Dirs
	for _, dir := range dirs {
		abs := filepath.Join(root, filepath.FromSlash(dir))
		if info, err := os.Stat(abs); err != nil || !info.IsDir() {
			return m, diag.List{{Rule: rule, Message: fmt.Sprintf("%s: no such folder", dir),
				Hint: "apis in sdkgen.yaml lists the folders of the API packages"}}
		}
		modDir, modPath, err := moduleOf(root, abs)
		if err != nil {
			return m, err
		}
		if m.dir != "" && m.dir != modDir {
			return m, diag.List{{Rule: rule, Message: fmt.Sprintf("%s and %s belong to different Go modules", dirs[0], dir),
				Hint: "write a sdkgen.yaml for each module"}}
		}
		m.dir, m.path = modDir, modPath
		rel, err := filepath.Rel(modDir, abs)
		if err != nil {
			return m, fmt.Errorf("locating %q: %w", dir, err)
		}
		m.importPaths = append(m.importPaths, importPathOf(modPath, rel))
	}
	if m.dir == "" {
		var err error
		if m.dir, m.path, err = moduleOf(root, root); err != nil {
			return m, err
		}
	}
	for _, foreign := range opts.Foreign {
		m.importPaths = append(m.importPaths, foreign.Path)
	}
	return m, nil
}

// moduleOf climbs from dir to root and returns the folder and path of the first module on the way.
func moduleOf(root, dir string) (modDir, modPath string, err error) {
	for at := dir; ; at = filepath.Dir(at) {
		file := filepath.Join(at, "go.mod")
		data, err := os.ReadFile(file)
		switch {
		case err == nil:
			modPath := modfile.ModulePath(data)
			if modPath == "" {
				return "", "", diag.List{{Pos: token.Position{Filename: file}, Rule: rule, Message: "there is no module line"}}
			}
			return at, modPath, nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", "", fmt.Errorf("reading %q: %w", file, err)
		case at == root:
			return "", "", diag.List{{Rule: rule, Message: "there is no go.mod in the project's root",
				Hint: "run `go mod init` there, or name the root with -C"}}
		}
	}
}
