// Package prove looks for the smallest object that shows each change, by the API server's own code.
package prove

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	goruntime "runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/sampler"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/server"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/compare"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/surface"
)

// attempts is how many objects are tried for a witness.
const attempts = 200

// enough is how many are tried when all that is expected was found: what could not be decided may break, too.
const enough = 30

// unproven is the reason of what was expected to break and did not in any object that was tried.
const unproven = "no object that shows it was found"

// Prove looks for an object that shows each change of a schema, by the API server's own code, and corrects the verdicts
// by what it finds: what was expected to break and never does is risky, and what could not be decided and does is
// breaking. The versions of a kind are proved in parallel.
func Prove(changes []*compare.Change, old, now *surface.Surface, shrink bool) error {
	kinds := map[string][]*compare.Change{}
	for _, change := range changes {
		if len(change.Steps) == 0 || change.Effects[compare.Stored].Verdict != compare.Compatible ||
			change.Effects[compare.Manifests].Verdict != compare.Compatible {
			id := change.Group + " " + change.Kind + " " + change.Place.Version
			kinds[id] = append(kinds[id], change)
		}
	}
	var group errgroup.Group
	group.SetLimit(goruntime.GOMAXPROCS(0))
	for _, id := range slices.Sorted(maps.Keys(kinds)) {
		group.Go(func() error { return proveKind(kinds[id], old, now, shrink) })
	}
	return group.Wait()
}

// proveKind proves the changes of one version of a kind.
func proveKind(changes []*compare.Change, old, now *surface.Surface, shrink bool) error {
	var p *prover
	for _, change := range changes {
		if len(change.Steps) == 0 {
			if err := exemplify(change, old); err != nil {
				return err
			}
			continue
		}
		if p == nil {
			var err error
			if p, err = newProver(change, old, now); err != nil {
				return err
			}
			p.shrinks = shrink
		}
		p.prove(change)
	}
	return nil
}

// exemplify gives a change of a kind or version as a whole a witness: every object shows it, so it is the smallest.
func exemplify(c *compare.Change, old *surface.Surface) error {
	crd := old.CRD(c.Group, c.Kind)
	if crd == nil || max(c.Effects[compare.Stored].Verdict, c.Effects[compare.Manifests].Verdict) != compare.Breaking {
		return nil
	}
	version := cmp.Or(c.Place.Version, surface.Storage(crd))
	if surface.Schema(crd, version) == nil {
		return nil
	}
	valid, err := server.New(crd, version)
	if err != nil {
		return err
	}
	s := &sampler.Sampler{Rand: rand.New(rand.NewPCG(1, 2))}
	for i := range attempts {
		s.Fill = []float64{0, 0.1, 0.5}[i%3]
		object := s.Object(surface.Schema(crd, version), crd.Spec.Group+"/"+version, c.Kind)
		if dropped, errs := valid.Valid(object); len(dropped)+len(errs) > 0 {
			continue
		}
		c.Witness = &compare.Witness{Object: object}
		for _, who := range []compare.Audience{compare.Stored, compare.Manifests} {
			if c.Effects[who].Verdict == compare.Breaking {
				c.Witness.Now = append(c.Witness.Now, fmt.Sprintf("%s: %s", who, c.Effects[who].Reason))
			}
		}
		return nil
	}
	return nil
}

// prover has a version of a kind before and after.
type prover struct {
	apiVersion, kind string
	before, after    *sampler.Schema
	old, now         *server.Version
	literals         []any // of the CEL rules
	shrinks          bool  // witnesses are to be small
}

func newProver(change *compare.Change, old, now *surface.Surface) (*prover, error) {
	before, after := old.CRD(change.Group, change.Kind), now.CRD(change.Group, change.Kind)
	p := &prover{apiVersion: after.Spec.Group + "/" + change.Place.Version, kind: change.Kind}
	var err error
	if p.old, err = server.New(before, change.Place.Version); err != nil {
		return nil, err
	}
	if p.now, err = server.New(after, change.Place.Version); err != nil {
		return nil, err
	}
	p.before, p.after = surface.Schema(before, change.Place.Version), surface.Schema(after, change.Place.Version)
	p.literals = texts(p.before)
	return p, nil
}

// prove looks for a witness of one change.
func (p *prover) prove(change *compare.Change) {
	s := &sampler.Sampler{Rand: rand.New(rand.NewPCG(1, 2)), Focus: change.Steps}
	candidate := p.candidate(change)
	var best *outcome
	for i := 0; i < attempts && !best.settles(change) && (i < enough || !best.shows(change)); i++ {
		s.Fill = []float64{0, 0, 0.1, 0.3, 0.7}[i%5]
		s.At = candidate(i)
		object := s.Object(p.before, p.apiVersion, p.kind)
		found := p.try(change, object)
		if found == nil || best != nil && found.worst() <= best.worst() {
			continue
		}
		best = found
	}
	if best != nil && p.shrinks {
		best = p.shrink(change, best)
	}
	conclude(change, best)
}

