package load

import (
	"fmt"
	"go/token"
	"go/version"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// PackagePath returns the import path of a directory of the project, slash-separated and relative to its root.
// The directory need not exist.
func PackagePath(root, dir string) (string, error) {
	at := filepath.Join(root, filepath.FromSlash(dir))
	m, err := moduleOf(root, at)
	if err != nil {
		return "", err
	}
	return m.importPath(at)
}

// ModuleDir returns the directory of the module that a directory of the project is in, both slash-separated and
// relative to its root.
func ModuleDir(root, dir string) (string, error) {
	m, err := moduleOf(root, filepath.Join(root, filepath.FromSlash(dir)))
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(root, m.dir)
	return filepath.ToSlash(rel), err
}

// RequireGo reports the go directive of the module that a directory of the project is in, if it names an older
// version than what needs, such as 1.24.
func RequireGo(root, dir, needed, what string) error {
	m, err := moduleOf(root, filepath.Join(root, filepath.FromSlash(dir)))
	if err != nil {
		return err
	}
	name := filepath.Join(m.dir, "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("reading %q: %w", name, err)
	}
	pos, has := relative(root, token.Position{Filename: name}), "none"
	file, err := modfile.ParseLax(pos.Filename, data, nil)
	if err != nil {
		return fmt.Errorf("reading the go directive: %w", err)
	}
	if file.Go != nil {
		pos.Line, pos.Column, has = file.Go.Syntax.Start.Line, file.Go.Syntax.Start.LineRune, file.Go.Version
	}
	if version.Compare("go"+has, "go"+needed) >= 0 {
		return nil
	}
	return diag.Errorf(pos, rule, "run `go get go@"+needed+"`"+in(root, m.dir), "%s needs Go %s, the go directive says %s",
		what, needed, has)
}
