// Package reference makes the reference pages of an API: for each kind a page with the tree of its fields, a comparison
// of its versions, a search that needs no server, and a field index for programs.
//
//	document -> tree (what is said of each field) -> HTML or Markdown, index.js, llms.txt
//
// The pages are made by html/template from what is embedded here, so that nobody needs a tool to build them. They work
// from a file system, and without JavaScript.
package reference

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/version"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/constraint"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
)

// Stage is the name of the stage that makes the pages.
const Stage = "docs"

// Options select the format and the contents of the pages.
type Options struct {
	Dir      string // directory of the pages
	Markdown bool   // pages for another site generator, in place of a site
	Title    string // of the site
}

// API is one version of an API, with what is known of it beside its document.
type API struct {
	*model.API
	Languages []Language
	// CRDs are the schemas of the kinds that have a CRD, by kind.
	CRDs      map[string]*constraint.Schema
	Shortened bool // the descriptions in the CRDs are not whole
	// Samples are the samples of a root kind by its name.
	Samples map[string][]Sample
}

// Language is what a language calls the fields of an API.
type Language struct {
	Name      string // Go, Python
	Separator string // between a name and its type
	Classes   []model.Class
}

// Sample is an object of a kind, written in a language.
type Sample struct {
	Name string // YAML, Python, Go
	Text string
}

// Comparison is what differs between two versions of a kind.
type Comparison struct {
	Group, Kind string
	From, To    string // versions
	Changes     []Change
}

// Change is a difference between two versions of a kind at a path below it, such as spec.containers[].image.
type Change struct {
	Path   string
	Text   string
	Effect string // on a manifest that is applied in the other version; "" if it may stay as it is
}

