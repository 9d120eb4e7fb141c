// Package loss compares a CustomResourceDefinition with the one that replaces it: what the old one has in its schemas
// and the new one lacks, an object in the cluster loses, or is no longer checked for.
//
// Descriptions and annotations do not count, nor does another spelling of the same: an explicit default such as
// nullable: false, allOf, or anyOf beside x-kubernetes-int-or-string.
package loss

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// Lost is something of one place in the old CRD that the new one lacks.
type Lost struct {
	Version string
	Path    string // .spec.parts[].name; "" for the version itself, which is missing, "." for its top
	// Properties and Keywords are what it lacks there, sorted.
	Properties, Keywords []string
	// Metadata says that these are properties of an embedded ObjectMeta.
	Metadata bool
}

// String is the place with what it lacks.
func (l Lost) String() string {
	var parts []string
	switch len(l.Properties) {
	case 0:
	case 1:
		parts = append(parts, "property "+l.Properties[0])
	default:
		parts = append(parts, "properties "+strings.Join(l.Properties, ", "))
	}
	if parts = append(parts, l.Keywords...); len(parts) == 0 {
		return "version " + l.Version
	}
	return fmt.Sprintf("%s %s: %s", l.Version, l.Path, strings.Join(parts, "; "))
}

// Of returns what the new CRD lacks, in the order of versions and paths. What is not a CRD of version v1 has lost
// nothing.
func Of(before, after []byte) []Lost {
	old, ok := read(before)
	now, holds := read(after)
	if !ok || !holds {
		return nil
	}
	var all []Lost
	for _, version := range old.Spec.Versions {
		i := slices.IndexFunc(now.Spec.Versions,
			func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == version.Name })
		if i < 0 {
			all = append(all, Lost{Version: version.Name})
			continue
		}
		c := comparison{version: version.Name}
		c.subresources(version.Subresources, now.Spec.Versions[i].Subresources)
		c.compare("", schemaOf(version), schemaOf(now.Spec.Versions[i]))
		all = append(all, c.lost...)
	}
	return all
}

func read(data []byte) (*apiextensionsv1.CustomResourceDefinition, bool) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(data, crd); err != nil {
		return nil, false
	}
	return crd, crd.Kind == "CustomResourceDefinition" && crd.APIVersion == apiextensionsv1.SchemeGroupVersion.String()
}

// schemaOf returns the schema of a version as it is in JSON.
func schemaOf(version apiextensionsv1.CustomResourceDefinitionVersion) map[string]any {
	var schema map[string]any
	if version.Schema != nil {
		data, err := json.Marshal(version.Schema.OpenAPIV3Schema)
		if err != nil || json.Unmarshal(data, &schema) != nil {
			return nil
		}
	}
	return schema
}

// comparison collects what one version has lost.
type comparison struct {
	version string
	lost    []Lost
}

func (c *comparison) subresources(before, after *apiextensionsv1.CustomResourceSubresources) {
	var what []string
	if before == nil {
		return
	}
	if before.Scale != nil && (after == nil || after.Scale == nil) {
		what = append(what, "subresource scale")
	}
	if before.Status != nil && (after == nil || after.Status == nil) {
		what = append(what, "subresource status")
	}
	if what != nil {
		c.lost = append(c.lost, Lost{Version: c.version, Path: ".", Keywords: what})
	}
}

// compare adds what is lost at a place and below it. What is below a lost property is lost with it.
func (c *comparison) compare(at string, before, after map[string]any) {
	old, now := flatten(before), flatten(after)
	here := Lost{Version: c.version, Path: cmp.Or(at, ".")}
	names := slices.Sorted(maps.Keys(old.properties))
	here.Metadata = strings.HasSuffix(at, ".metadata") && len(now.properties) == 0
	for _, name := range names {
		if _, ok := now.properties[name]; !ok {
			here.Properties = append(here.Properties, name)
			here.Metadata = here.Metadata &&
				slices.Contains([]string{"annotations", "finalizers", "labels", "name", "namespace"}, name)
		}
	}
	for _, keyword := range slices.Sorted(maps.Keys(old.keywords)) {
		if now.keywords[keyword] < old.keywords[keyword] {
			here.Keywords, here.Metadata = append(here.Keywords, keyword), false
		}
	}
	if len(here.Properties)+len(here.Keywords) > 0 {
		c.lost = append(c.lost, here)
	}
	for _, name := range names {
		if next, ok := now.properties[name]; ok {
			c.compare(at+"."+name, old.properties[name], next)
		}
	}
	// If one is gone, its keyword is.
	if old.items != nil && now.items != nil {
		c.compare(at+"[]", old.items, now.items)
	}
	if old.values != nil && now.values != nil {
		c.compare(at+"{}", old.values, now.values)
	}
}

// place is what schemas that hold together say of one value.
type place struct {
	properties    map[string]map[string]any
	items, values map[string]any
	keywords      map[string]int // with how many values: rules add up
}

// documentation are the keywords that constrain nothing.
var documentation = []string{"description", "title", "example", "externalDocs", "properties", "allOf"}

// flatten reads a schema with its allOf.
func flatten(schema map[string]any) place {
	p := place{properties: map[string]map[string]any{}, keywords: map[string]int{}}
	for queue := []map[string]any{schema}; len(queue) > 0; queue = queue[1:] {
		for keyword, value := range queue[0] {
			list, _ := value.([]any)
			object, _ := value.(map[string]any)
			switch keyword {
			case "properties":
				for name, property := range object {
					p.properties[name], _ = property.(map[string]any)
				}
			case "items":
				p.items = object
			case "additionalProperties":
				p.values = object
			case "allOf":
				for _, part := range list {
					if inner, ok := part.(map[string]any); ok {
						queue = append(queue, inner)
					}
				}
			}
			p.add(keyword, value)
		}
	}
	if p.keywords["x-kubernetes-int-or-string"] > 0 {
		delete(p.keywords, "anyOf")
	}
	return p
}

// add counts a keyword that is not as if it were absent.
func (p place) add(keyword string, value any) {
	if slices.Contains(documentation, keyword) {
		return
	}
	count := 1
	switch value := value.(type) {
	case nil:
		return
	case bool:
		if !value && keyword != "default" {
			return
		}
	case float64:
		if value == 0 && strings.HasPrefix(keyword, "min") && keyword != "minimum" {
			return
		}
	case string:
		if value == "" && keyword != "default" || keyword == "x-kubernetes-list-type" && value == "atomic" ||
			keyword == "x-kubernetes-map-type" && value == "granular" {
			return
		}
	case []any:
		if keyword == "required" || keyword == "x-kubernetes-validations" {
			count = len(value)
		}
		if len(value) == 0 && keyword != "default" {
			return
		}
	}
	p.keywords[keyword] += count
}
