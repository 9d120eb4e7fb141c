package project

import (
	"context"
	"go/token"
	"slices"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project/order"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
)

// Regenerate is what to do about a difference.
const Regenerate = "run `sdkgen generate`"

// Drift compares sdkgen.lock with the tree by hashes alone: the generated files, and the inputs of
// each stage. It returns a diagnostic for each difference, and for each stray file.
func (p *Project) Drift(ctx context.Context) (diag.List, error) {
	b := order.New(p.in, false, false)
	stages := b.Enabled()
	list := p.stale(stages)
	for _, s := range stages {
		files, err := p.in.Lock.Drift(p.in.Root, s.Name)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			what := "edited by hand"
			if file.Kind == artifact.Added {
				what = "missing"
			}
			list.Add(token.Position{Filename: file.Path}, s.Name, Regenerate, "%s", what)
		}
		set, clean, err := p.in.Lock.StageClean(p.in.Root, s.Name)
		if err != nil {
			return nil, err
		}
		if clean {
			b.Run.Sets[s.Name] = set
		}
		if slices.ContainsFunc(s.Inputs, func(input string) bool { return b.Run.Sets[input] == nil }) {
			continue // its inputs differ already
		}
		key, err := b.Run.KeyOf(s)
		if err != nil {
			return nil, err
		}
		if !p.in.Lock.Sealed(s.Name, key) {
			list.Add(token.Position{Filename: p.in.Lock.Path()}, s.Name, Regenerate,
				"the inputs of %s changed, or its lines here", s.Name)
		}
	}
	strays, err := p.Strays(ctx, p.in.Lock)
	return append(list, strays...), err
}

// stale finds the files in the lock of stages that the configuration does not enable.
func (p *Project) stale(stages []stage.Stage) diag.List {
	var list diag.List
	for file := range p.in.Lock.All() {
		if !slices.ContainsFunc(stages, func(s stage.Stage) bool { return s.Name == file.Stage }) {
			list.Add(token.Position{Filename: file.Path}, file.Stage, Regenerate, "no stage generates it any more")
		}
	}
	return list
}
