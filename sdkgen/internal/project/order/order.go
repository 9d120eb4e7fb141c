// Package order has the registry of the stages and runs them in their order.
package order

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project/pages"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render/jar"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/gocode"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/golang"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/python"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/samples"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/schemas"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/swagger"
)

// Build is one run over the stages.
type Build struct {
	Run    *stage.Run
	Gocode *gocode.Stages

	force    bool          // run stages that are up to date too
	document []stage.Stage // in order: what the others read
	sdks     []*stage.SDK  // at once, in one run of the engine
	code     []stage.Stage // in order, next to the SDKs
}

// New returns a run over the stages: the registry of all that there are. force runs stages that are up to date too;
// adopt takes over files that sdkgen did not write.
func New(in *stage.Project, force, adopt bool) *Build {
	b := &Build{Run: stage.NewRun(in), force: force}
	b.Run.Adopt = adopt
	b.Gocode = gocode.NewStages(b.Run)
	b.document = []stage.Stage{b.Gocode.OpenAPI(), swagger.New(b.Run)}
	b.sdks = []*stage.SDK{python.New(in), golang.New(in)}
	b.code = []stage.Stage{
		b.Gocode.Deepcopy(), b.Gocode.CRD(), pages.New(b.Run), samples.New(b.Run), schemas.New(b.Run), b.Gocode.ClientSet(),
	}
	return b
}

// Stages returns all stages in the order in which a run has them, for help texts.
func Stages() []stage.Stage {
	return New(&stage.Project{Config: &config.Config{}}, false, false).all()
}

func (b *Build) all() []stage.Stage {
	all := slices.Clone(b.document)
	for _, sdk := range b.sdks {
		all = append(all, sdk.Stage())
	}
	return append(all, b.code...)
}

// Enabled returns the enabled stages in the order in which a run has them.
func (b *Build) Enabled() []stage.Stage {
	return slices.DeleteFunc(b.all(), func(s stage.Stage) bool { return !s.Enabled })
}

// needed returns the names of the enabled stages among names, and of all that these read.
func (b *Build) needed(names []string) []string {
	var needed []string
	for _, s := range slices.Backward(b.Enabled()) { // a stage is behind those that it reads
		if slices.Contains(names, s.Name) || slices.Contains(needed, s.Name) {
			needed = append(append(needed, s.Name), s.Inputs...)
		}
	}
	return needed
}

// Do runs every stage that is needed for the named ones and is not up to date.
func (b *Build) Do(ctx context.Context, names []string) error {
	needed := b.needed(names)
	only := func(stages []stage.Stage) []stage.Stage {
		return slices.DeleteFunc(slices.Clone(stages), func(s stage.Stage) bool { return !slices.Contains(needed, s.Name) })
	}
	if err := b.each(ctx, only(b.document)); err != nil {
		return err
	}
	var stale []*stage.SDK
	for _, sdk := range b.sdks {
		if !slices.Contains(needed, sdk.Language.Stage) {
			continue
		}
		current, err := b.upToDate(sdk.Stage())
		if err != nil {
			return err
		}
		if !current {
			stale = append(stale, sdk)
		}
	}
	rendering, cancel := context.WithCancel(ctx)
	defer cancel()
	rendered := make(chan sdkJobs, 1)
	var docs []stage.Document
	if len(stale) > 0 {
		var err error
		if docs, err = b.Run.Documents(ctx); err != nil {
			return err
		}
	}
	files := b.Run.Sets[stage.Swagger]
	go func() { rendered <- b.render(rendering, stale, docs, files) }()
	codeErr := b.each(ctx, only(b.code))
	if codeErr != nil {
		cancel()
	}
	sdks := <-rendered
	if list, ok := errors.AsType[stage.Unrepresentables](sdks.unprepared); ok {
		source, err := b.Run.Source(ctx)
		if err != nil {
			return err
		}
		return list.Locate(source.API)
	}
	if err := cmp.Or(sdks.unprepared, codeErr, sdks.unrendered); err != nil {
		return err
	}
	return b.collect(sdks.jobs)
}

