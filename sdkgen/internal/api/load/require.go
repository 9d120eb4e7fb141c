package load

import (
	"fmt"
	"go/token"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"
)

// GoMod is the go.mod of a directory of the project.
type GoMod struct {
	// Module is the path of its module.
	Module string
	// Dir is its directory, relative to the root as messages have it.
	Dir  string
	path string // relative to the root
	file *modfile.File
}

// Requirement is what a go.mod says of another module.
type Requirement struct {
	// Version is the version that the module has, "" if a directory is in its place.
	Version string
	// Pos is the line that says so.
	Pos token.Position
}

// GoModOf reads the go.mod nearest above a directory of the project, which need not exist. A go.work changes nothing:
// the module is also used without it.
func GoModOf(opts Options, dir string) (*GoMod, error) {
	m, err := moduleOf(opts.Root, filepath.Join(opts.Root, filepath.FromSlash(dir)))
	if err != nil {
		return nil, err
	}
	name := filepath.Join(m.dir, "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", name, err)
	}
	file, err := modfile.Parse(name, data, nil)
	if err != nil {
		return nil, syntaxErrors(opts.Root, err)
	}
	return &GoMod{m.path, in(opts.Root, m.dir), relative(opts.Root, token.Position{Filename: name}).Filename, file}, nil
}

// Require returns what the go.mod says of a module; false if it does not require it.
func (g *GoMod) Require(module string) (Requirement, bool) {
	var found *Requirement
	for _, r := range g.file.Require {
		if r.Mod.Path == module {
			found = &Requirement{r.Mod.Version, g.at(r.Syntax)}
		}
	}
	if found == nil {
		return Requirement{Pos: token.Position{Filename: g.path}}, false
	}
	for _, r := range g.file.Replace {
		if r.Old.Path == module && (r.Old.Version == "" || r.Old.Version == found.Version) {
			found = &Requirement{r.New.Version, g.at(r.Syntax)}
		}
	}
	return *found, true
}

// Provides returns what the go.mod says of the module that a package is in, by the longest path; false if there is
// none. The module's own packages are provided by itself.
func (g *GoMod) Provides(importPath string) (Requirement, bool) {
	best := ""
	for _, r := range g.file.Require {
		if (module{path: r.Mod.Path}).holds(importPath) && len(r.Mod.Path) > len(best) {
			best = r.Mod.Path
		}
	}
	if best == "" {
		return Requirement{Pos: token.Position{Filename: g.path}}, (module{path: g.Module}).holds(importPath)
	}
	return g.Require(best)
}

func (g *GoMod) at(line *modfile.Line) token.Position {
	return token.Position{Filename: g.path, Line: line.Start.Line, Column: line.Start.LineRune}
}
