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

// change is a Change under construction, or none.
type change struct {
	*Change
	now *schema // the new one of the version
}

// relax says that a change is compatible for objects, and why.
func (c change) relax(why string) {
	if c.Change != nil {
		c.Text += ": " + why
		c.Effects[Stored], c.Effects[Manifests], c.Instead = none, none, ""
	}
}

// unless relaxes a change if something holds.
func (c change) unless(holds bool, why string) {
	if holds {
		c.relax(why)
	}
}

// at moves a change to a position.
func (c change) at(pos token.Position) {
	if c.Change != nil {
		c.Pos = pos
	}
}

// add records a change at a place in a schema. If the same Go field has it at another path already, that change gets the
// path, and what add returns stands for none: its methods do nothing.
func (c *comparison) add(id string, at node, format string, args ...any) change {
	r := rule(id)
	text := fmt.Sprintf(format, args...)
	place := Place{Version: c.version, Property: at.key, Path: c.crd.Spec.Names.Kind + at.String()}
	place.GoType = surface.GoType(at.owner)
	is := identity{c.version, id, place.GoType, place.Property, text}
	if first := c.seen[is]; first != nil && place.GoType != "" {
		if !slices.Contains(first.Others, place.Path) && place.Path != first.Place.Path {
			first.Others, first.More = append(first.Others, place.Path), append(first.More, Spot{c.crd.Spec.Names.Kind, at.steps})
		}
		return change{}
	}
	pair := r.Spec
	if at.status() {
		pair = r.Status
	}
	made := &Change{Rule: id, Place: place, Pos: c.locate(append([]Place{place}, at.near...)...), Text: text, Steps: at.steps, Group: c.crd.Spec.Group, Kind: c.crd.Spec.Names.Kind}
	made.Effects[Stored], made.Effects[Manifests] = pair.Stored, pair.Manifests
	if made.Verdict() != Compatible {
		made.Instead = r.Instead
	}
	now := surface.Schema(c.crd, c.version)
	if now != nil && len(at.steps) > 0 {
		made.ratchet(now)
	}
	c.seen[is] = made
	c.changes = append(c.changes, made)
	return change{made, now}
}

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

// beside returns where a kind may be found that a version or a group has lost: in its other versions, or their packages.
func (c *comparison) beside(group, kind string) []Place {
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
			gone := c.add("kind-removed", node{}, "there is no CRD of it any more")
			gone.noticed(deprecatedKind(old), "serve the last version until nobody uses it")
			gone.at(c.locate(c.beside(old.Spec.Group, old.Spec.Names.Kind)...))
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
		c.add("scope", root, "%s, now %s", old.Spec.Scope, now.Spec.Scope)
	}
	was, is := old.Spec.Names, now.Spec.Names
	if was.Plural != is.Plural {
		c.add("names", root, "plural: %s, now %s", was.Plural, is.Plural)
	}
	if was.Singular != is.Singular {
		c.add("short-name", root, "singular: %s, now %s", was.Singular, is.Singular)
	}
	if was.ListKind != is.ListKind {
		c.add("short-name", root, "list kind: %s, now %s", was.ListKind, is.ListKind)
	}
	for _, name := range slices.Concat(was.ShortNames, was.Categories) {
		if !slices.Contains(is.ShortNames, name) && !slices.Contains(is.Categories, name) {
			c.add("short-name", root, "%s is gone", name)
		}
	}
	if was, is := surface.Storage(old), surface.Storage(now); was != is {
		c.add("storage-version", root, "%s, now %s", was, is)
	}
	for _, was := range old.Spec.Versions {
		c.version = was.Name
		i := slices.IndexFunc(now.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == was.Name })
		switch {
		case i < 0 && was.Served:
			c.add("version-removed", root, "version %s is gone", was.Name).noticed(deprecatedVersion(c.root(now).old, was), "keep it with +kubebuilder:unservedversion while objects are stored in it").unlessStored(was)
		case i < 0:
			c.add("version-removed", root, "version %s, which was not served, is gone", was.Name).unlessStored(was).withoutManifests()
		default:
			c.versions(was, now.Spec.Versions[i])
		}
	}
}

func (c change) withoutManifests() {
	if c.Change != nil {
		c.Effects[Manifests] = none
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
		c.add("version-unserved", root, "version %s is not served any more", old.Name).noticed(deprecatedVersion(root.old, old), "serve it for some more releases")
	}
	c.deprecated(root, deprecatedVersion(root.old, old), deprecatedVersion(root.now, now))
	c.subresources(root, old.Subresources, now.Subresources)
	for _, column := range old.AdditionalPrinterColumns {
		if !slices.Contains(now.AdditionalPrinterColumns, column) {
			c.add("column", root, "column %s (%s) is gone or another", column.Name, column.JSONPath)
		}
	}
	for _, field := range old.SelectableFields {
		if !slices.Contains(now.SelectableFields, field) {
			c.add("selectable-field", root, "%s is gone", field.JSONPath)
		}
	}
	if old.Schema != nil && now.Schema != nil && old.Schema.OpenAPIV3Schema != nil && now.Schema.OpenAPIV3Schema != nil {
		c.schemas(root, old.Schema.OpenAPIV3Schema, now.Schema.OpenAPIV3Schema)
	}
}

func (c *comparison) subresources(root node, old, now *apiextensionsv1.CustomResourceSubresources) {
	var was, is apiextensionsv1.CustomResourceSubresources
	if old != nil {
		was = *old
	}
	if now != nil {
		is = *now
	}
	if (was.Status == nil) != (is.Status == nil) {
		c.add("status-subresource", root, "the status subresource is %s", gone(is.Status == nil))
	}
	if was.Scale != nil && scale(was.Scale) != scale(is.Scale) {
		c.add("scale-subresource", root, "%s, now %s", scale(was.Scale), scale(is.Scale))
	}
	if is.Scale != nil && (was.Scale == nil || was.Scale.SpecReplicasPath != is.Scale.SpecReplicasPath) {
		c.replicas(root, is.Scale.SpecReplicasPath)
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
