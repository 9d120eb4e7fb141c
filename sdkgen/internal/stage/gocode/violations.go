package gocode

import (
	"context"
	"go/token"
	"slices"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/gotypes"
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
func (s *Stages) Rules(ctx context.Context, all bool) (known int, err error) {
	source, report, err := s.report(ctx, all)
	if err != nil {
		return 0, err
	}
	return s.checkRules(source, report, all)
}

// UpdateRules rewrites the exceptions list so that it accepts today's violations. Without all,
// exceptions for packages that are not the project's own stay.
func (s *Stages) UpdateRules(ctx context.Context, all bool) error {
	file := s.run.Project.Config.Rules.Exceptions
	if file == "" {
		return diag.List{{Rule: "config", Message: "there is no exceptions list to update",
			Hint: "write in sdkgen.yaml:\nrules:\n  exceptions: hack/violation_exceptions.list"}}
	}
	source, report, err := s.report(ctx, all)
	if err != nil {
		return err
	}
	violations, err := rules.ParseReport("openapi-gen's report", report)
	if err != nil {
		return err
	}
	old, err := s.run.Project.Files.ReadOptional(file)
	if err != nil {
		return err
	}
	if !all {
		exceptions, err := rules.ParseExceptions(file, old)
		if err != nil {
			return err
		}
		for _, e := range exceptions {
			if !source.API.Own(e.Package) {
				violations = append(violations, e.Violation)
			}
		}
	}
	return artifact.Replace(s.run.Project.Root, artifact.File{Path: file, Data: rules.Update(old, violations)})
}

// report runs openapi-gen for its report on the API rules.
func (s *Stages) report(ctx context.Context, all bool) (*gotypes.Source, []byte, error) {
	gen, err := s.Generator(ctx)
	if err != nil {
		return nil, nil, err
	}
	_, report, err := s.openapi(gen)
	if err != nil || !all {
		return gen.source, report, err
	}
	schemas, err := gen.source.Schemas()
	if err != nil {
		return nil, nil, err
	}
	others, err := gen.Violations(schemas.Types())
	return gen.source, append(report, others...), err
}

// checkRules compares a report with the exceptions list and returns the number of known
// violations. Without all, exceptions for packages that are not the project's own do not count.
func (s *Stages) checkRules(source *gotypes.Source, report []byte, all bool) (known int, err error) {
	violations, err := rules.ParseReport("openapi-gen's report", report)
	if err != nil {
		return 0, err
	}
	data, err := s.run.Project.Files.ReadOptional(s.run.Project.Config.Rules.Exceptions)
	if err != nil {
		return 0, err
	}
	exceptions, err := rules.ParseExceptions(s.run.Project.Config.Rules.Exceptions, data)
	if err != nil {
		return 0, err
	}
	if !all {
		exceptions = slices.DeleteFunc(exceptions, func(e rules.Exception) bool { return !source.API.Own(e.Package) })
	}
	res := rules.Check(violations, exceptions)
	locate := func(pkg, typeName, field string) token.Position {
		if pos := source.API.Pos(pkg, typeName, field); pos.IsValid() {
			return pos
		}
		return token.Position{Filename: pkg}
	}
	if list := res.Diagnostics(s.run.Project.Config.Rules.Exceptions, locate); len(list) > 0 {
		return 0, &BrokenRules{list}
	}
	return len(res.Known), nil
}
