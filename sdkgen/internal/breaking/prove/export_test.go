package prove

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/sampler"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/compare"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/surface"
)

// Unreported makes n random objects that are valid before, and some at the bounds of each change. It returns how many
// there were, and each way in which they fare worse afterwards that no change of a report tells.
func Unreported(
	changes []*compare.Change, old, now *surface.Surface, n int, seed uint64,
) (valid int, unreported []string, err error) {
	random := rand.New(rand.NewPCG(seed, seed))
	for _, crd := range old.CRDs {
		for _, version := range crd.Spec.Versions {
			at := &compare.Change{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind, Place: compare.Place{Version: version.Name}}
			if after := now.CRD(at.Group, at.Kind); after == nil || surface.Schema(after, version.Name) == nil {
				continue // told as a whole
			}
			p, err := newProver(at, old, now)
			if err != nil {
				return 0, nil, err
			}
			try := func(s *sampler.Sampler) {
				object := s.Object(p.before, p.apiVersion, p.kind)
				if dropped, errs := p.old.Valid(object); len(dropped)+len(errs) > 0 {
					return
				}
				valid++
				for _, path := range p.worse(object) {
					if found := fmt.Sprintf("%s: %v", path, object); !tells(changes, p.kind, path) &&
						!slices.Contains(unreported, found) {
						unreported = append(unreported, found)
					}
				}
			}
			for i := range n {
				s := &sampler.Sampler{Rand: random, Fill: []float64{0.05, 0.2, 0.5}[i%3]}
				if i%5 == 0 {
					s.Focus = []string{"status"}
				}
				try(s)
			}
			for _, change := range changes {
				candidate := p.candidate(change)
				for i := range attempts {
					if len(change.Steps) == 0 || change.Place.Version != version.Name || change.Kind != p.kind {
						break
					}
					s := &sampler.Sampler{Rand: random, Focus: change.Steps, Fill: []float64{0, 0.3}[i%2]}
					s.At = candidate(i)
					if i%10 == 0 || i < enough {
						try(s)
					}
				}
			}
		}
	}
	return valid, unreported, nil
}

// worse returns the paths at which an object is refused, or loses a value, when it is created, read or updated.
func (p *prover) worse(object map[string]any) []string {
	dropped, errs := p.now.Valid(object)
	stored, _ := p.old.Read(object)
	read, lost := p.now.Read(stored)
	touched := runtime.DeepCopyJSON(read)
	touched["metadata"] = map[string]any{"name": "witness", "labels": map[string]any{"touched": "yes"}}
	paths := slices.Concat(dropped, lost)
	for _, err := range slices.Concat(errs, p.now.Update(touched, read, true), p.now.Update(touched, read, false),
		p.now.UpdateStatus(touched, read, true)) {
		if !strings.HasPrefix(err.Detail, "some validation rules were not checked") {
			paths = append(paths, pathOf(err))
		}
	}
	return paths
}

// tells says whether a change that is not compatible for objects is at a path, or around it.
func tells(changes []*compare.Change, kind, path string) bool {
	for _, change := range changes {
		if max(change.Effects[compare.Stored].Verdict, change.Effects[compare.Manifests].Verdict) == compare.Compatible {
			continue
		}
		for _, at := range append([]compare.Spot{{Kind: change.Kind, Steps: change.Steps}}, change.More...) {
			if at.Kind == kind && len(at.Steps) > 0 && leads(path, at.Steps) >= 0 {
				return true
			}
		}
	}
	return false
}

// Objects makes random objects that are valid before or nearly so, some at the bounds of a change.
func Objects(random *sampler.Sampler, change *compare.Change, old, now *surface.Surface) ([]map[string]any, error) {
	p, err := newProver(change, old, now)
	if err != nil {
		return nil, err
	}
	var objects []map[string]any
	candidate := p.candidate(change)
	for i := range 12 {
		random.Focus, random.Fill, random.At = change.Steps, []float64{0.3, 0.8}[i%2], candidate(i)
		objects = append(objects, random.Object(p.before, p.apiVersion, p.kind))
	}
	return objects, nil
}

// Without is what shrink tries.
func Without(object map[string]any, s *sampler.Schema) []func() map[string]any {
	return without(object, s)
}
