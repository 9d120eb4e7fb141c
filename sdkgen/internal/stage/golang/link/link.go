// Package link makes the Go packages of several API versions share one runtime.
//
// The package of a single API has the runtime beside its models, which call it by unexported names. Of several versions
// each has a package like that, without the runtime: it lies once in a directory of its own, with exported names, and
// each package has a file that declares what users call it by. To them the packages look like that of a single API.
//
// What an identifier refers to is worked out by go/types, over the files of a version and the runtime as one package,
// which they are in the SDK of a single API. So no name that an API brings, as that of a parameter, is taken for one of
// the runtime's, and a function that is added to the runtime needs no mention here.
package link

import (
	"fmt"
	"go/ast"
	"path"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/runtime"
)

// Directory is where the shared runtime lies in the directory of an SDK. Its last part names the package.
const Directory = "internal/light"

// Runtime returns the runtime that the versions share, with paths relative to the directory of the SDK.
func Runtime() ([]runtime.File, error) {
	p, err := check(path.Base(Directory), nil)
	if err != nil {
		return nil, err
	}
	var out []runtime.File
	for _, s := range p.sources {
		data, err := s.apply(append(p.renames(s), p.comments(s)...))
		if err != nil {
			return nil, fmt.Errorf("exporting the names of %s: %w", s.path, err)
		}
		out = append(out, runtime.File{Path: path.Join(Directory, s.path), Data: data})
	}
	return out, nil
}

// Link returns the files of the package of a version, which are as the engine made them for a single API, with the
// runtime imported, and the file of what that package declares in its place.
func Link(files *artifact.Set, importPath string) (*artifact.Set, error) {
	p, err := check("", files)
	if err != nil {
		return nil, err
	}
	out, stage := &artifact.Set{}, ""
	for file := range files.All() {
		if s := p.source(file.Path); s != nil {
			if file.Data, err = p.link(s, importPath); err != nil {
				return nil, fmt.Errorf("linking %s with %s: %w", s.path, importPath, err)
			}
		}
		if err := out.Put(file); err != nil {
			return nil, err
		}
		stage = file.Origin
	}
	data, err := p.facade(importPath)
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", facadeFile, err)
	}
	return out, out.Put(artifact.File{Path: facadeFile, Data: data, Origin: stage})
}

// link returns a file of a version with the identifiers of a runtime that it imports.
func (p *program) link(s *source, importPath string) ([]byte, error) {
	edits := p.renames(s)
	if edits == nil {
		return s.data, nil
	}
	pkg := s.free(path.Base(importPath))
	for i, e := range edits {
		if e.global {
			edits[i].text = pkg + "." + e.text
		}
	}
	end := s.importsEnd()
	if end < 0 {
		return nil, fmt.Errorf("it has no import declaration in parentheses")
	}
	spec := fmt.Sprintf("%q", importPath)
	if pkg != path.Base(importPath) {
		spec = pkg + " " + spec
	}
	edits = append(edits, edit{start: end, end: end, text: "\n" + spec + "\n"})
	return s.apply(append(edits, p.conversions(s, pkg)...))
}

// renames are the edits that export the identifiers of the runtime in a file.
func (p *program) renames(s *source) (edits []edit) {
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		ident, ok := n.(*ast.Ident)
		if !ok || ident == s.syntax.Name {
			return true
		}
		object := p.object(ident)
		if name, ok := p.names[object]; ok {
			edits = append(edits, edit{s.offset(ident.Pos()), s.offset(ident.End()), name, p.isGlobal(object)})
		}
		return true
	})
	return edits
}

// conversions are the edits that make the runtime's Client of a version's, where the runtime wants one.
func (p *program) conversions(s *source, pkg string) (edits []edit) {
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		pair, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		if key, ok := pair.Key.(*ast.Ident); ok && key.Name == client && p.isField(key) {
			start, end := s.offset(pair.Value.Pos()), s.offset(pair.Value.End())
			edits = append(edits, edit{start: start, end: start, text: "(*" + pkg + "." + client + ")("},
				edit{start: end, end: end, text: ")"})
		}
		return true
	})
	return edits
}

// client is the runtime's type that each version has one of its own of, since it has methods there.
const client = "Client"
