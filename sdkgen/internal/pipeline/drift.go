package pipeline

import (
	"go/token"
	"slices"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// regenerate is what to do about a difference.
const regenerate = "run `sdkgen generate`"

// Drift compares sdkgen.lock with the tree by hashes alone: the generated files, and the inputs of
// each stage. It returns a diagnostic for each difference.
func (p *Project) Drift() (diag.List, error) {
	b := p.newBuild(false)
	var list diag.List
	for _, s := range b.plan().stages() {
		files, err := p.lock.Drift(p.root, s.name)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			what := "edited by hand"
			if file.Kind == artifact.Added {
				what = "missing"
			}
			list.Add(token.Position{Filename: file.Path}, s.name, regenerate, "%s", what)
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
		if old, _ := p.lock.Key(s.name); old != key {
			list.Add(token.Position{Filename: artifact.LockName}, s.name, regenerate, "the inputs of %s changed", s.name)
		}
	}
	return list, nil
}
