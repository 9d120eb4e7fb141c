package gocode

import (
	"context"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/gotypes"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
)

// Stages are the stages that run Kubernetes' generators, over one load in a run.
type Stages struct {
	run *stage.Run
	gen *Generator
}

// NewStages returns the stages of a run.
func NewStages(run *stage.Run) *Stages {
	s := &Stages{run: run}
	run.Definitions = s.definitions
	return s
}

// Generator returns the generators over the API packages, made once.
func (s *Stages) Generator(ctx context.Context) (*Generator, error) {
	source, err := s.run.Source(ctx)
	if err != nil || s.gen != nil {
		return s.gen, err
	}
	s.gen, err = ForProject(s.run.Project, source)
	return s.gen, err
}

// ForProject returns a Generator with a project's options.
func ForProject(p *stage.Project, source *gotypes.Source) (*Generator, error) {
	return New(source, Options{
		Root: p.Env.Root, Header: p.Config.Header, Year: p.Config.Year, Scratch: p.Scratch,
		ControllerTools: p.Env.Modules["sigs.k8s.io/controller-tools"],
	})
}

// Deepcopy returns the stage that generates deepcopy functions.
func (s *Stages) Deepcopy() stage.Stage {
	return stage.Stage{
		Name: DeepcopyStage, Doc: "deepcopy functions", Enabled: true,
		Key: (*stage.Key).Source,
		Run: func(ctx context.Context) (*artifact.Set, error) {
			gen, err := s.Generator(ctx)
			if err != nil {
				return nil, err
			}
			return gen.Deepcopy()
		},
	}
}

// CRD returns the stage that generates the CustomResourceDefinitions.
func (s *Stages) CRD() stage.Stage {
	cfg := s.run.Project.Config
	return stage.Stage{
		Name: CRDStage, Doc: "CustomResourceDefinitions", Enabled: cfg.CRDOptions().Dir != "",
		Key: func(k *stage.Key) error {
			k.JSON("crd", cfg.CRD)
			if header := cfg.CRD.HeaderFile; header != "" {
				k.File(header)
			}
			return k.Source()
		},
		Run: s.crds,
	}
}

func (s *Stages) crds(ctx context.Context) (*artifact.Set, error) {
	gen, err := s.Generator(ctx)
	if err != nil {
		return nil, err
	}
	diagnostics, err := checkPaths(gen.source)
	if err != nil {
		return nil, err
	}
	if err := diagnostics.Errors().Err(); err != nil {
		return nil, err
	}
	set, large, err := gen.CRDs(s.run.Project.Config.CRD.Dir)
	s.run.Project.Env.Report(append(diagnostics, large...))
	return set, err
}

// OpenAPI returns the stage that generates the OpenAPI definitions of the project's own packages and checks the API
// rules.
func (s *Stages) OpenAPI() stage.Stage {
	return stage.Stage{
		Name: OpenAPIStage, Doc: "OpenAPI definitions, with a check of the API rules", Enabled: true,
		Key: func(k *stage.Key) error {
			k.File(s.run.Project.Config.Rules.Exceptions)
			return k.Source()
		},
		Run: func(ctx context.Context) (*artifact.Set, error) {
			gen, err := s.Generator(ctx)
			if err != nil {
				return nil, err
			}
			set, report, err := s.openapi(gen)
			if err != nil {
				return nil, err
			}
			_, err = s.checkRules(gen.source, report, false)
			return set, err
		},
	}
}

// openapi runs openapi-gen over the project's own packages, for its files and its report on the API rules. It warns of
// types that the files lack.
func (s *Stages) openapi(gen *Generator) (set *artifact.Set, report []byte, err error) {
	set = &artifact.Set{}
	var omitted diag.List
	for _, pkg := range gen.own() {
		part, lines, left, err := gen.OpenAPI(pkg)
		if err != nil {
			return nil, nil, err
		}
		if err := set.Merge(part); err != nil {
			return nil, nil, err
		}
		report = append(report, lines...)
		for _, name := range left {
			omitted.Warn(gen.api.Pos(pkg.Path, name, ""), OpenAPIStage, "",
				"%s omits the type %s: openapi-gen does not support it, and no kind uses it", OpenAPIFile, name)
		}
	}
	s.run.Project.Env.Report(omitted)
	return set, report, nil
}

// definitions returns the Go file with the OpenAPI definitions of a package, and its path: the file of the stage
// openapi or, where that has none of the package, one that openapi-gen makes now.
func (s *Stages) definitions(ctx context.Context, pkg *load.Package) (artifact.File, error) {
	gen, err := s.Generator(ctx)
	if err != nil {
		return artifact.File{}, err
	}
	return gen.Definitions(pkg, s.run.Sets[OpenAPIStage])
}