// Pages returns the pages of the APIs, with what changed between the versions of their kinds.
func Pages(opts Options, apis []API, comparisons []Comparison) (*artifact.Set, error) {
	s := newSite(opts, apis, comparisons)
	files := s.html
	if opts.Markdown {
		files = s.markdown
	}
	generated, err := files()
	if err != nil {
		return nil, err
	}
	generated = append(generated, file{"llms.txt", s.llms()})
	set := &artifact.Set{}
	for _, f := range generated {
		if err := set.Put(artifact.File{Path: path.Join(opts.Dir, f.name), Data: f.data, Origin: Stage}); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// file is a page with its path in the directory of the site.
type file struct {
	name string
	data []byte
}

// site is all that there is to write about.
type site struct {
	Options
	kinds []*page // by group, name and version, the newest first
	types []*page // Kubernetes' own types, by name
	pairs []*pair

	extension string // of a page's file
	names     map[*model.Field][]fieldName
}

// page is about a root kind or a type of Kubernetes.
type page struct {
	*model.Definition
	Path   string // in the site
	Fields []*node
	api    API
	Pairs  []*pair // comparisons in which it is the newer version
	Others []*page // the same kind in other versions
}

// Samples are the samples of the kind.
func (p *page) Samples() []Sample { return p.api.Samples[p.Name] }

// schema is that of the kind in its CRD, nil if it has none.
func (p *page) schema() *constraint.Schema {
	if p.Kubernetes {
		return nil
	}
	return p.api.CRDs[p.Root.Kind]
}

// Doc is the description of the kind, or of the type.
func (p *page) Doc() string {
	if schema := p.schema(); schema != nil && !p.api.Shortened {
		return cmp.Or(schema.Description, p.Description)
	}
	return p.Description
}

// Note is what the page says of a kind that has no CRD, "" for others.
func (p *page) Note() string {
	switch {
	case p.Kubernetes || p.schema() != nil:
		return ""
	case len(p.Others) > 0:
		return "An aggregated API server serves this kind. It has no CRD, so there are no constraints other than those of " +
			"the Go types, no samples and no comparison of its versions."
	}
	return "An aggregated API server serves this kind. It has no CRD, so there are no constraints other than those of " +
		"the Go types, and no samples."
}

// Rules are the CEL rules for the whole object.
func (p *page) Rules() []constraint.Rule {
	if schema := p.schema(); schema != nil {
		return constraint.Rules(schema)
	}
	subject := model.Type{Shape: model.Reference, Definition: p.Definition}
	return constraint.Rules(subject.Schema())
}

// pair is a comparison that has a page.
type pair struct {
	Comparison
	Path     string // in the site
	old, now *page
}

func newSite(opts Options, apis []API, comparisons []Comparison) *site {
	s := &site{Options: opts, extension: ".html", names: map[*model.Field][]fieldName{}}
	if opts.Markdown {
		s.extension = ".md"
	}
	for _, api := range apis {
		s.call(api)
		for _, definition := range api.Definitions {
			if root := definition.Root; root != nil && root.Plural != "" && !definition.Kubernetes {
				file := path.Join(root.Group, root.Version, strings.ToLower(root.Kind)+s.extension)
				s.kinds = append(s.kinds, &page{Definition: definition, Path: file, api: api})
			}
		}
	}
	slices.SortStableFunc(s.kinds, func(a, b *page) int {
		return cmp.Or(cmp.Compare(a.Root.Group, b.Root.Group), cmp.Compare(a.Root.Kind, b.Root.Kind),
			version.CompareKubeAwareVersionStrings(b.Root.Version, a.Root.Version))
	})
	s.findTypes()
	for _, k := range slices.Concat(s.kinds, s.types) {
		k.Fields = newTree(s, k).fields()
	}
	s.findPairs(comparisons)
	return s
}

// call notes what the languages call the fields of an API.
func (s *site) call(api API) {
	for _, language := range api.Languages {
		for _, class := range language.Classes {
			for _, attr := range class.Attrs {
				name := class.Name + "." + attr.Name + language.Separator + attr.Type
				s.names[attr.Field] = append(s.names[attr.Field], fieldName{language.Name, name})
			}
		}
	}
}

// findTypes finds the types of Kubernetes that the kinds reach.
func (s *site) findTypes() {
	seen, taken := map[*model.Definition]bool{}, map[string]bool{}
	var visit func(api API, fields []*model.Field)
	subject := func(api API, t *model.Type) {
		for ; t != nil; t = t.Elem {
			if definition := t.Definition; definition != nil && !seen[definition] {
				seen[definition] = true
				if definition.Kubernetes && !taken[definition.Name] {
					taken[definition.Name] = true
					s.types = append(s.types, &page{Definition: definition, Path: s.typePage(definition), api: api})
				}
				visit(api, definition.Fields)
			}
			visit(api, t.Fields)
		}
	}
	visit = func(api API, fields []*model.Field) {
		for _, field := range fields {
			subject(api, &field.Type)
		}
	}
	for _, k := range s.kinds {
		visit(k.api, k.Definition.Fields)
	}
	slices.SortFunc(s.types, func(a, b *page) int { return cmp.Compare(a.Name, b.Name) })
}

// typePage is the page of a type of Kubernetes.
func (s *site) typePage(definition *model.Definition) string {
	return "kubernetes/" + definition.Name + s.extension
}

// findPairs gives the comparisons their pages, and tells kinds of their other versions.
func (s *site) findPairs(comparisons []Comparison) {
	find := func(group, name, version string) *page {
		i := slices.IndexFunc(s.kinds, func(k *page) bool {
			return k.Root.Group == group && k.Root.Kind == name &&
				k.Root.Version == version
		})
		if i < 0 {
			return nil
		}
		return s.kinds[i]
	}
	for _, k := range s.kinds {
		for _, other := range s.kinds {
			if other != k && other.Root.Group == k.Root.Group && other.Root.Kind == k.Root.Kind {
				k.Others = append(k.Others, other)
			}
		}
	}
	for _, c := range comparisons {
		old, now := find(c.Group, c.Kind, c.From), find(c.Group, c.Kind, c.To)
		if old == nil || now == nil {
			continue
		}
		name := fmt.Sprintf("%s.%s-%s%s", strings.ToLower(c.Kind), c.From, c.To, s.extension)
		p := &pair{Comparison: c, Path: path.Join(c.Group, name), old: old, now: now}
		s.pairs = append(s.pairs, p)
		old.Pairs, now.Pairs = append(old.Pairs, p), append(now.Pairs, p)
	}
}
