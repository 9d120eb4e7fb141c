package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/sampler"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/surface"
)

type schema = apiextensionsv1.JSONSchemaProps

// node is one place in the schemas of a version, with the Go field that it comes from.
type node struct {
	steps []string // from the top of the object
	// owner declares the property that the node, or the list or map around it, is; nil outside of the API's types.
	owner   *model.Definition
	key     string
	allowed string      // why all values of the old schema are still allowed, "" if they may not be
	near    []Place     // the fields around it and itself, the closest first
	old     *model.Type // what the documents say of it, nil where they say nothing
	now     *model.Type
	was     *model.Field // the same of a property
	is      *model.Field
}

// property, items and values return the nodes below one.
func (n node) property(key string) node {
	below := node{steps: append(slices.Clone(n.steps), key), owner: n.owner, key: n.key, near: n.near}
	oldFields, oldOwner := fieldsOf(n.old)
	nowFields, nowOwner := fieldsOf(n.now)
	below.was, below.is = surface.Property(oldFields, key), surface.Property(nowFields, key)
	if below.was != nil {
		below.old = &below.was.Type
	}
	if below.is != nil {
		below.now = &below.is.Type
	}
	if owner := cmp.Or(nowOwner, oldOwner); owner != nil {
		below.owner, below.key = owner, key
		below.near = append([]Place{{GoType: surface.GoType(owner), Property: key}}, n.near...)
	}
	return below
}

func (n node) items() node  { return n.element(sampler.ItemStep) }
func (n node) values() node { return n.element(sampler.ValueStep) }

func (n node) element(step string) node {
	n.steps = append(slices.Clone(n.steps), step)
	n.old, n.now = elem(n.old), elem(n.now)
	return n
}

func elem(t *model.Type) *model.Type {
	if t == nil {
		return nil
	}
	return t.Elem
}

// fieldsOf returns the fields of an object, and the definition if it has one.
func fieldsOf(t *model.Type) ([]*model.Field, *model.Definition) {
	switch {
	case t == nil:
		return nil, nil
	case t.Shape == model.Reference && t.Definition != nil:
		return t.Definition.Fields, t.Definition
	}
	return t.Fields, nil
}

// status says whether controllers write the value.
func (n node) status() bool { return len(n.steps) > 0 && n.steps[0] == "status" }

// String is the path below the kind: .spec.containers[].image.
func (n node) String() string {
	var b strings.Builder
	for _, step := range n.steps {
		if step != sampler.ItemStep && step != sampler.ValueStep {
			b.WriteByte('.')
		}
		b.WriteString(step)
	}
	return b.String()
}

// schemas compares the schemas of a version.
func (c *comparison) schemas(at node, old, now *schema) {
	if !c.types(at, old, now) {
		return // nothing else can be compared
	}
	c.values(at, old, now)
	c.structure(at, old, now)
	c.rules(at, old.XValidations, now.XValidations)
	c.required(at, old, now)
	for _, key := range keys(old.Properties, now.Properties) {
		before, had := old.Properties[key]
		after, has := now.Properties[key]
		below := at.property(key)
		switch {
		case !has:
			// A field that was deprecated has had its notice.
			c.add("field-removed", below, "removed",
				afterNotice(deprecation(below.was, &before), "keep the field until the next API version"),
				compatible(sampler.Open(now), "unknown fields are kept"))
		case !had:
			c.add("field-added", below, "added")
		default:
			c.deprecated(below, deprecation(below.was, &before), deprecation(below.is, &after))
			c.schemas(below, &before, &after)
		}
	}
	if earlier, current := sampler.Items(old), sampler.Items(now); earlier != nil && current != nil {
		c.schemas(at.items(), earlier, current)
	}
	if before, after := sampler.Values(old), sampler.Values(now); before != nil && after != nil {
		c.schemas(at.values(), before, after)
	}
}

// types compares what kind of value is allowed, and says whether it is the same.
func (c *comparison) types(at node, old, now *schema) bool {
	before, after := typeOf(old), typeOf(now)
	if before == after {
		return true
	}
	why := ""
	switch {
	case after == "any value":
		why = "every value is allowed now"
	case before == "integer" && (after == "number" || after == "int-or-string"),
		before == "string" && after == "int-or-string":
		why = "all values are still allowed"
	case before == "object" && after == "map" && len(old.Properties) == 0 && !sampler.Open(old) &&
		orZero(now.MinProperties) == 0:
		why = "the object was always empty"
	}
	c.add("type-changed", at, transition(before, after), compatible(why != "", why))
	return false
}

