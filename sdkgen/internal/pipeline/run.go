package pipeline

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/go-openapi/spec"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/gogen"
	"github.com/flux-framework/flux-operator/sdkgen/internal/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/openapigen"
	"github.com/flux-framework/flux-operator/sdkgen/internal/swagger"
)

// run is one pass over the stages.
type run struct {
	*Project
	opts    Options
	sets    map[string]*artifact.Set
	keys    map[string]string
	read    []load.Input                    // see inputs
	docs    memo[*spec.Swagger]             // see decode
	jar     func() (*openapigen.Jar, error) // looks for it, once
	api     *load.Result
	gen     *gogen.Generator
	schemas *gogen.Schemas
}

func (p *Project) newRun(opts Options) *run {
	return &run{
		Project: p, opts: opts, sets: map[string]*artifact.Set{}, keys: map[string]string{},
		jar: sync.OnceValues(func() (*openapigen.Jar, error) { return openapigen.Find(p.where()) }),
	}
}

// enabled are the stages that the configuration asks for.
func (p *Project) enabled() []string {
	return slices.DeleteFunc(slices.Clone(Stages), func(stage string) bool {
		switch stage {
		case gogen.CRDStage:
			return p.cfg.CRD == nil
		case PythonStage:
			return p.cfg.Python == nil
		case GoStage:
			return p.cfg.Go == nil
		case gogen.ClientsStage:
			return p.cfg.Clients == nil
		}
		return false
	})
}

// committed are the enabled stages that the run writes.
func (r *run) committed() []string {
	return slices.DeleteFunc(r.enabled(), func(stage string) bool {
		return len(r.opts.Only) > 0 && !slices.Contains(r.opts.Only, stage)
	})
}

// needed are the stages to run: those to be written, and what they are made from.
func (r *run) needed(stage string) bool {
	committed := r.committed()
	has := func(stages ...string) bool {
		return slices.ContainsFunc(stages, func(s string) bool { return slices.Contains(committed, s) })
	}
	switch stage {
	case gogen.OpenAPIStage:
		return has(gogen.OpenAPIStage, swagger.Stage, PythonStage, GoStage, gogen.ClientsStage)
	case swagger.Stage:
		return has(swagger.Stage, PythonStage, GoStage, gogen.ClientsStage)
	}
	return has(stage)
}

