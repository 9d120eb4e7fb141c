package compare

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/sampler"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/surface"
)

// Compare returns what changed from one surface to another, sorted by version and path.
func Compare(old, now *surface.Surface) ([]*Change, error) {
	env := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).NewExpressionsEnv()
	c := &comparison{before: old, after: now, env: env, seen: map[identity]*Change{}, paths: map[string]string{}}
	c.resources()
	c.callers()
	sortChanges(c.changes)
	return c.changes, c.err
}

// comparison collects the changes.
type comparison struct {
	before, after *surface.Surface
	env           *cel.Env
	changes       []*Change
	seen          map[identity]*Change
	err           error             // the first of what could not be compared
	paths         map[string]string // import paths of the new API packages by the old ones

	crd     *apiextensionsv1.CustomResourceDefinition // the one whose schemas are compared
	version string
}

// identity is what makes changes at several paths one: the same rule says the same of the same Go field.
type identity struct{ version, rule, goType, property, text string }

// correction adjusts a change to what is known of its place before the change is recorded.
type correction func(*Change)

// compatible makes a change compatible for objects if something holds, and says why.
func compatible(holds bool, why string) correction {
	return func(c *Change) {
		if holds {
			c.Text += ": " + why
			c.Effects[Stored], c.Effects[Manifests], c.Instead = none, none, ""
		}
	}
}

// add records a change at a place in a schema. If the same Go field has it at another path already, that change gets
// the path.
func (c *comparison) add(id string, at node, text string, corrections ...correction) {
	r, kind := rule(id), c.crd.Spec.Names.Kind
	place := Place{Version: c.version, Property: at.key, Path: kind + at.String(), GoType: surface.GoType(at.owner)}
	key := identity{version: c.version, rule: id, goType: place.GoType, property: place.Property, text: text}
	if first := c.seen[key]; first != nil && place.GoType != "" {
		if !slices.Contains(first.Others, place.Path) && place.Path != first.Place.Path {
			first.Others, first.More = append(first.Others, place.Path), append(first.More, Spot{kind, at.steps})
		}
		return
	}
	effects := r.Spec
	if at.status() {
		effects = r.Status
	}
	change := &Change{
		Rule: id, Place: place, Pos: c.locate(append([]Place{place}, at.near...)...), Text: text,
		Group: c.crd.Spec.Group, Kind: kind, Steps: at.steps,
	}
	change.Effects[Stored], change.Effects[Manifests] = effects.Stored, effects.Manifests
	if change.Verdict() != Compatible {
		change.Instead = r.Instead
	}
	for _, correct := range corrections {
		correct(change)
	}
	if change.Verdict() != Compatible {
		compatible(at.allowed != "", at.allowed)(change)
	}
	if now := surface.Schema(c.crd, c.version); now != nil && len(at.steps) > 0 {
		change.ratchet(now)
	}
	c.seen[key] = change
	c.changes = append(c.changes, change)
}

// transition is the text of a change from one value to another.
func transition(before, after string) string { return before + ", now " + after }

// locate returns the position in the new source of the first place that it has, or else of its type, or else of the
// package clause of the first place's package, or of the first one.
func (c *comparison) locate(places ...Place) token.Position {
	for _, place := range places {
		for _, at := range []Place{place, {GoType: place.GoType}} {
			if at.GoType == "" {
				continue
			}
			if pos := c.after.Locate(at.GoType, at.Property); pos.IsValid() {
				return pos
			}
		}
	}
	for _, place := range places {
		pkg := place.GoType[:max(0, strings.LastIndexByte(place.GoType, '.'))]
		if pos := c.after.Locate(pkg+".", ""); pkg != "" && pos.IsValid() {
			return pos
		}
	}
	for _, pkg := range c.after.Packages {
		return c.after.Locate(pkg.Path+".", "")
	}
	return token.Position{}
}

// related returns where to look for a kind that a version or a group has lost: in its other versions, or their
// packages.
func (c *comparison) related(group, kind string) []Place {
	var types, packages []Place
	for _, pkg := range c.after.Packages {
		if pkg.Document.Group == group {
			types = append(types, Place{GoType: pkg.Path + "." + kind})
			packages = append(packages, Place{GoType: pkg.Path + "."})
		}
	}
	return append(types, packages...)
}

// resources compares the CRDs.
func (c *comparison) resources() {
	for _, old := range c.before.CRDs {
		c.crd, c.version = old, surface.Storage(old)
		now := c.after.CRD(old.Spec.Group, old.Spec.Names.Kind)
		if now == nil {
			pos := c.locate(c.related(old.Spec.Group, old.Spec.Names.Kind)...)
			c.add("kind-removed", node{}, "there is no CRD of it any more",
				afterNotice(deprecatedKind(old), "serve the last version until nobody uses it"),
				func(c *Change) { c.Pos = pos })
			c.renamed(old)
			continue
		}
		c.resource(old, now)
	}
}

