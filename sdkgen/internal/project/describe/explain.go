package describe

import (
	"cmp"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/explain"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/surface"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/python"
)

// Explain returns what can be explained of the packages, or of only one.
func Explain(p *stage.Project, loaded *load.Result, only *load.Package) (*explain.API, error) {
	described, err := Surface(p, loaded)
	if err != nil {
		return nil, err
	}
	out := &explain.API{Declared: declared(loaded.Declarations())}
	for i := range described.Packages {
		if pkg := &described.Packages[i]; only == nil || only.Path == pkg.Path {
			out.Packages = append(out.Packages, explainable(p, described, pkg))
		}
	}
	return out, nil
}

// explainable is one package.
func explainable(p *stage.Project, described *surface.Surface, pkg *surface.Package) explain.Package {
	out := explain.Package{
		API: pkg.Document, CRDs: map[string]explain.CRD{},
		Python: explain.SDK{Module: pkg.Module, Classes: map[*model.Definition]model.Class{}},
		Client: explain.SDK{Module: pkg.Import, Classes: map[*model.Definition]model.Class{}},
	}
	for _, crd := range described.CRDs {
		for _, version := range crd.Spec.Versions {
			if crd.Spec.Group != pkg.Document.Group || version.Name != pkg.Document.Version {
				continue
			}
			explained := explain.CRD{CustomResourceDefinition: crd}
			if dir := p.Config.CRDOptions().Dir; dir != "" {
				explained.File = path.Join(dir, crd.Spec.Group+"_"+crd.Spec.Names.Plural+".yaml")
				explained.Line = lines(p, explained.File)
			}
			out.CRDs[crd.Spec.Names.Kind] = explained
		}
	}
	for _, class := range pkg.Python {
		out.Python.Classes[class.Definition] = class
	}
	for _, definition := range pkg.Document.Definitions {
		if definition.Kubernetes && p.Config.Python != nil {
			out.Python.Classes[definition] = python.ClassOf(definition)
		}
	}
	for _, class := range pkg.Client {
		out.Client.Classes[class.Definition] = class
	}
	return out
}

// lines returns what finds the lines of places, such as spec.versions[0].name, in a YAML file of the project. A file
// that is missing or no YAML has none.
func lines(p *stage.Project, file string) func(place string) int {
	data, _ := p.Files.ReadOptional(file)
	read := sync.OnceValue(func() *yaml.Node {
		document := &yaml.Node{}
		if yaml.Unmarshal(data, document) != nil || len(document.Content) == 0 {
			return nil
		}
		return document.Content[0]
	})
	return func(place string) int {
		node, line := read(), 0
		for step := range strings.SplitSeq(strings.NewReplacer("[", ".", "]", "").Replace(place), ".") {
			if node, line = child(node, step); node == nil {
				return 0
			}
		}
		return line
	}
}

// child returns the value of a key in a YAML mapping, or an item of a list, and the line where it begins; nil if there
// is none.
func child(node *yaml.Node, step string) (value *yaml.Node, line int) {
	if node == nil {
		return nil, 0
	}
	if i, err := strconv.Atoi(step); err == nil && node.Kind == yaml.SequenceNode && i < len(node.Content) {
		return node.Content[i], node.Content[i].Line
	}
	for i := 0; i+1 < len(node.Content) && node.Kind == yaml.MappingNode; i += 2 {
		if node.Content[i].Value == step {
			return node.Content[i+1], node.Content[i].Line
		}
	}
	return nil, 0
}

// declared finds declarations.
func declared(all *load.Declarations) func(model.GoType, string) *explain.Declaration {
	return func(goType model.GoType, property string) *explain.Declaration {
		return declaration(all.Find(goType.Package, goType.Name, property))
	}
}

func declaration(d *load.Declaration) *explain.Declaration {
	if d == nil {
		return nil
	}
	return &explain.Declaration{
		File: filepath.ToSlash(cmp.Or(d.Pos.Filename, d.Package)), Line: d.Pos.Line, Column: d.Pos.Column,
		Package: d.Package, Name: d.Name, Type: d.Type, Markers: d.Markers, Of: declaration(d.Of),
	}
}
