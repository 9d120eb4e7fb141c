// Package overlay merges hand-written files into a generated SDK.
package overlay

import (
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

const rule = "overlay"

// Rules are patterns of generated files: those that the overlay's file of the same path replaces, and
// those that are dropped. Any other generated file is kept; an overlay's file of its path is an error.
// A pattern is one of path.Match for the whole path, relative to the SDK's directory; one that ends
// in a slash matches everything below that directory.
type Rules struct {
	Replace, Drop []string
}

// Apply returns the generated files that the rules keep, and all files of the overlay. Both sets
// have paths relative to the SDK's directory dir. A file of the overlay that shadows a generated one
// without a rule, a pattern that matches nothing, and a file that is both replaced and dropped are
// errors: in each case a file would be lost or kept unnoticed.
func Apply(dir string, generated, overlay *artifact.Set, rules Rules) (*artifact.Set, error) {
	m := &matcher{dir: dir, used: map[string]bool{}}
	out := &artifact.Set{}
	for file := range generated.All() {
		drop, replace := m.any(rules.Drop, file.Path), m.any(rules.Replace, file.Path)
		_, shadowed := overlay.Lookup(file.Path)
		switch {
		case drop && replace:
			m.add(file.Path, "the file matches patterns of both overlay.drop and overlay.replace")
		case replace && !shadowed:
			m.add(file.Path, "overlay.replace matches the file, but the overlay has no file of this path")
		case shadowed && !drop && !replace:
			m.add(file.Path, "the overlay has a file of the same path as a generated one")
		case !drop && !replace:
			if err := out.Put(file); err != nil {
				return nil, err
			}
		}
	}
	for _, pattern := range slices.Concat(rules.Replace, rules.Drop) {
		if !m.used[pattern] {
			m.add("", "the pattern %q matches no generated file", pattern)
		}
	}
	if err := m.errors.Err(); err != nil {
		return nil, err
	}
	for file := range overlay.All() {
		if err := out.Put(file); err != nil {
			m.add(file.Path, "%v", err)
		}
	}
	return out, m.errors.Err()
}

type matcher struct {
	dir    string
	used   map[string]bool
	errors diag.List
}

// add reports an error at a generated file, or at the SDK's directory.
func (m *matcher) add(file, format string, args ...any) {
	m.errors.Add(token.Position{Filename: path.Join(m.dir, file)}, rule,
		"correct overlay.replace and overlay.drop in sdkgen.yaml, or the files in overlay.dir", format, args...)
}

// any says whether one of the patterns matches file, and records those that do.
func (m *matcher) any(patterns []string, file string) bool {
	found := false
	for _, pattern := range patterns {
		if Match(pattern, file) {
			m.used[pattern], found = true, true
		}
	}
	return found
}

// Match tells if a pattern, see Rules, matches a file.
func Match(pattern, file string) bool {
	dir, isDir := strings.CutSuffix(pattern, "/")
	if !isDir {
		yes, _ := path.Match(pattern, file)
		return yes
	}
	for at := path.Dir(file); at != "."; at = path.Dir(at) {
		if yes, _ := path.Match(dir, at); yes {
			return true
		}
	}
	return false
}
