package pipeline

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/go-openapi/spec"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/gosdk"
	"github.com/flux-framework/flux-operator/sdkgen/internal/openapigen"
	"github.com/flux-framework/flux-operator/sdkgen/internal/overlay"
	"github.com/flux-framework/flux-operator/sdkgen/internal/pysdk"
	"github.com/flux-framework/flux-operator/sdkgen/internal/swagger"
	"github.com/flux-framework/flux-operator/sdkgen/templates"
)

// language is one of the jar's generators, with what works out what its templates print.
type language struct {
	stage     string
	generator string
	sdk       *config.SDK // nil if it is not wanted
	own       string      // the directory of sdkgen's own templates
	options   func() map[string]any
	named     func(name string) error // refuses a name that is none for a package
	annotate  func(*spec.Swagger) (*spec.Swagger, error)
}

func (p *Project) languages() []language { return []language{p.python(), p.golang()} }

func (p *Project) python() language {
	return language{PythonStage, "python-legacy", p.cfg.Python, templates.Python, pysdk.Options, pysdk.CheckPackage, pysdk.Annotate}
}

func (p *Project) golang() language {
	return language{GoStage, "go", p.cfg.Go, templates.Go, gosdk.Options, gosdk.CheckPackage, gosdk.Annotate}
}

// sdkJob is the one Java process of a run: all languages and API versions that changed.
type sdkJob struct {
	r   *run
	jar *openapigen.Jar
	part
	sets []*artifact.Set // of each job
}

// part is what the jar is to make: of one language, or of all.
type part struct {
	jobs    []openapigen.Job
	outputs []output // of each job
}

// output is where a job's files go.
type output struct {
	language
	dir string // for its API version
}

// prepareSDKs works out what the jar is to make; nothing if no SDK changed.
func (r *run) prepareSDKs(ctx context.Context) (*sdkJob, error) {
	var langs []language
	for _, lang := range r.languages() {
		if lang.sdk == nil || !r.needed(lang.stage) {
			continue
		}
		clean, err := r.clean(lang.stage)
		if err != nil {
			return nil, err
		}
		if !clean {
			langs = append(langs, lang)
		}
	}
	job := &sdkJob{r: r}
	if len(langs) == 0 {
		return job, nil
	}
	parts, errs := make([]part, len(langs)), make([]error, len(langs))
	var work sync.WaitGroup
	for i, lang := range langs {
		work.Go(func() { parts[i], errs[i] = r.prepare(lang) })
	}
	work.Wait()
	if err := r.blame(ctx, langs, errs); err != nil {
		return nil, err
	}
	for i := range langs {
		job.jobs, job.outputs = append(job.jobs, parts[i].jobs...), append(job.outputs, parts[i].outputs...)
	}
	jar, err := r.jar()
	if err != nil {
		return nil, err
	}
	job.jar = jar
	return job, nil
}

// prepare works out a language's part, a job for each API version. Two languages may be prepared at the
// same time.
func (r *run) prepare(lang language) (p part, err error) {
	options, err := r.options(lang)
	if err != nil {
		return p, err
	}
	folder, called, err := r.templates(lang)
	if err != nil {
		return p, err
	}
	for file := range r.sets[swagger.Stage].All() {
		doc, err := r.decode(file)
		if err != nil {
			return p, err
		}
		annotated, err := lang.annotate(doc)
		if list, ok := errors.AsType[swagger.Unfits](err); ok {
			return p, &unfit{list, file.Path, doc}
		}
		if err != nil {
			return p, err
		}
		data, err := swagger.Encode(annotated)
		if err != nil {
			return p, err
		}
		dir := lang.sdk.ForVersion(doc.Info.Version)
		if slices.ContainsFunc(p.outputs, func(o output) bool { return o.dir == dir }) {
			return p, diag.List{{Rule: "config", Message: fmt.Sprintf("%s.dir is %s for two API packages of version %s", lang.stage, dir, doc.Info.Version),
				Hint: "give each a project of its own: a directory with a sdkgen.yaml"}}
		}
		p.jobs = append(p.jobs, openapigen.Job{
			Stage: lang.stage, Name: fmt.Sprintf("%s-%d", lang.stage, len(p.jobs)), Generator: lang.generator,
			Spec: data, Config: options, Templates: folder, Called: called,
		})
		p.outputs = append(p.outputs, output{lang, dir})
	}
	return p, nil
}

// decode reads a document, once.
func (r *run) decode(file artifact.File) (*spec.Swagger, error) {
	return r.docs.get(file.Path, func() (*spec.Swagger, error) {
		doc, err := swagger.Decode(file.Data)
		if err != nil {
			return nil, fmt.Errorf("reading %q: %w", file.Path, err)
		}
		return doc, nil
	})
}

// unfit is what a language cannot have of a document.
type unfit struct {
	swagger.Unfits
	file string
	doc  *spec.Swagger
}

// blame makes findings of what languages cannot have, where the types are declared; other errors go
// before.
func (r *run) blame(ctx context.Context, langs []language, errs []error) error {
	var list diag.List
	for i, err := range errs {
		what, ok := errors.AsType[*unfit](err)
		if err != nil && !ok {
			return err
		}
		if !ok {
			continue
		}
		if err := r.load(ctx); err != nil {
			return err
		}
		for _, one := range what.Unfits {
			pkg, goType := swagger.GoType(what.doc.Definitions[one.Definition])
			pos := r.api.PropertyPos(pkg, goType, one.Property)
			if !pos.IsValid() { // of Kubernetes, or made up by the API server
				pos = token.Position{Filename: what.file}
			}
			list.Add(pos, langs[i].stage, one.Hint, "%s", one.Message)
		}
	}
	return list.Err()
}

// run runs the jar.
func (s *sdkJob) run(ctx context.Context) (err error) {
	if len(s.jobs) == 0 {
		return nil
	}
	s.sets, err = s.jar.Run(ctx, s.r.env.Log, filepath.Join(s.r.scratch, "java"), s.jobs)
	return err
}

// collect lays the overlays over what the jar made and puts it where it goes.
func (s *sdkJob) collect(r *run) error {
	byStage := map[string]*artifact.Set{}
	for i, set := range s.sets {
		out := s.outputs[i]
		templates, err := r.readTree(out.sdk.Overlay.Dir, out.stage)
		if err != nil {
			return err
		}
		pkg, _ := s.jobs[i].Config["packageName"].(string)
		common, err := runtimeFiles(out.language, pkg)
		if err != nil {
			return err
		}
		if err := set.Merge(common); err != nil {
			return fmt.Errorf("adding the runtime to %s: %w", out.dir, err)
		}
		laid, err := overlay.Apply(out.dir, set, templates, overlay.Rules{
			Replace: out.sdk.Overlay.Replace, Drop: out.sdk.Overlay.Drop,
		})
		if err != nil {
			return err
		}
		if byStage[out.stage] == nil {
			byStage[out.stage] = &artifact.Set{}
		}
		for file := range laid.All() {
			file.Path = path.Join(out.dir, file.Path)
			if err := byStage[out.stage].Put(file); err != nil {
				return err
			}
		}
	}
	for _, stage := range []string{PythonStage, GoStage} {
		if set := byStage[stage]; set != nil {
			r.done(stage, set)
		}
	}
	return nil
}
