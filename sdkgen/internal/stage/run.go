package stage

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"sync"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/gotypes"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/lint"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/openapi"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// Run is one run over the stages: their files so far, and what several of them need, each worked out once and only
// where a stage asks for it. It is not safe for concurrent use.
type Run struct {
	Project *Project
	Adopt   bool                     // take over files that sdkgen did not write
	Sets    map[string]*artifact.Set // by stage
	Keys    map[string]string        // by stage
	// Released are files that sdkgen generated and that were edited since: they are the user's now.
	Released []string

	// Definitions returns what openapi-gen makes of a package.
	Definitions func(context.Context, *load.Package) (artifact.File, error)

	source    *gotypes.Source
	documents []Document
	inputs    func() ([]load.Input, error)
}

// NewRun returns a run in which no stage has files.
func NewRun(p *Project) *Run {
	return &Run{
		Project: p, Sets: map[string]*artifact.Set{}, Keys: map[string]string{},
		inputs: sync.OnceValues(func() ([]load.Input, error) { return load.Inputs(p.LoadOptions()) }),
	}
}

// Source returns the API packages, loaded and checked.
func (r *Run) Source(ctx context.Context) (*gotypes.Source, error) {
	if r.source == nil {
		api, err := r.Project.Load(ctx)
		if err != nil {
			return nil, err
		}
		r.source = r.Project.Source(api)
	}
	return r.source, nil
}

// Document is the model of an API package, and the swagger.json that it is printed to.
type Document struct {
	File string
	API  *model.API
}

// Documents returns the model of each API package, in the order of files. It is made once, from the types.
func (r *Run) Documents(ctx context.Context) ([]Document, error) {
	if r.documents != nil {
		return r.documents, nil
	}
	source, err := r.Source(ctx)
	if err != nil {
		return nil, err
	}
	for _, pkg := range source.API.Packages {
		file, err := r.Definitions(ctx, pkg)
		if err != nil {
			return nil, err
		}
		definitions, err := openapi.Evaluate(pkg.Path, file.Path, file.Data)
		if err != nil {
			return nil, err
		}
		api, err := source.Model(pkg, definitions, r.Project.Config.Swagger)
		if err != nil {
			return nil, err
		}
		r.documents = append(r.documents, Document{File: path.Join(pkg.Dir, "swagger.json"), API: api})
	}
	slices.SortFunc(r.documents, func(a, b Document) int { return cmp.Compare(a.File, b.File) })
	return r.documents, nil
}

// Source returns the source of loaded packages, with the project's options.
func (p *Project) Source(api *load.Result) *gotypes.Source {
	return gotypes.New(api, gotypes.Options(p.Config.CRDOptions()))
}

// Load reads the API packages and checks their markers.
func (p *Project) Load(ctx context.Context) (*load.Result, error) {
	api, err := load.Load(ctx, p.LoadOptions())
	if err != nil {
		return nil, err
	}
	// The linter comes first: what it says of a marker's value is more than the generators do.
	diagnostics := append(lint.Check(api), api.Warnings...)
	diagnostics = append(append(diagnostics, checkNames(api, p.Config.Clients != nil)...), missingLists(api)...)
	if err := diagnostics.Errors().Err(); err != nil {
		return nil, err
	}
	if err := api.Problems(); err != nil {
		return nil, err
	}
	p.warn(api, diagnostics)
	return api, nil
}

// warn logs how many diagnostics packages of other modules have, and each of them at debug level.
func (p *Project) warn(api *load.Result, diagnostics diag.List) {
	for _, pkg := range api.Packages {
		count := 0
		for _, d := range diagnostics.Sorted() {
			if path.Dir(d.Pos.Filename) == pkg.SourceDir {
				p.Env.Log.Debug(d.String())
				count++
			}
		}
		if count > 0 {
			p.Env.Log.Warn(fmt.Sprintf("%s: the generators do not agree on %d fields or markers, -v lists them", pkg.Path,
				count))
		}
	}
}

// LoadOptions says which packages the configuration names.
func (p *Project) LoadOptions() load.Options {
	opts := load.Options{
		Root: p.Env.Root, Env: p.Env.Environ, Selections: map[string]load.Selection{},
		IgnoreUnexportedFields: p.Config.CRDOptions().IgnoreUnexportedFields,
	}
	for i, api := range p.Config.APIs {
		opts.Selections[cmp.Or(api.Package, api.Path)] = load.Selection{
			Kinds: p.names(api.Kinds, i, "kinds"), Exclude: p.names(api.Exclude, i, "exclude"), NoCRD: api.NoCRD(),
		}
		if api.Package != "" {
			opts.Foreign = append(opts.Foreign, load.Foreign{Path: api.Package, Dir: api.Dir})
		} else {
			opts.Dirs = append(opts.Dirs, api.Path)
		}
	}
	return opts
}

// names are the names of kinds in a list of an API.
func (p *Project) names(kinds []string, api int, key string) []load.Name {
	var names []load.Name
	for i, kind := range kinds {
		names = append(names, load.Name{Text: kind, Pos: p.Config.Pos("apis", api, key, i)})
	}
	return names
}

// WithoutCRD warns of each kind that a stage makes nothing of, because an aggregated API server serves it. missing is
// what the kind has none of.
func WithoutCRD(source *gotypes.Source, stage, missing string) diag.List {
	var list diag.List
	for _, pkg := range source.API.Packages {
		for _, kind := range pkg.Kinds {
			if pkg.NoCRD && !kind.List {
				list.Warn(source.Position(pkg.Path+"."+kind.Name, ""), stage,
					"only the code of the aggregated API server knows what it accepts of a kind that has no CRD",
					"%s %s has no %s", kind.Name, pkg.Version, missing)
			}
		}
	}
	return list
}
