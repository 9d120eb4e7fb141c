// Package modules finds the license files of the Go modules that a program is made of.
package modules

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/mod/module"
)

// Places are where the go command keeps modules and itself, as `go env -json` says it.
type Places struct{ GOMODCACHE, GOROOT string }

// Licenses returns the license files of Go and of all modules from elsewhere, by MODULE/FILE. A module without one is
// an error, as is one that is not in the module cache.
func (p Places) Licenses(info *debug.BuildInfo) (map[string][]byte, error) {
	files := map[string][]byte{}
	if err := add(files, "go", p.GOROOT); err != nil {
		return nil, err
	}
	for _, dep := range info.Deps {
		dir, err := p.Dir(dep)
		if err != nil {
			return nil, err
		}
		if dir == "" {
			continue
		}
		if err := add(files, dep.Path, dir); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Dir returns the directory of a module in the module cache, empty if a directory of this repository replaces it.
func (p Places) Dir(dep *debug.Module) (string, error) {
	if dep.Replace != nil {
		if Local(dep) {
			return "", nil
		}
		dep = dep.Replace
	}
	path, err := module.EscapePath(dep.Path)
	if err != nil {
		return "", err
	}
	version, err := module.EscapeVersion(dep.Version)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(p.GOMODCACHE, filepath.FromSlash(path)+"@"+version)
	if _, err := os.Stat(dir); err != nil {
		return "", fmt.Errorf("%s %s is not in the module cache: %w; run go mod download", dep.Path, dep.Version, err)
	}
	return dir, nil
}

// Local says whether a directory of this repository stands for a module.
func Local(dep *debug.Module) bool {
	return dep.Replace != nil && (strings.HasPrefix(dep.Replace.Path, "./") || strings.HasPrefix(dep.Replace.Path, "../"))
}

// Files returns the names of the license files in the directory of a module.
func Files(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var found []string
	for _, entry := range entries {
		upper := strings.ToUpper(entry.Name())
		named := func(prefix string) bool { return strings.HasPrefix(upper, prefix) }
		if entry.Type().IsRegular() && slices.ContainsFunc([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE"}, named) {
			found = append(found, entry.Name())
		}
	}
	return found, err
}

func add(files map[string][]byte, name, dir string) error {
	found, err := Files(dir)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return fmt.Errorf("%s has no license in %s", name, dir)
	}
	for _, file := range found {
		if files[name+"/"+file], err = os.ReadFile(filepath.Join(dir, file)); err != nil {
			return err
		}
	}
	return nil
}