// each runs stages one after the other, except for the ones that are up to date.
func (b *Build) each(ctx context.Context, stages []stage.Stage) error {
	for _, s := range stages {
		current, err := b.upToDate(s)
		if err != nil {
			return err
		}
		if current {
			continue
		}
		b.Run.Project.Env.Log.Info("running", "stage", s.Name)
		set, err := s.Run(ctx)
		if err != nil {
			return err
		}
		b.done(s.Name, set)
	}
	return nil
}

// upToDate works out the stage's key. If the lock has that key and the tree the stage's files, it takes
// them from the tree.
func (b *Build) upToDate(s stage.Stage) (bool, error) {
	key, err := b.Run.KeyOf(s)
	if err != nil {
		return false, err
	}
	b.Run.Keys[s.Name] = key
	if b.force || !b.Run.Project.Lock.Sealed(s.Name, key) {
		return false, nil
	}
	set, clean, err := b.Run.Project.Lock.StageClean(b.Run.Project.Root, s.Name)
	if err != nil || !clean {
		return false, err
	}
	b.Run.Sets[s.Name] = set
	b.Run.Project.Env.Log.Info("unchanged", "stage", s.Name, "files", set.Len())
	return true, nil
}

// done records the files of a stage that ran.
func (b *Build) done(stage string, set *artifact.Set) {
	b.Run.Sets[stage] = set
	b.Run.Project.Env.Log.Info("done", "stage", stage, "files", set.Len())
}

// sdkJobs are the jobs of a run, and why there are none or why they did not come about.
type sdkJobs struct {
	jobs       []*stage.Job
	unprepared error // stage.Unrepresentables, or what is wrong with options and templates
	unrendered error
}

// prepare works out the jobs of SDKs; files are the ones of the stage swagger.
func prepare(sdks []*stage.SDK, docs []stage.Document, files *artifact.Set) ([]*stage.Job, error) {
	var jobs []*stage.Job
	var list stage.Unrepresentables
	for _, sdk := range sdks {
		more, err := sdk.Jobs(docs, files)
		if unrepresentable, ok := errors.AsType[*stage.Unrepresentable](err); ok {
			list = append(list, unrepresentable)
		} else if err != nil {
			return nil, err
		}
		jobs = append(jobs, more...)
	}
	if list != nil {
		return nil, list
	}
	return jobs, nil
}

// render makes the SDKs in one run of the project's engine. The code stages run at the same time: it reads nothing that
// they write.
func (b *Build) render(ctx context.Context, sdks []*stage.SDK, docs []stage.Document, files *artifact.Set) sdkJobs {
	jobs, err := prepare(sdks, docs, files)
	if err != nil || len(jobs) == 0 {
		return sdkJobs{unprepared: err}
	}
	all := make([]render.Job, 0, len(jobs))
	for _, job := range jobs {
		all = append(all, job.Render)
	}
	sets, err := b.runEngine(ctx, all)
	for i, set := range sets {
		jobs[i].Files = set
	}
	return sdkJobs{jobs: jobs, unrendered: err}
}

func (b *Build) runEngine(ctx context.Context, jobs []render.Job) ([]*artifact.Set, error) {
	if b.Run.Project.Config.Engine == config.Native {
		return render.Native(ctx, jobs)
	}
	engine, err := jar.Find(Where(b.Run.Project))
	if err != nil {
		return nil, err
	}
	return engine.Run(ctx, b.Run.Project.Env.Log, filepath.Join(b.Run.Project.Scratch, "java"), jobs)
}

// collect puts the distributions together and records the files of the stages.
func (b *Build) collect(jobs []*stage.Job) error {
	sets := map[string]*artifact.Set{}
	for len(jobs) > 0 {
		d, name := jobs[0].Distribution, jobs[0].SDK.Language.Stage
		n := slices.IndexFunc(jobs, func(j *stage.Job) bool { return j.Distribution != d })
		if n < 0 {
			n = len(jobs)
		}
		if sets[name] == nil {
			sets[name] = &artifact.Set{}
		}
		if err := stage.Collect(jobs[:n], sets[name]); err != nil {
			return err
		}
		jobs = jobs[n:]
	}
	for _, sdk := range b.sdks {
		if set := sets[sdk.Language.Stage]; set != nil {
			b.done(sdk.Language.Stage, set)
		}
	}
	return nil
}
