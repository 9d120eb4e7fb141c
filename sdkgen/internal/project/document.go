package project

import (
	"context"
	"errors"

	"github.com/go-openapi/spec"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/openapi"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project/describe"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project/order"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
)

// Document returns swagger.json of the one API package that cfg names; see Project.Swagger. It only
// reads, so it does not wait for another run and needs no sdkgen.yaml.
func Document(
	ctx context.Context, env stage.Environment, cfg *config.Config, definitions openapi.Definitions,
) (*spec.Swagger, error) {
	p, err := open(env, cfg)
	if err != nil {
		return nil, err
	}
	doc, err := describe.Document(ctx, p.in, "", definitions)
	return doc, errors.Join(err, p.Close())
}

// Swagger returns swagger.json of the API package with that directory, import path or version; see describe.Swagger.
func (p *Project) Swagger(ctx context.Context, api string) ([]byte, error) {
	return describe.Swagger(ctx, p.in, api)
}

// Rules checks the API rules: in the project's own packages, or, with all, in every type that the
// API reaches. It returns the number of known violations; new and stale ones are a *gocode.BrokenRules.
func (p *Project) Rules(ctx context.Context, all bool) (known int, err error) {
	return order.New(p.in, false, false).Gocode.Rules(ctx, all)
}

// UpdateRules rewrites the exceptions list so that it accepts today's violations. Without all,
// exceptions for packages that are not the project's own stay.
func (p *Project) UpdateRules(ctx context.Context, all bool) error {
	return order.New(p.in, false, false).Gocode.UpdateRules(ctx, all)
}

// Load reads the API packages and checks their markers.
func (p *Project) Load(ctx context.Context) (*load.Result, error) { return p.in.Load(ctx) }
