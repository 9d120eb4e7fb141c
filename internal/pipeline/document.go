package pipeline

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"path"
	"strings"

	"github.com/flux-framework/flux-operator/internal/artifact"
	"github.com/flux-framework/flux-operator/internal/diag"
	"github.com/flux-framework/flux-operator/internal/gogen"
	"github.com/flux-framework/flux-operator/internal/load"
	"github.com/flux-framework/flux-operator/internal/rules"
	"github.com/flux-framework/flux-operator/internal/swagger"
)

// document makes swagger.json of one package from its definitions.
func (r *run) document(pkg *load.Package, definitions swagger.Definitions) ([]byte, error) {
	if r.schemas == nil {
		schemas, err := r.gen.Schemas()
		if err != nil {
			return nil, err
		}
		r.schemas = schemas
	}
	api := swagger.API{
		Package: pkg.Path, Group: pkg.Group, Version: pkg.Version,
		Definitions: definitions, Schema: r.schemas.Schema,
		Locate: func(goType, property string) token.Position {
			i := strings.LastIndexByte(goType, '.')
			return r.api.PropertyPos(goType[:max(i, 0)], goType[i+1:], property)
		},
	}
	for _, kind := range pkg.Kinds {
		api.Kinds = append(api.Kinds, swagger.Kind{
			Name: kind.Name, List: kind.List, Plural: r.schemas.Plural(pkg.Path + "." + kind.Name),
		})
	}
	title := r.cfg.Swagger.Title
	if title == "" {
		title = path.Base(path.Dir(pkg.Path))
	}
	doc, err := swagger.Build(api, swagger.Options{Title: title, Names: r.cfg.Swagger.Names})
	if err != nil {
		return nil, err
	}
	return swagger.Encode(doc)
}

// Document returns swagger.json of the project in env; see Project.Swagger. It only reads, so it
// does not wait for another run.
func Document(ctx context.Context, env Environment, api string, definitions swagger.Definitions) ([]byte, error) {
	p, err := open(env)
	if err != nil {
		return nil, err
	}
	data, err := p.Swagger(ctx, api, definitions)
	return data, errors.Join(err, p.Close())
}

// Swagger returns swagger.json of the API package in a folder, or of the one with that version.
// definitions are the package's own where they are compiled in; nil has them evaluated from
// the source that openapi-gen makes.
func (p *Project) Swagger(ctx context.Context, api string, definitions swagger.Definitions) ([]byte, error) {
	r := p.newRun(Options{NoCache: true})
	if err := r.load(ctx); err != nil {
		return nil, err
	}
	pkg, err := r.pick(api)
	if err != nil {
		return nil, err
	}
	if definitions == nil {
		set, _, err := r.gen.OpenAPI(pkg)
		if err != nil {
			return nil, err
		}
		file, _ := set.Lookup(path.Join(pkg.Dir, gogen.OpenAPIFile))
		if definitions, err = swagger.Evaluate(file.Path, file.Data); err != nil {
			return nil, err
		}
	}
	return r.document(pkg, definitions)
}

// pick finds an API package by folder or version; "" means the only one.
func (r *run) pick(api string) (*load.Package, error) {
	var names []string
	for _, pkg := range r.api.Packages {
		if api == pkg.Dir || api == pkg.Version || api == "" && len(r.api.Packages) == 1 {
			return pkg, nil
		}
		names = append(names, pkg.Dir)
	}
	if api == "" {
		return nil, fmt.Errorf("there are %d API packages: name one of %s", len(names), strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("there is no API package %q: the packages are %s", api, strings.Join(names, ", "))
}

// BrokenRules says that API rules are broken or that exceptions are stale.
type BrokenRules struct{ List diag.List }

// Error implements error.
func (e *BrokenRules) Error() string { return e.List.Error() }

// Unwrap gives the findings.
func (e *BrokenRules) Unwrap() error { return e.List }

// checkRules holds a report against the exceptions list, and returns the number of known violations.
func (r *run) checkRules(report []byte) (known int, err error) {
	res, err := r.compareRules(report)
	if err != nil {
		return 0, err
	}
	locate := func(pkg, typeName, field string) token.Position { return r.api.Pos(pkg, typeName, field) }
	if list := res.Diagnostics(r.cfg.Rules.Exceptions, locate); len(list) > 0 {
		return 0, &BrokenRules{list}
	}
	return len(res.Known), nil
}

func (r *run) compareRules(report []byte) (rules.Result, error) {
	violations, err := rules.ParseReport("openapi-gen's report", report)
	if err != nil {
		return rules.Result{}, err
	}
	data, err := r.readOptional(r.cfg.Rules.Exceptions)
	if err != nil {
		return rules.Result{}, err
	}
	exceptions, err := rules.ParseExceptions(r.cfg.Rules.Exceptions, data)
	if err != nil {
		return rules.Result{}, err
	}
	return rules.Check(violations, exceptions), nil
}

// Rules checks the API rules. It returns the number of known violations; new and stale ones
// are a *BrokenRules.
func (p *Project) Rules(ctx context.Context) (known int, err error) {
	r, report, err := p.report(ctx)
	if err != nil {
		return 0, err
	}
	return r.checkRules(report)
}

func (p *Project) report(ctx context.Context) (*run, []byte, error) {
	r := p.newRun(Options{NoCache: true})
	if err := r.load(ctx); err != nil {
		return nil, nil, err
	}
	var reports []byte
	for _, pkg := range r.api.Packages {
		_, report, err := r.gen.OpenAPI(pkg)
		if err != nil {
			return nil, nil, err
		}
		reports = append(reports, report...)
	}
	return r, reports, nil
}

// UpdateRules rewrites the exceptions list so that it accepts today's violations.
func (p *Project) UpdateRules(ctx context.Context) error {
	file := p.cfg.Rules.Exceptions
	if file == "" {
		return diag.List{{Rule: "config", Message: "there is no exceptions list to update",
			Hint: "write in sdkgen.yaml:\nrules:\n  exceptions: hack/violation_exceptions.list"}}
	}
	r, report, err := p.report(ctx)
	if err != nil {
		return err
	}
	violations, err := rules.ParseReport("openapi-gen's report", report)
	if err != nil {
		return err
	}
	old, err := r.readOptional(file)
	if err != nil {
		return err
	}
	return artifact.Replace(p.root, artifact.File{Path: file, Data: rules.Update(old, violations)})
}
