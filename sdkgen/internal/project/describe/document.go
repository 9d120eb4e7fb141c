package describe

import (
	"context"
	"go/token"
	"strings"

	"github.com/go-openapi/spec"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/gotypes"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/openapi"
	printer "github.com/flux-framework/flux-operator/sdkgen/internal/api/swagger"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/gocode"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/swagger"
)

// Swagger returns swagger.json of the API package with that directory, import path or version; "" is the only one.
func Swagger(ctx context.Context, p *stage.Project, api string) ([]byte, error) {
	doc, err := Document(ctx, p, api, nil)
	if err != nil {
		return nil, err
	}
	return printer.Encode(doc)
}

// Document returns the document that Swagger encodes. definitions are the package's own where they are compiled in; nil
// has them evaluated from the source that openapi-gen makes.
func Document(
	ctx context.Context, p *stage.Project, api string, definitions openapi.Definitions,
) (*spec.Swagger, error) {
	source, err := stage.NewRun(p).Source(ctx)
	if err != nil {
		return nil, err
	}
	if err := swagger.CheckTable(source, p.Config); err != nil {
		return nil, err
	}
	pkg, err := Pick(source.API, api)
	if err != nil {
		return nil, err
	}
	if definitions != nil {
		definitions, err = byType(p, source, pkg, definitions)
	} else {
		definitions, err = Definitions(p, source, pkg)
	}
	if err != nil {
		return nil, err
	}
	described, err := source.Model(pkg, definitions, p.Config.Swagger)
	if err != nil {
		return nil, err
	}
	return swagger.Checked(source, described)
}

// byType names compiled definitions by Go type where +k8s:openapi-model-package gave them other names.
func byType(
	p *stage.Project, source *gotypes.Source, pkg *load.Package, definitions openapi.Definitions,
) (openapi.Definitions, error) {
	gen, err := gocode.ForProject(p, source)
	if err != nil {
		return nil, err
	}
	names, err := gen.ModelNames(pkg)
	if err != nil {
		return nil, err
	}
	out := openapi.Definitions{}
	for name, definition := range definitions {
		if goType, ok := names[name]; ok {
			name = goType
		}
		out[name] = definition
	}
	return out, nil
}

// Pick finds an API package by directory, import path or version; "" means the only one.
func Pick(loaded *load.Result, api string) (*load.Package, error) {
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
		return nil, diag.Errorf(token.Position{}, "config", "the packages are "+strings.Join(names, ", "),
			"there is no API package %q", api)
	case 1:
		return candidates[0], nil
	}
	return nil, diag.Errorf(token.Position{}, "config", "name one of "+strings.Join(names, ", "),
		"%q names %d API packages", api, len(candidates))
}
