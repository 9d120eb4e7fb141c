package python

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
)

// Part is an API in a distribution of several, and the packages that it is in below the distribution's,
// the outermost first.
type Part struct {
	API   *model.API
	Names []string
}

// Distribution is what the templates of a distribution of several APIs print.
type Distribution struct {
	Description string `json:"description"` // a TOML string
	// that all documents have, else the package, for a line of Markdown
	Title       string    `json:"title"`
	HasExamples bool      `json:"hasExamples,omitempty"` // a version has one
	Versions    []Version `json:"versions"`
	Imports     string    `json:"imports"` // statements that import Client and the versions, as Known
	Exports     []Export  `json:"exports"` // by name
	Typed       string    `json:"typed"`   // statements that import the clients and the exports, for type checkers
	Runtime     string    `json:"runtime"` // the package of the runtime, relative to the distribution's: "."
}

// Version is one of the APIs in a distribution.
type Version struct {
	Module   string  `json:"module"`          // from the distribution's package: acme.v1
	Known    string  `json:"known"`           // name in examples: acme_v1
	Docs     string  `json:"docs"`            // directory of the pages of its models: docs/acme/v1
	Group    string  `json:"group"`           // of the API
	Version  string  `json:"version"`         // of the API
	Kinds    []Shown `json:"kinds"`           // root kinds, sorted
	Examples []Shown `json:"shown,omitempty"` // those of Kinds that have an example and are exported by the distribution
}

// Export is a class that the distribution's package has from that of the storage version.
type Export struct {
	Class  string `json:"class"`
	Module string `json:"module"` // as Version.Module
}

// AnnotateDistribution returns what the templates of a distribution's own files see, those files that its APIs do not
// have themselves. name is that of its package.
func AnnotateDistribution(name string, parts []Part) render.API {
	out := &model.API{Title: parts[0].API.Title}
	for _, part := range parts {
		if part.API.Title != out.Title { // of their packages
			out.Title = name
		}
	}
	title := titleOf(out)
	d := &Distribution{
		Description: tomlString("Typed Python models and clients of " + title), Title: markdown.Replace(title), Runtime: ".",
		Exports: exports(parts),
	}
	d.Imports, d.Typed = importsOf(name, parts), typedOf(d.Exports)
	for _, part := range parts {
		module := strings.Join(part.Names, ".")
		v := Version{
			Module: module, Known: strings.Join(part.Names, "_"), Docs: "docs/" + strings.Join(part.Names, "/"),
			Group: part.API.Group, Version: part.API.Version, Kinds: []Shown{},
		}
		for _, kind := range rootKinds(part.API) {
			printed := Shown{Class: kind.Name, Example: example(kind, v.Known)}
			v.Kinds = append(v.Kinds, printed)
			if printed.Example != "" && stored(part.API, kind) {
				v.Examples, d.HasExamples = append(v.Examples, printed), true
			}
		}
		d.Versions = append(d.Versions, v)
	}
	return extend(out, d)
}

// importsOf returns the statements that import a distribution's Client and versions.
func importsOf(name string, parts []Part) string {
	direct, nested := []string{"Client"}, []Export{}
	for _, part := range parts {
		if len(part.Names) == 1 {
			direct = append(direct, part.Names[0])
		} else {
			nested = append(nested, Export{part.Names[1] + " as " + strings.Join(part.Names, "_"), name + "." + part.Names[0]})
		}
	}
	return fromImport(name, direct...).render(0) + "\n" + statements(nested, 0)
}

// typedOf returns the statements that import what a distribution's package has, under the same names.
func typedOf(exports []Export) string {
	all := []Export{{"AsyncClient as AsyncClient", ".client"}, {"Client as Client", ".client"}}
	for _, export := range exports {
		all = append(all, Export{export.Class + " as " + export.Class, "." + export.Module})
	}
	return statements(all, 4)
}

// statements returns a statement for each import, sorted.
func statements(imports []Export, indent int) string {
	slices.SortFunc(imports, func(a, b Export) int {
		return cmp.Or(natural(a.Module, b.Module), compareNames(a.Class, b.Class))
	})
	var out strings.Builder
	for _, one := range imports {
		out.WriteString(strings.Repeat(" ", indent) + fromImport(one.Module, one.Class).render(indent) + "\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// rootKinds returns the root kinds of an API that have resources.
func rootKinds(api *model.API) []*model.Definition {
	var kinds []*model.Definition
	for _, definition := range api.Definitions {
		if root := definition.Root; root != nil && root.Plural != "" && !definition.Kubernetes {
			kinds = append(kinds, definition)
		}
	}
	return kinds
}

// stored says if the objects of a root kind are stored in the API's version.
func stored(api *model.API, kind *model.Definition) bool {
	return kind.Root.StorageVersion == "" || kind.Root.StorageVersion == api.Version
}

// own are the names that a distribution's package has itself.
var own = set("AsyncClient", "Client", "NULL", "ValidationError", "WrongTypeError")

// exports returns the classes that a distribution's package has: each root kind of the storage version, its list,
// and what they are made of. A name that two packages have is neither's, but for a root kind's. What an aggregated
// API server makes up is stored in no version, and stands back.
func exports(parts []Part) []Export {
	unstored := func(part Part) bool { return len(part.API.Operations) == 0 }
	if stored := slices.DeleteFunc(slices.Clone(parts), unstored); len(stored) > 0 {
		parts = stored
	}
	modules, kinds := map[string]map[string]bool{}, map[string]map[string]bool{}
	add := func(to map[string]map[string]bool, class, module string) {
		if to[class] == nil {
			to[class] = map[string]bool{}
		}
		to[class][module] = true
	}
	for _, part := range parts {
		module := strings.Join(part.Names, ".")
		for _, kind := range rootKinds(part.API) {
			if !stored(part.API, kind) {
				continue
			}
			add(kinds, kind.Name, module)
			for definition := range reached(kind) {
				add(modules, definition.Name, module)
			}
		}
	}
	maps.Copy(modules, kinds)
	var out []Export
	for _, class := range slices.Sorted(maps.Keys(modules)) {
		if from := slices.Collect(maps.Keys(modules[class])); len(from) == 1 && !own[class] {
			out = append(out, Export{class, from[0]})
		}
	}
	return out
}

// reached returns a root kind, its list, and the definitions that they refer to, but for those of Kubernetes.
func reached(kind *model.Definition) map[*model.Definition]bool {
	found := map[*model.Definition]bool{}
	queue := []*model.Definition{kind, kind.Root.List}
	for ; len(queue) > 0; queue = queue[1:] {
		d := queue[0]
		if d == nil || d.Kubernetes || found[d] {
			continue
		}
		found[d] = true
		queue = appendReferred(queue, d.Fields)
	}
	return found
}

// appendReferred appends the definitions that fields refer to.
func appendReferred(to []*model.Definition, fields []*model.Field) []*model.Definition {
	for _, field := range fields {
		for t := &field.Type; t != nil; t = t.Elem {
			to = appendReferred(append(to, t.Definition), t.Fields)
		}
	}
	return to
}