// outcome is an object and what the new version does to it: "" where nothing happens.
type outcome struct {
	object            map[string]any
	stored, manifests string
	lost              bool   // stored objects lose a value, or their updates are refused even if nothing changes
	outdated          string // why updates that change nothing are refused without ratcheting
}

func (s *outcome) worst() int {
	n := 0
	for i, text := range []string{s.outdated, s.stored, s.manifests} {
		if text != "" {
			n += 1 << i
		}
	}
	return n
}

// shows says whether the object shows all that is expected to break.
func (s *outcome) shows(change *compare.Change) bool {
	return s != nil && (s.stored != "" || change.Effects[compare.Stored].Verdict != compare.Breaking) &&
		(s.manifests != "" || change.Effects[compare.Manifests].Verdict != compare.Breaking)
}

// settles says whether nothing else can be found.
func (s *outcome) settles(change *compare.Change) bool {
	stored := !mayLose(change) || s != nil && s.stored != ""
	manifests := change.Steps[0] == "status" || s != nil && s.manifests != ""
	return stored && manifests
}

// try says what becomes of an object by the change; nil if nothing does, or if the object was not valid.
func (p *prover) try(change *compare.Change, object map[string]any) *outcome {
	if dropped, errs := p.old.Valid(object); len(dropped) > 0 || len(errs) > 0 {
		return nil
	}
	found := &outcome{object: object}
	dropped, errs := p.now.Valid(object)
	if change.Steps[0] != "status" {
		for _, path := range dropped {
			if drops(change, path) {
				found.manifests = "unknown field " + path
			}
		}
		found.manifests = cmp.Or(refused(change, errs), found.manifests)
	}
	stored, _ := p.old.Read(object)
	p.update(change, found, stored, len(errs) > 0)
	if found.stored == "" && change.Rule == "default-changed" {
		if after, _ := p.now.Read(object); !reflect.DeepEqual(stored, after) {
			found.stored, found.manifests = "another default", "another default"
		}
	}
	if found.worst() == 0 {
		return nil
	}
	return found
}

// update finds what becomes of the stored object when it is read, and when an update changes nothing but a label. That
// is accepted of an object that is valid, unless a rule compares with the old value.
func (p *prover) update(change *compare.Change, found *outcome, stored map[string]any, invalid bool) {
	read, dropped := p.now.Read(stored)
	for _, path := range dropped {
		if drops(change, path) {
			found.stored, found.lost = "dropped: "+path, true
		}
	}
	if !invalid && !compares(change) {
		return
	}
	touched := runtime.DeepCopyJSON(read)
	touched["metadata"] = map[string]any{"name": "witness", "labels": map[string]any{"touched": "yes"}}
	if text := refused(change, p.now.Update(touched, read, true)); text != "" {
		found.stored, found.lost = "every update is refused: "+text, true
		return
	}
	found.outdated = refused(change, p.now.Update(touched, read, false))
}

// conclude corrects the verdicts by what was found.
func conclude(c *compare.Change, found *outcome) {
	if found == nil {
		found = &outcome{}
	} else {
		c.Witness = &compare.Witness{Object: found.object}
	}
	for who, text := range map[compare.Audience]string{compare.Stored: found.stored, compare.Manifests: found.manifests} {
		effect := &c.Effects[who]
		switch {
		case text == "" && effect.Verdict == compare.Breaking:
			*effect = compare.Effect{Verdict: compare.Risky, Reason: unproven + ": " + effect.Reason}
		case text == "" || effect.Verdict == compare.Compatible || c.Steps[0] == "status":
		case effect.Verdict == compare.Risky && (who == compare.Stored && found.lost ||
			who == compare.Manifests && text != "another default"):
			*effect = compare.Effect{Verdict: compare.Breaking, Reason: text}
		}
	}
	outlast(c, found)
	if c.Witness == nil {
		return
	}
	outdated := found.outdated
	if outdated != "" {
		outdated = "every update is refused before Kubernetes 1.30: " + outdated
	}
	for _, line := range []struct {
		who  compare.Audience
		text string
	}{{compare.Stored, found.stored}, {compare.Stored, outdated}, {compare.Manifests, found.manifests}} {
		if line.text != "" {
			c.Witness.Now = append(c.Witness.Now, fmt.Sprintf("%s: %s", line.who, line.text))
		}
	}
}

// outlast corrects the reason for stored objects by what became of updates of one that is invalid now and do not change
// it.
func outlast(c *compare.Change, found *outcome) {
	effect := &c.Effects[compare.Stored]
	switch reason := effect.Reason; {
	case effect.Verdict != compare.Risky || found.manifests == "" && found.outdated == "", c.Steps[0] == "status":
	case found.outdated == "" && strings.Contains(reason, compare.Unchanged):
		effect.Reason = "an update that does not change it is accepted"
	default:
		effect.Reason = strings.TrimPrefix(reason, compare.Undecided+"; ")
	}
}
