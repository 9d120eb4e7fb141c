package project

import (
	"context"
	"go/token"
	"slices"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/gocode/rules"
)

// BrokenRules says that API rules are violated or that exceptions are stale.
type BrokenRules struct{ List diag.List }

// Error implements error.
func (e *BrokenRules) Error() string { return e.List.Error() }

// Unwrap returns the diagnostics.
func (e *BrokenRules) Unwrap() error { return e.List }

// Rules checks the API rules: in the project's own packages, or, with all, in every type that the
// API reaches. It returns the number of known violations; new and stale ones are a *BrokenRules.
func (p *Project) Rules(ctx context.Context, all bool) (known int, err error) {
	src, report, err := p.report(ctx, all)
	if err != nil {
		return 0, err
	}
	return p.checkRules(src, report, all)
}

// UpdateRules rewrites the exceptions list so that it accepts today's violations. Without all,
// exceptions for packages that are not the project's own stay.
func (p *Project) UpdateRules(ctx context.Context, all bool) error {
	file := p.cfg.Rules.Exceptions
	if file == "" {
		return diag.List{{Rule: "config", Message: "there is no exceptions list to update",
			Hint: "write in sdkgen.yaml:\nrules:\n  exceptions: hack/violation_exceptions.list"}}
	}
	src, report, err := p.report(ctx, all)
	if err != nil {
		return err
	}
	violations, err := rules.ParseReport("openapi-gen's report", report)
	if err != nil {
		return err
	}
	old, err := p.files.readOptional(file)
	if err != nil {
		return err
	}
	if !all {
		exceptions, err := rules.ParseExceptions(file, old)
		if err != nil {
			return err
		}
		for _, e := range exceptions {
			if !src.Own(e.Package) {
				violations = append(violations, e.Violation)
			}
		}
	}
	return artifact.Replace(p.root, artifact.File{Path: file, Data: rules.Update(old, violations)})
}

// report runs openapi-gen for its report on the API rules.
func (p *Project) report(ctx context.Context, all bool) (*source, []byte, error) {
	src, err := p.newBuild(Options{Force: true}).source(ctx)
	if err != nil {
		return nil, nil, err
	}
	_, report, omitted, err := src.openapi()
	p.env.warn(omitted)
	if err != nil || !all {
		return src, report, err
	}
	schemas, err := src.schemas()
	if err != nil {
		return nil, nil, err
	}
	others, err := src.gen.Violations(schemas.Types())
	return src, append(report, others...), err
}

// checkRules compares a report with the exceptions list and returns the number of known
// violations. Without all, exceptions for packages that are not the project's own do not count.
func (p *Project) checkRules(src *source, report []byte, all bool) (known int, err error) {
	violations, err := rules.ParseReport("openapi-gen's report", report)
	if err != nil {
		return 0, err
	}
	data, err := p.files.readOptional(p.cfg.Rules.Exceptions)
	if err != nil {
		return 0, err
	}
	exceptions, err := rules.ParseExceptions(p.cfg.Rules.Exceptions, data)
	if err != nil {
		return 0, err
	}
	if !all {
		exceptions = slices.DeleteFunc(exceptions, func(e rules.Exception) bool { return !src.Own(e.Package) })
	}
	res := rules.Check(violations, exceptions)
	locate := func(pkg, typeName, field string) token.Position {
		if pos := src.Pos(pkg, typeName, field); pos.IsValid() {
			return pos
		}
		return token.Position{Filename: pkg}
	}
	if list := res.Diagnostics(p.cfg.Rules.Exceptions, locate); len(list) > 0 {
		return 0, &BrokenRules{list}
	}
	return len(res.Known), nil
}