// typeOf names what a schema allows.
func typeOf(s *schema) string {
	switch {
	case s.XIntOrString:
		return "int-or-string"
	case s.Type == "array" && sampler.Items(s) == nil:
		return "array of any value"
	case s.Type == "object" && sampler.Values(s) != nil && len(s.Properties) == 0:
		return "map"
	}
	return cmp.Or(s.Type, "any value")
}

// structure compares what is neither a value's type nor its bounds.
func (c *comparison) structure(at node, old, now *schema) {
	switch before, ok := sampler.Open(old), sampler.Open(now); {
	case before && !ok:
		c.add("unknown-fields-dropped", at, "unknown fields are not kept any more")
	case ok && !before:
		c.add("unknown-fields-kept", at, "unknown fields are kept now")
	}
	switch {
	case now.XEmbeddedResource && !old.XEmbeddedResource:
		c.add("embedded-added", at, "x-kubernetes-embedded-resource is new")
	case old.XEmbeddedResource && !now.XEmbeddedResource:
		c.add("embedded-removed", at, "x-kubernetes-embedded-resource is gone",
			compatible(sampler.Open(now), "unknown fields are kept"))
	}
	if earlier, after := listType(old), listType(now); earlier != after {
		c.add("list-type", at, transition(earlier, after), wholeList(after == "atomic" && !at.status()))
	}
	if before, current := pointed(old.XMapType, "granular"), pointed(now.XMapType, "granular"); before != current {
		c.add("map-type", at, transition(before, current))
	}
	if earlier, after := encoded(old.Default), encoded(now.Default); earlier != after {
		c.add("default-changed", at, transition(cmp.Or(earlier, "none"), cmp.Or(after, "none")))
	}
	switch {
	case old.Nullable && !now.Nullable:
		c.add("nullable-removed", at, "nullable is gone", nullItem(at))
	case now.Nullable && !old.Nullable:
		c.add("nullable-added", at, "nullable is new")
	}
	switch was, current := composed(old), composed(now); {
	case was == current:
	case current == "":
		c.add("composition", at, was+" is gone", compatible(true, "all values are still allowed"))
	default:
		c.add("composition", at, transition(cmp.Or(was, "none"), current))
	}
}

// nullItem corrects the verdicts for a null in a list: it stays there, and is refused.
func nullItem(at node) correction {
	return func(c *Change) {
		effects := tightened
		if at.status() {
			effects = controller
		}
		if at.steps[len(at.steps)-1] == sampler.ItemStep {
			c.Effects[Stored], c.Effects[Manifests] = effects.Stored, effects.Manifests
		}
	}
}

// wholeList corrects the reason for a list without list type: its duplicates do not matter.
func wholeList(atomic bool) correction {
	return func(c *Change) {
		if atomic {
			c.Effects[Stored].Reason = "whoever owned an item owns the whole list in server-side apply"
		}
	}
}

func listType(s *schema) string {
	if s.Type != "array" {
		return ""
	}
	text := pointed(s.XListType, "atomic")
	if len(s.XListMapKeys) > 0 {
		text += " by " + strings.Join(s.XListMapKeys, ", ")
	}
	return text
}

func pointed(text *string, none string) string {
	if text == nil {
		return none
	}
	return *text
}

// encoded is a default in one spelling, "" for none.
func encoded(value *apiextensionsv1.JSON) string {
	if value == nil {
		return ""
	}
	var decoded any
	if err := json.Unmarshal(value.Raw, &decoded); err != nil {
		return string(value.Raw)
	}
	text, err := json.Marshal(decoded)
	if err != nil {
		return string(value.Raw)
	}
	return string(text)
}

// composed are the schemas that further restrict a value, as JSON; that of int-or-string does not count.
func composed(s *schema) string {
	rest := schema{AllOf: s.AllOf, AnyOf: s.AnyOf, OneOf: s.OneOf, Not: s.Not}
	if s.XIntOrString {
		rest.AnyOf = nil
	}
	text, err := json.Marshal(rest)
	if err != nil || string(text) == "{}" {
		return ""
	}
	return string(text)
}

// required compares the lists of fields that must be set. A field with a default is never missing.
func (c *comparison) required(at node, old, now *schema) {
	for _, key := range keys(old.Properties, now.Properties) {
		after, has := now.Properties[key]
		if !has {
			continue
		}
		before, must := slices.Contains(old.Required, key), slices.Contains(now.Required, key)
		switch {
		case must && !before && after.Default == nil:
			c.add("required-added", at.property(key), "it must be set")
		case before && !must:
			c.add("required-removed", at.property(key), "it may be left out")
		}
	}
}

// keys returns the keys of both maps, sorted.
func keys[V any](a, b map[string]V) []string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

// show prints a bound, or "none".
func show[T any](value *T) string {
	if value == nil {
		return "none"
	}
	return fmt.Sprint(*value)
}
