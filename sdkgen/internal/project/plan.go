package project

import (
	"cmp"
	"context"
	"slices"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/gocode"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/reference"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/samples"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/schemas"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/swagger"
)

// Names of the stages that are not gogen's or swagger's.
const (
	PythonStage = "python"
	GoStage     = "go"
)

// stage is one step of a plan.
type stage struct {
	name   string
	wanted bool                                         // sdkgen.yaml asks for its files
	inputs []string                                     // stages whose files it reads
	key    func(*keyer) error                           // adds everything else that its files depend on
	run    func(context.Context) (*artifact.Set, error) // makes its files; nil for an SDK, which the engine makes
	sdk    *sdk
}

// plan is every stage, in the order in which a build runs them.
type plan struct {
	document []stage // in order: what the others read
	sdks     []stage // at once, in one run of the engine
	code     []stage // in order, beside the SDKs
}

func (b *build) plan() plan {
	cfg := b.cfg
	python, golang := b.newSDK(pythonLanguage), b.newSDK(goLanguage)
	return plan{
		document: []stage{
			{name: gocode.OpenAPIStage, wanted: true, key: b.openapiKey, run: b.openapi},
			{name: swagger.Stage, wanted: true, inputs: []string{gocode.OpenAPIStage}, key: b.swaggerKey, run: b.swagger},
		},
		sdks: []stage{
			{name: PythonStage, wanted: cfg.Python != nil, inputs: []string{swagger.Stage}, key: python.key, sdk: python},
			{name: GoStage, wanted: cfg.Go != nil, inputs: []string{swagger.Stage}, key: golang.key, sdk: golang},
		},
		code: []stage{
			{name: gocode.DeepcopyStage, wanted: true, key: b.sourceKey, run: b.deepcopy},
			{name: gocode.CRDStage, wanted: cfg.CRDOptions().Dir != "", key: b.crdKey, run: b.crds},
			{name: reference.Stage, wanted: cfg.Docs != nil, inputs: []string{swagger.Stage}, key: b.docsKey, run: b.docs},
			{name: samples.Stage, wanted: cfg.Samples != nil, key: b.samplesKey, run: b.samples},
			{name: schemas.Stage, wanted: cfg.Schemas != nil, key: b.schemasKey, run: b.schemas},
			{name: gocode.ClientsStage, wanted: cfg.Clients != nil, inputs: []string{swagger.Stage}, key: b.clientsKey, run: b.clients},
		},
	}
}

// stages returns the wanted stages in the order in which a build runs them.
func (p plan) stages() []stage {
	return slices.DeleteFunc(slices.Concat(p.document, p.sdks, p.code), func(s stage) bool { return !s.wanted })
}

// needed returns the names of the wanted stages among names, and of all that these read.
func (p plan) needed(names []string) []string {
	var needed []string
	for _, s := range slices.Backward(p.stages()) { // a stage is behind those that it reads
		if slices.Contains(names, s.name) || slices.Contains(needed, s.name) {
			needed = append(append(needed, s.name), s.inputs...)
		}
	}
	return needed
}

// run runs every stage that is needed for the named ones and is not up to date.
func (b *build) run(ctx context.Context, names []string) error {
	p := b.plan()
	needed := p.needed(names)
	only := func(stages []stage) []stage {
		return slices.DeleteFunc(stages, func(s stage) bool { return !slices.Contains(needed, s.name) })
	}
	if err := b.each(ctx, only(p.document)); err != nil {
		return err
	}
	stale, err := b.stale(only(p.sdks))
	if err != nil {
		return err
	}
	rendering, cancel := context.WithCancel(ctx)
	defer cancel()
	made := make(chan sdkJobs, 1)
	docs := b.sets[swagger.Stage]
	go func() { made <- b.render(rendering, stale, docs) }()
	codeErr := b.each(ctx, only(p.code))
	if codeErr != nil {
		cancel()
	}
	sdks := <-made
	if sdks.unprepared != nil {
		return b.locate(ctx, sdks.unprepared)
	}
	if err := cmp.Or(codeErr, sdks.unrendered); err != nil {
		return err
	}
	return b.collect(sdks.jobs)
}

// each runs stages one after the other, but for those that are up to date.
func (b *build) each(ctx context.Context, stages []stage) error {
	for _, s := range stages {
		current, err := b.upToDate(s)
		if err != nil {
			return err
		}
		if current {
			continue
		}
		b.env.Log.Info("running", "stage", s.name)
		set, err := s.run(ctx)
		if err != nil {
			return err
		}
		b.done(s.name, set)
	}
	return nil
}
