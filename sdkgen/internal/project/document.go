package project

import (
	"context"
	"errors"
	"go/token"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/gotypes"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/swagger"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project/describe"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/gocode"
	stageswagger "github.com/flux-framework/flux-operator/sdkgen/internal/stage/swagger"
)

// Document returns swagger.json of the one API package that cfg names; see Project.Swagger. It only
// reads, so it does not wait for another run and needs no sdkgen.yaml.
func Document(
	ctx context.Context, env stage.Environment, cfg *config.Config, definitions swagger.Definitions,
) ([]byte, error) {
	p, err := open(env, cfg)
	if err != nil {
		return nil, err
	}
	data, err := p.Swagger(ctx, "", definitions)
	return data, errors.Join(err, p.Close())
}

// Swagger returns swagger.json of the API package with that directory, import path or version; "" is the
// only one. definitions are the package's own where they are compiled in; nil has them evaluated from
// the source that openapi-gen makes.
func (p *Project) Swagger(ctx context.Context, api string, definitions swagger.Definitions) ([]byte, error) {
	source, err := stage.NewRun(p.in).Source(ctx)
	if err != nil {
		return nil, err
	}
	if err := stageswagger.CheckTable(source, p.in.Config); err != nil {
		return nil, err
	}
	pkg, err := pickPackage(source.API, api)
	if err != nil {
		return nil, err
	}
	if definitions != nil {
		definitions, err = p.byType(source, pkg, definitions)
	} else {
		definitions, err = describe.Definitions(p.in, source, pkg)
	}
	if err != nil {
		return nil, err
	}
	return stageswagger.Document(source, pkg, definitions, p.in.Config.Swagger)
}

// byType names compiled definitions by Go type where +k8s:openapi-model-package gave them other names.
func (p *Project) byType(
	source *gotypes.Source, pkg *load.Package, definitions swagger.Definitions,
) (swagger.Definitions, error) {
	gen, err := gocode.ForProject(p.in, source)
	if err != nil {
		return nil, err
	}
	names, err := gen.ModelNames(pkg)
	if err != nil {
		return nil, err
	}
	out := swagger.Definitions{}
	for name, definition := range definitions {
		if goType, ok := names[name]; ok {
			name = goType
		}
		out[name] = definition
	}
	return out, nil
}

// pickPackage finds an API package by directory, import path or version; "" means the only one.
func pickPackage(loaded *load.Result, api string) (*load.Package, error) {
	var names []string
	var candidates []*load.Package
	for _, pkg := range loaded.Packages {
		if api == pkg.Dir || api == pkg.Path {
			return pkg, nil
		}
		if api == pkg.Version || api == "" {
			candidates = append(candidates, pkg)
		}
		names = append(names, pkg.Dir)
	}
	switch len(candidates) {
	case 0:
		return nil, diag.Errorf(token.Position{}, "config", "the packages are "+strings.Join(names, ", "), "there is no API package %q", api)
	case 1:
		return candidates[0], nil
	}
	return nil, diag.Errorf(token.Position{}, "config", "name one of "+strings.Join(names, ", "), "%q names %d API packages", api, len(candidates))
}

// Rules checks the API rules: in the project's own packages, or, with all, in every type that the
// API reaches. It returns the number of known violations; new and stale ones are a *gocode.BrokenRules.
func (p *Project) Rules(ctx context.Context, all bool) (known int, err error) {
	return newBuild(p.in, Options{}).gocode.Rules(ctx, all)
}

// UpdateRules rewrites the exceptions list so that it accepts today's violations. Without all,
// exceptions for packages that are not the project's own stay.
func (p *Project) UpdateRules(ctx context.Context, all bool) error {
	return newBuild(p.in, Options{}).gocode.UpdateRules(ctx, all)
}

// Load reads the API packages and checks their markers.
func (p *Project) Load(ctx context.Context) (*load.Result, error) { return p.in.Load(ctx) }
