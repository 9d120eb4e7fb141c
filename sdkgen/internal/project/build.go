package project

import (
	"context"
	"sync"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
)

// build is one run over the stages: what they made so far, and what several of them need, each
// worked out once and only where a stage asks for it.
type build struct {
	*Project
	force  bool                     // run stages that are up to date too
	adopt  bool                     // take over files that sdkgen did not write
	sets   map[string]*artifact.Set // by stage
	keys   map[string]string        // by stage
	loaded *source                  // see source
	// released are files that sdkgen made and that were edited since: they are the user's now.
	released []string
	// replaced are the files of others whose place samples take.
	replaced map[string]bool
	inputs   func() ([]load.Input, error)
}

// apiDocument is the swagger.json of an API package.
type apiDocument struct {
	file string
	data []byte
	*model.API
}

func (p *Project) newBuild(opts Options) *build {
	b := &build{Project: p, force: opts.Force, adopt: opts.Adopt, sets: map[string]*artifact.Set{}, keys: map[string]string{}}
	b.inputs = sync.OnceValues(func() ([]load.Input, error) { return load.Inputs(p.loadOptions()) })
	return b
}

// source returns the API packages, loaded and checked.
func (b *build) source(ctx context.Context) (*source, error) {
	if b.loaded == nil {
		api, err := b.Load(ctx)
		if err != nil {
			return nil, err
		}
		if b.loaded, err = b.newSource(api); err != nil {
			return nil, err
		}
	}
	return b.loaded, nil
}

// readDocuments decodes what the stage swagger made, in the order of paths.
func readDocuments(set *artifact.Set) ([]apiDocument, error) {
	var docs []apiDocument
	for file := range set.All() {
		api, err := model.Read(file.Data)
		if err != nil {
			return nil, diagnose(file.Path, err)
		}
		docs = append(docs, apiDocument{file.Path, file.Data, api})
	}
	return docs, nil
}

// upToDate works out the stage's key. If the lock has that key and the tree the stage's files, it takes
// them from the tree.
func (b *build) upToDate(s stage) (bool, error) {
	key, err := b.key(s)
	if err != nil {
		return false, err
	}
	b.keys[s.name] = key
	if b.force || !b.lock.Sealed(s.name, key) {
		return false, nil
	}
	set, clean, err := b.lock.StageClean(b.root, s.name)
	if err != nil || !clean {
		return false, err
	}
	b.sets[s.name] = set
	b.env.Log.Info("unchanged", "stage", s.name, "files", set.Len())
	return true, nil
}

// done records the files of a stage that ran.
func (b *build) done(stage string, set *artifact.Set) {
	b.sets[stage] = set
	b.env.Log.Info("done", "stage", stage, "files", set.Len())
}
