package pipeline

import (
	"path/filepath"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/cache"
	"github.com/flux-framework/flux-operator/sdkgen/internal/load"
)

// openCache returns the cache of what runs made on this machine.
func (e Environment) openCache() *cache.Cache {
	if e.CacheDir == "" {
		return nil
	}
	return cache.New(filepath.Join(e.CacheDir, "made"))
}

// results is the cache that a run takes results from: none where everything is to be made.
func (r *run) results() *cache.Cache {
	if r.opts.NoCache {
		return nil
	}
	return r.cache
}

// known says whether a run has come to this before.
func (r *run) known(key string) bool {
	_, ok := r.results().Get(key)
	return ok
}

// remember makes a key known. Where that cannot be kept it costs the next run time.
func (r *run) remember(key string) {
	if err := r.cache.Put(key, nil); err != nil {
		r.env.Log.Debug("remembering what was made", "error", err)
	}
}

// madeKey stands for it that this build of sdkgen makes a stage's files of what they are made from.
// The key in the lock says so of a released build, whose version it holds, but a development build
// can make something else of the same than one before it.
func (r *run) madeKey(stage string, set *artifact.Set) string {
	k := r.keyer("made", stage)
	k.add("build", r.env.Build)
	k.add("key", r.keys[stage])
	k.set("files", set)
	return k.sum()
}

// inputs reads what decides what the API packages are, once.
func (r *run) inputs() (files []load.Input, err error) {
	if r.read == nil {
		r.read, err = load.Inputs(r.loadOptions())
	}
	return r.read, err
}