func (c *comparison) resource(old, now *apiextensionsv1.CustomResourceDefinition) {
	c.crd, c.version = now, surface.Storage(now)
	root := c.root(now)
	c.replace(old, now)
	if old.Spec.Scope != now.Spec.Scope {
		c.add("scope", root, transition(string(old.Spec.Scope), string(now.Spec.Scope)))
	}
	before, after := old.Spec.Names, now.Spec.Names
	if before.Plural != after.Plural {
		c.add("names", root, "plural: "+transition(before.Plural, after.Plural))
	}
	if before.Singular != after.Singular {
		c.add("short-name", root, "singular: "+transition(before.Singular, after.Singular))
	}
	if before.ListKind != after.ListKind {
		c.add("short-name", root, "list kind: "+transition(before.ListKind, after.ListKind))
	}
	for _, name := range slices.Concat(before.ShortNames, before.Categories) {
		if !slices.Contains(after.ShortNames, name) && !slices.Contains(after.Categories, name) {
			c.add("short-name", root, name+" is gone")
		}
	}
	if earlier, current := surface.Storage(old), surface.Storage(now); earlier != current {
		c.add("storage-version", root, transition(earlier, current))
	}
	for _, before := range old.Spec.Versions {
		c.version = before.Name
		i := slices.IndexFunc(now.Spec.Versions,
			func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == before.Name })
		switch {
		case i < 0 && before.Served:
			instead := "keep it with +kubebuilder:unservedversion while objects are stored in it"
			c.add("version-removed", root, "version "+before.Name+" is gone",
				afterNotice(deprecatedVersion(c.root(now).old, before), instead), unlessStored(before))
		case i < 0:
			c.add("version-removed", root, "version "+before.Name+", which was not served, is gone",
				unlessStored(before), func(c *Change) { c.Effects[Manifests] = none })
		default:
			c.versions(before, now.Spec.Versions[i])
		}
	}
}

// root is the top of a kind, with the types of the version that is compared.
func (c *comparison) root(crd *apiextensionsv1.CustomResourceDefinition) node {
	at := node{}
	for _, side := range []struct {
		surface *surface.Surface
		typ     **model.Type
	}{{c.before, &at.old}, {c.after, &at.now}} {
		if definition := side.surface.Find(crd.Spec.Group, c.version).Root(crd.Spec.Names.Kind); definition != nil {
			*side.typ = &model.Type{Shape: model.Reference, Definition: definition}
			at.owner = definition
		}
	}
	return at
}

// versions compares one version of a kind.
func (c *comparison) versions(old, now apiextensionsv1.CustomResourceDefinitionVersion) {
	root := c.root(c.crd)
	if old.Served && !now.Served {
		c.add("version-unserved", root, "version "+old.Name+" is not served any more",
			afterNotice(deprecatedVersion(root.old, old), "serve it for some more releases"))
	}
	c.deprecated(root, deprecatedVersion(root.old, old), deprecatedVersion(root.now, now))
	c.subresources(root, old.Subresources, now.Subresources)
	for _, column := range old.AdditionalPrinterColumns {
		if !slices.Contains(now.AdditionalPrinterColumns, column) {
			c.add("column", root, fmt.Sprintf("column %s (%s) is gone or another", column.Name, column.JSONPath))
		}
	}
	for _, field := range old.SelectableFields {
		if !slices.Contains(now.SelectableFields, field) {
			c.add("selectable-field", root, field.JSONPath+" is gone")
		}
	}
	if old.Schema != nil && now.Schema != nil && old.Schema.OpenAPIV3Schema != nil && now.Schema.OpenAPIV3Schema != nil {
		c.schemas(root, old.Schema.OpenAPIV3Schema, now.Schema.OpenAPIV3Schema)
	}
}

func (c *comparison) subresources(root node, old, now *apiextensionsv1.CustomResourceSubresources) {
	var before, after apiextensionsv1.CustomResourceSubresources
	if old != nil {
		before = *old
	}
	if now != nil {
		after = *now
	}
	if (before.Status == nil) != (after.Status == nil) {
		c.add("status-subresource", root, "the status subresource is "+gone(after.Status == nil))
	}
	if before.Scale != nil && scale(before.Scale) != scale(after.Scale) {
		c.add("scale-subresource", root, transition(scale(before.Scale), scale(after.Scale)))
	}
	if after.Scale != nil && (before.Scale == nil || before.Scale.SpecReplicasPath != after.Scale.SpecReplicasPath) {
		c.replicas(root, after.Scale.SpecReplicasPath)
	}
}

// replicas reports that negative numbers are refused in a field that scale reads.
func (c *comparison) replicas(at node, path string) {
	steps := strings.Split(strings.Trim(path, "."), ".")
	for _, step := range steps {
		at = at.property(step)
	}
	if now := sampler.At(surface.Schema(c.crd, c.version), steps); now != nil && (now.Minimum == nil || *now.Minimum < 0) {
		c.bound(at, "minimum", "none", "0 by the scale subresource", true)
	}
}

func gone(absent bool) string {
	if absent {
		return "gone"
	}
	return "new"
}

func scale(s *apiextensionsv1.CustomResourceSubresourceScale) string {
	if s == nil {
		return "none"
	}
	return strings.TrimSpace(s.SpecReplicasPath + " " + s.StatusReplicasPath + " " + pointed(s.LabelSelectorPath, ""))
}