// all runs the needed stages; Java works while the last Go generators do.
func (r *run) all(ctx context.Context) error {
	for _, stage := range []string{gogen.OpenAPIStage, swagger.Stage} {
		if err := r.stage(ctx, stage); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sdks := make(chan error, 1)
	job, err := r.prepareSDKs(ctx)
	if err != nil {
		return err
	}
	go func() { sdks <- job.run(ctx) }()
	var goErr error
	for _, stage := range []string{gogen.DeepcopyStage, gogen.CRDStage, gogen.ClientsStage} {
		if goErr = r.stage(ctx, stage); goErr != nil {
			cancel()
			break
		}
	}
	sdkErr := <-sdks
	if goErr != nil {
		return goErr
	}
	if sdkErr != nil {
		return sdkErr
	}
	return job.collect(r)
}

// stage runs one stage if it is needed, or takes its files from the tree if nothing that they
// depend on has changed.
func (r *run) stage(ctx context.Context, stage string) error {
	if !r.needed(stage) || !slices.Contains(r.enabled(), stage) {
		return nil
	}
	if clean, err := r.clean(stage); clean || err != nil {
		return err
	}
	r.env.Log.Info("running", "stage", stage)
	set, err := r.make(ctx, stage)
	if err != nil {
		return err
	}
	r.done(stage, set)
	return nil
}

func (r *run) done(stage string, set *artifact.Set) {
	r.sets[stage] = set
	if r.env.Build != "" {
		r.remember(r.madeKey(stage, set))
	}
	r.env.Log.Info("done", "stage", stage, "files", set.Len())
}

// clean works out a stage's key, and says whether the lock and the tree have its files already.
func (r *run) clean(stage string) (bool, error) {
	key, err := r.key(stage)
	if err != nil {
		return false, err
	}
	r.keys[stage] = key
	if old, ok := r.lock.Key(stage); r.opts.NoCache || !ok || old != key {
		return false, nil
	}
	set, clean, err := r.lock.StageClean(r.root, stage)
	clean = clean && (r.env.Build == "" || r.known(r.madeKey(stage, set)))
	if clean && err == nil {
		r.sets[stage] = set
		r.env.Log.Info("unchanged", "stage", stage, "files", set.Len())
	}
	return clean, err
}

// make runs a stage that needs no Java.
func (r *run) make(ctx context.Context, stage string) (*artifact.Set, error) {
	if err := r.load(ctx); err != nil {
		return nil, err
	}
	switch stage {
	case gogen.DeepcopyStage:
		return r.gen.Deepcopy()
	case gogen.CRDStage:
		return r.gen.CRDs(r.cfg.CRD.Dir)
	case gogen.OpenAPIStage:
		return r.openapi()
	case swagger.Stage:
		return r.swagger()
	case gogen.ClientsStage:
		return r.clients()
	}
	return nil, fmt.Errorf("there is no stage %q", stage)
}

// load reads the API packages, once.
func (r *run) load(ctx context.Context) error {
	if r.api != nil {
		return nil
	}
	if r.needed(PythonStage) || r.needed(GoStage) {
		go r.jar() //nolint:errcheck // prepareSDKs asks again
	}
	api, err := r.Load(ctx)
	if err != nil {
		return err
	}
	r.api = api
	r.gen, err = gogen.New(api, gogen.Options{
		Root: r.env.Root, Header: r.cfg.Header, Scratch: r.scratch,
		ControllerTools: r.env.Modules["sigs.k8s.io/controller-tools"], AllowDangerousTypes: r.cfg.AllowDangerousTypes,
	})
	return err
}

func (r *run) openapi() (*artifact.Set, error) {
	// controller-tools knows the position of a type that neither it nor openapi-gen can take.
	if err := r.needSchemas(); err != nil {
		return nil, err
	}
	set := &artifact.Set{}
	var reports []byte
	for _, pkg := range r.api.Packages {
		if pkg.Foreign {
			continue
		}
		part, report, err := r.gen.OpenAPI(pkg)
		if err != nil {
			return nil, err
		}
		if err := set.Merge(part); err != nil {
			return nil, err
		}
		reports = append(reports, report...)
	}
	_, err := r.checkRules(reports, false)
	return set, err
}

func (r *run) clients() (*artifact.Set, error) {
	pkg, err := load.ImportPath(r.loadOptions(), r.cfg.Clients.Dir)
	if err != nil {
		return nil, err
	}
	var docs [][]byte
	for _, api := range r.api.Packages {
		if file, ok := r.sets[swagger.Stage].Lookup(path.Join(api.Dir, swagger.Doc)); ok && !api.Foreign {
			docs = append(docs, file.Data)
		}
	}
	models, err := swagger.Models(docs...)
	if err != nil {
		return nil, err
	}
	schema := filepath.Join(r.scratch, "models.json")
	if err := os.WriteFile(schema, models, 0o600); err != nil {
		return nil, fmt.Errorf("writing the models for applyconfiguration-gen: %w", err)
	}
	return r.gen.Clients(r.cfg.Clients.Dir, pkg, schema)
}

// definitions evaluates the definitions of a package: those in made, or, where it lacks the
// package, those that openapi-gen makes on the way.
func (r *run) definitions(pkg *load.Package, made *artifact.Set) (swagger.Definitions, error) {
	name := path.Join(pkg.Dir, gogen.OpenAPIFile)
	file, ok := made.Lookup(name)
	if !ok {
		set, _, err := r.gen.OpenAPI(pkg)
		if err != nil {
			return nil, err
		}
		file, _ = set.Lookup(name)
	}
	return swagger.Evaluate(file.Path, file.Data)
}

func (r *run) swagger() (*artifact.Set, error) {
	set := &artifact.Set{}
	if err := r.checkTable(); err != nil {
		return nil, err
	}
	for _, pkg := range r.api.Packages {
		definitions, err := r.definitions(pkg, r.sets[gogen.OpenAPIStage])
		if err != nil {
			return nil, err
		}
		data, err := r.document(pkg, definitions)
		if err != nil {
			return nil, err
		}
		if err := set.Put(artifact.File{Path: path.Join(pkg.Dir, swagger.Doc), Data: data, Origin: swagger.Stage}); err != nil {
			return nil, err
		}
	}
	return set, nil
}
