package project

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"path"
	"path/filepath"
	"slices"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact/overlay"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render/jar"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/golang"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/python"
	"github.com/flux-framework/flux-operator/sdkgen/templates"
)

// language is what the SDKs of one language have in common.
type language struct {
	stage        string
	generator    string // openapi-generator's
	templates    string // directory of sdkgen's own
	options      func() map[string]any
	checkPackage func(name string) error
	// annotate adds what the templates print. names are those of the packages that the API is in below its
	// distribution's.
	annotate func(api *model.API, names ...string) (render.API, error)
	// move returns where a distribution has a file of one of its packages; "" leaves it out.
	move func(d *distribution, p *part, file string) string
}

var (
	pythonLanguage = language{PythonStage, render.Python, templates.Python, python.Options, python.CheckPackage, python.Annotate, movePython}
	goLanguage     = language{GoStage, render.Go, templates.Go, golang.Options, golang.CheckPackage, annotateGo, moveGo}
)

func annotateGo(api *model.API, _ ...string) (render.API, error) { return golang.Annotate(api) }

// sdk is a project's SDK in one language.
type sdk struct {
	language
	project *Project
	cfg     *config.SDK // nil if the project has none
}

func (p *Project) newSDK(lang language) *sdk {
	s := &sdk{language: lang, project: p, cfg: p.cfg.Go}
	if lang.stage == PythonStage {
		s.cfg = p.cfg.Python
	}
	return s
}

// sdkJob is what an engine is to make of one API package, or of a distribution of several itself, and what
// becomes of it.
type sdkJob struct {
	*sdk
	render.Job
	*distribution
	part *part         // nil for the distribution itself
	set  *artifact.Set // what the engine made
}

// sdkJobs are the jobs of a build, and why there are none or why they did not come about.
type sdkJobs struct {
	jobs       []*sdkJob
	unprepared error // unrepresentables, or what is wrong with options and templates
	unrendered error
}

// stale returns the stages that are not up to date.
func (b *build) stale(stages []stage) ([]stage, error) {
	var stale []stage
	for _, s := range stages {
		current, err := b.upToDate(s)
		if err != nil {
			return nil, err
		}
		if !current {
			stale = append(stale, s)
		}
	}
	return stale, nil
}

// prepare works out the jobs of stages from the documents that the stage swagger made.
func prepare(stages []stage, documents *artifact.Set) ([]*sdkJob, error) {
	if len(stages) == 0 {
		return nil, nil
	}
	docs, err := readDocuments(documents)
	if err != nil {
		return nil, err
	}
	var jobs []*sdkJob
	var list unrepresentables
	for _, s := range stages {
		of, err := s.sdk.jobs(docs)
		if what, ok := errors.AsType[*unrepresentable](err); ok {
			list = append(list, what)
		} else if err != nil {
			return nil, err
		}
		jobs = append(jobs, of...)
	}
	if list != nil {
		return nil, list
	}
	return jobs, nil
}

// jobs returns a job for each document, and one for each distribution of several.
func (s *sdk) jobs(docs []apiDocument) ([]*sdkJob, error) {
	options, err := s.generatorOptions()
	if err != nil {
		return nil, err
	}
	name, _ := options["packageName"].(string)
	distributions, err := s.distributions(docs, name)
	if err != nil {
		return nil, err
	}
	var jobs []*sdkJob
	add := func(d *distribution, p *part, document []byte, api render.API) error {
		tree, called, err := s.partTemplates(d, p)
		if err != nil {
			return err
		}
		jobs = append(jobs, &sdkJob{sdk: s, distribution: d, part: p, Job: render.Job{
			Stage: s.stage, Name: fmt.Sprintf("%s-%d", s.stage, len(jobs)), Generator: s.generator,
			Document: document, API: api, Options: s.partOptions(d, p, options), Templates: tree, Called: called,
		}})
		return nil
	}
	for _, d := range distributions {
		for _, p := range d.parts {
			api, err := s.annotate(p.API, p.names...)
			if list, ok := errors.AsType[model.Unrepresentables](err); ok {
				return nil, &unrepresentable{list, s.stage, p.file}
			}
			if err == nil {
				err = add(d, p, p.data, api)
			}
			if err != nil {
				return nil, err
			}
		}
		if len(d.parts) == 1 || s.stage != PythonStage {
			continue
		}
		if err := add(d, nil, nil, d.annotated()); err != nil {
			return nil, err
		}
	}
	return jobs, nil
}

// unrepresentable is what a language cannot express of a document.
type unrepresentable struct {
	model.Unrepresentables
	stage, file string
}

