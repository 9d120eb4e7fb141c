package project

import (
	"context"
	"go/token"
	"slices"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// Regenerate is what to do about a difference.
const Regenerate = "run `sdkgen generate`"

// Drift compares sdkgen.lock with the tree by hashes alone: the generated files, and the inputs of
// each stage. It returns a diagnostic for each difference, and for each stray file.
func (p *Project) Drift(ctx context.Context) (diag.List, error) {
	b := p.newBuild(Options{})
	stages := b.plan().stages()
	list := p.stale(stages)
	for _, s := range stages {
		files, err := p.lock.Drift(p.root, s.name)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			what := "edited by hand"
			if file.Kind == artifact.Added {
				what = "missing"
			}
			list.Add(token.Position{Filename: file.Path}, s.name, Regenerate, "%s", what)
		}
		set, clean, err := p.lock.StageClean(p.root, s.name)
		if err != nil {
			return nil, err
		}
		if clean {
			b.sets[s.name] = set
		}
		if slices.ContainsFunc(s.inputs, func(input string) bool { return b.sets[input] == nil }) {
			continue // its inputs differ already
		}
		key, err := b.key(s)
		if err != nil {
			return nil, err
		}
		if !p.lock.Sealed(s.name, key) {
			list.Add(token.Position{Filename: p.lock.Path()}, s.name, Regenerate, "the inputs of %s changed, or its lines here", s.name)
		}
	}
	strays, err := p.Strays(ctx, p.lock)
	return append(list, strays...), err
}

// stale finds the files in the lock of stages that the configuration does not enable.
func (p *Project) stale(stages []stage) diag.List {
	var list diag.List
	for file := range p.lock.All() {
		if !slices.ContainsFunc(stages, func(s stage) bool { return s.name == file.Stage }) {
			list.Add(token.Position{Filename: file.Path}, file.Stage, Regenerate, "no stage generates it any more")
		}
	}
	return list
}
