package project

import (
	"cmp"
	"context"
	"errors"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/module"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/explain"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/surface"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project/baseline"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/python"
)

// Explained returns what can be explained of a project's API packages, or of the one that api names by directory, import path or
// version. An import path of none of them is a package of another module, which needs no configuration: one that go.mod
// requires or, as PACKAGE@VERSION, a published one; of such a package only the kind is read that the path begins with, if it has
// that. Nothing is written outside of the scratch directory.
func Explained(ctx context.Context, env Environment, api, fieldPath string) (out *explain.API, err error) {
	env.Config, err = configPath(env)
	if err != nil {
		return nil, err
	}
	cfg, err := readConfig(env)
	if isForeign(env, cfg, api) {
		kind, _, _ := strings.Cut(fieldPath, ".")
		return explainedForeign(ctx, env, api, kind)
	}
	if err != nil {
		return nil, err
	}
	if cfg.CRD != nil {
		cfg.CRD.MaxDescLen = nil
	}
	p, err := open(env, cfg)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	return p.explained(ctx, p.loadOptions(), api)
}

// isForeign says whether a name is the import path of a package that the configuration does not have. The first part of such a
// path has a dot, which no directory has whose name is a version.
func isForeign(env Environment, cfg *config.Config, name string) bool {
	importPath, _, _ := strings.Cut(name, "@")
	first, _, below := strings.Cut(importPath, "/")
	if !below || !strings.Contains(first, ".") || module.CheckImportPath(importPath) != nil {
		return false
	}
	if cfg == nil || importPath != name {
		return true
	}
	for _, api := range cfg.APIs {
		if own, err := load.PackagePath(env.Root, api.Path); api.Package == name || api.Path == name || err == nil && own == name {
			return false
		}
	}
	return true
}

// explainedForeign explains a package of another module, with the names that SDKs of it have by default.
func explainedForeign(ctx context.Context, env Environment, api, kind string) (out *explain.API, err error) {
	importPath, version, published := strings.Cut(api, "@")
	scratch, err := os.MkdirTemp(env.TempDir, "sdkgen-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if published {
		opts := baseline.Options{Root: env.Root, Environ: env.Environ, Scratch: scratch}
		if err := opts.Package(ctx, importPath, version); err != nil {
			return nil, err
		}
		env.Root = scratch
	} else if _, err := load.PackagePath(env.Root, "."); err != nil {
		return nil, diag.Errorf(token.Position{}, "explain", "write a published version behind it: --api "+importPath+"@latest",
			"--api %s: there is no Go module here that requires it", importPath)
	}
	p, err := open(env, &config.Config{
		APIs: []config.API{{Package: importPath, Dir: "spec"}}, CRD: &config.CRD{AllowDangerousTypes: true}, Python: &config.SDK{}, Go: &config.SDK{},
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	opts := p.loadOptions()
	opts.Selections[importPath] = load.Selection{Like: kind}
	return p.explained(ctx, opts, "")
}

// explained explains the packages, or the one that api names.
func (p *Project) explained(ctx context.Context, opts load.Options, api string) (*explain.API, error) {
	loaded, err := load.Load(ctx, opts)
	if err != nil {
		return nil, err
	}
	if err := loaded.Problems(); err != nil {
		return nil, err
	}
	only := (*load.Package)(nil)
	if api != "" {
		if only, err = (&source{Result: loaded}).pick(api); err != nil {
			return nil, err
		}
	}
	surface, err := p.surface(loaded)
	if err != nil {
		return nil, err
	}
	out := &explain.API{Declared: declared(loaded.Declarations())}
	for i := range surface.Packages {
		if pkg := &surface.Packages[i]; only == nil || only.Path == pkg.Path {
			out.Packages = append(out.Packages, p.explainable(surface, pkg))
		}
	}
	return out, nil
}

// explainable is one package.
func (p *Project) explainable(surface *surface.Surface, pkg *surface.Package) explain.Package {
	out := explain.Package{
		API: pkg.Document, CRDs: map[string]explain.CRD{},
		Python: explain.SDK{Module: pkg.Module, Classes: map[*model.Definition]model.Class{}},
		Client: explain.SDK{Module: pkg.Import, Classes: map[*model.Definition]model.Class{}},
	}
	for _, crd := range surface.CRDs {
		for _, version := range crd.Spec.Versions {
			if crd.Spec.Group != pkg.Document.Group || version.Name != pkg.Document.Version {
				continue
			}
			explained := explain.CRD{CustomResourceDefinition: crd}
			if dir := p.cfg.CRDOptions().Dir; dir != "" {
				explained.File = path.Join(dir, crd.Spec.Group+"_"+crd.Spec.Names.Plural+".yaml")
				explained.Line = p.lines(explained.File)
			}
			out.CRDs[crd.Spec.Names.Kind] = explained
		}
	}
	for _, class := range pkg.Python {
		out.Python.Classes[class.Definition] = class
	}
	for _, definition := range pkg.Document.Definitions {
		if definition.Kubernetes && p.cfg.Python != nil {
			out.Python.Classes[definition] = python.ClassOf(definition)
		}
	}
	for _, class := range pkg.Client {
		out.Client.Classes[class.Definition] = class
	}
	return out
}

// lines returns what finds the lines of places, such as spec.versions[0].name, in a YAML file of the project. A file that is missing
// or no YAML has none.
func (p *Project) lines(file string) func(place string) int {
	data, _ := p.files.readOptional(file)
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

// child returns the value of a key in a YAML mapping, or an item of a list, and the line where it begins; nil if there is none.
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