// unrepresentables are those of all languages.
type unrepresentables []*unrepresentable

func (u unrepresentables) Error() string {
	return fmt.Sprintf("%d documents cannot be expressed", len(u))
}

// locate turns unrepresentables into a diagnostic for each definition or property that a language cannot
// express, where it is declared. Other errors stay as they are.
func (b *build) locate(ctx context.Context, err error) error {
	whats, ok := errors.AsType[unrepresentables](err)
	if !ok {
		return err
	}
	src, err := b.source(ctx)
	if err != nil {
		return err
	}
	var list diag.List
	for _, what := range whats {
		for _, one := range what.Unrepresentables {
			goType := one.Definition.GoType
			pos := src.PropertyPos(goType.Package, goType.Name, one.Field)
			if !pos.IsValid() { // of Kubernetes, or made up by the API server
				pos = token.Position{Filename: what.file}
			}
			list.Add(pos, what.stage, one.Hint, "%s", one.Message)
		}
	}
	return list
}

// render makes the SDKs of stages from the documents, in one run of the project's engine. The code stages run
// beside it: of the build it reads nothing that they write.
func (b *build) render(ctx context.Context, stages []stage, documents *artifact.Set) sdkJobs {
	jobs, err := prepare(stages, documents)
	if err != nil || len(jobs) == 0 {
		return sdkJobs{unprepared: err}
	}
	all := make([]render.Job, 0, len(jobs))
	for _, job := range jobs {
		all = append(all, job.Job)
	}
	sets, err := b.runEngine(ctx, all)
	for i, set := range sets {
		jobs[i].set = set
	}
	return sdkJobs{jobs: jobs, unrendered: err}
}

func (b *build) runEngine(ctx context.Context, jobs []render.Job) ([]*artifact.Set, error) {
	if b.cfg.Engine == config.Native {
		return render.Native(ctx, jobs)
	}
	jar, err := jar.Find(b.where())
	if err != nil {
		return nil, err
	}
	return jar.Run(ctx, b.env.Log, filepath.Join(b.scratch, "java"), jobs)
}

// collect puts the distributions together and records the files of the stages.
func (b *build) collect(jobs []*sdkJob) error {
	sets := map[string]*artifact.Set{}
	for len(jobs) > 0 {
		d := jobs[0].distribution
		n := slices.IndexFunc(jobs, func(j *sdkJob) bool { return j.distribution != d })
		if n < 0 {
			n = len(jobs)
		}
		set := sets[jobs[0].stage]
		if set == nil {
			set = &artifact.Set{}
			sets[jobs[0].stage] = set
		}
		if err := d.collect(jobs[:n], set); err != nil {
			return err
		}
		jobs = jobs[n:]
	}
	for _, stage := range []string{PythonStage, GoStage} {
		if set := sets[stage]; set != nil {
			b.done(stage, set)
		}
	}
	return nil
}

// collect adds what the distribution's jobs made, with the runtime beside and the overlay over it, to the stage's files.
func (d *distribution) collect(jobs []*sdkJob, to *artifact.Set) error {
	s, all := jobs[0].sdk, &artifact.Set{}
	for _, job := range jobs {
		made, err := s.linked(d, job.set)
		if err != nil {
			return err
		}
		for file := range made.All() {
			if file.Path = s.move(d, job.part, file.Path); file.Path == "" {
				continue
			}
			if err := all.Put(file); err != nil {
				return fmt.Errorf("putting %s together: %w", d.dir, err)
			}
		}
	}
	common, err := s.distributionRuntime(d)
	if err != nil {
		return err
	}
	if err := all.Merge(common); err != nil {
		return fmt.Errorf("adding the runtime to %s: %w", d.dir, err)
	}
	schemas, err := s.fakeSchemas(d)
	if err != nil {
		return fmt.Errorf("making the fake of %s: %w", d.dir, err)
	}
	if err := all.Merge(schemas); err != nil {
		return fmt.Errorf("adding the fake to %s: %w", d.dir, err)
	}
	files, err := s.project.files.readTree(s.cfg.Overlay.Dir, s.stage)
	if err != nil {
		return err
	}
	laid, err := overlay.Apply(d.dir, all, files, overlay.Rules{Replace: s.cfg.Overlay.Replace, Drop: s.cfg.Overlay.Drop})
	if err != nil {
		return err
	}
	for file := range laid.All() {
		file.Path = path.Join(d.dir, file.Path)
		if err := to.Put(file); err != nil {
			return err
		}
	}
	return nil
}
