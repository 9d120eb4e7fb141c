package model

import (
	"cmp"
	"errors"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/go-openapi/spec"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// rule is the name that diagnostics have.
const rule = "swagger"

// Source is what a front end knows of one version of an API. It calls each type by a name, which is "PACKAGE.Type" of a
// Go type.
type Source struct {
	Title   string
	Package string // what the names of the API's own types begin with
	Group   string
	Version string
	Kinds   []Kind            // root kinds and their lists
	Names   map[string]string // names of definitions by type; they win over the rules
	// Define fills in the definition of a type, and asks the builder for the ones that it refers to.
	Define func(b *Builder, typeName string, definition *Definition)
	// CRD returns the CRD of a root kind, with the versions that there are; nil if there is none.
	CRD func(kind string) *apiextensionsv1.CustomResourceDefinition
	// Published returns what the API server publishes for a root kind that it serves, and in it the types of the kind and
	// of its list, by their definitions' names there.
	Published func(kind string, crd *apiextensionsv1.CustomResourceDefinition) (*spec.Swagger, map[string]string, error)
	// Locate returns where a type, or a property of it by its JSON name, is declared.
	Locate func(typeName, property string) token.Position
}

// Kind is a root kind of an API.
type Kind struct {
	Name   string
	List   bool
	Plural string // the resource's name in paths; empty for what is no resource, such as a list

	// Of a resource that no CRD serves, whose paths are unknown:
	ListKind string
	Cluster  bool // it is cluster-scoped
}

// Builder collects the definitions that the root kinds reach.
type Builder struct {
	Source
	api       *API
	namer     *namer
	byType    map[string]*Definition
	queue     []string          // types that are referred to and not defined yet
	origin    map[string]string // what refers to a type first: another with its property
	versioned versionNames      // names with versions, for types of several versions that would have one name
	list      diag.List
}

// Build returns the model: the definitions that the root kinds reach, each with a name of its own, and the paths that
// the API server serves them at. Types that cannot be represented are a diag.List.
func Build(source Source) (*API, error) {
	b := &Builder{
		Source: source, namer: newNamer(source.Package, source.Names), byType: map[string]*Definition{},
		origin: map[string]string{}, versioned: versionNames{},
		api: &API{Title: source.Title, Group: source.Group, Version: source.Version},
	}
	for _, kind := range source.Kinds {
		b.Refer(b.typeName(kind.Name), "")
	}
	for len(b.queue) > 0 {
		typeName := b.queue[0]
		b.queue = b.queue[1:]
		b.define(typeName, b.byType[typeName])
	}
	if len(b.versioned) > 0 {
		names := maps.Clone(map[string]string(b.versioned))
		maps.Copy(names, source.Names)
		source.Names = names
		return Build(source)
	}
	for _, kind := range source.Kinds {
		b.mark(kind)
	}
	paths, parameters := b.addPaths()
	if err := b.list.Err(); err != nil {
		return nil, err
	}
	b.api.Definitions = slices.SortedFunc(maps.Values(b.byType),
		func(x, y *Definition) int { return cmp.Compare(x.Name, y.Name) })
	b.api.Serve(paths, parameters)
	return b.api, nil
}

// typeName returns the type of a kind.
func (b *Builder) typeName(kind string) string { return b.Package + "." + kind }

// Refer returns the definition of a type, which is filled in later. from is "TYPE" or "TYPE#property" that refers to
// it, for messages.
func (b *Builder) Refer(typeName, from string) *Definition {
	name, fresh, err := b.namer.name(typeName)
	if same, ok := errors.AsType[*sameName](err); ok && b.versioned.add(same, b.Package, b.namer.table) {
		err = nil // Build begins again
	}
	if err != nil {
		b.Errorf(from, renameHint(err, b.Package), "%v", err)
	}
	typeName = goSpelling(typeName)
	if fresh {
		b.byType[typeName] = &Definition{Name: name}
		b.queue = append(b.queue, typeName)
		b.origin[typeName] = from
	}
	return b.byType[typeName]
}

func (b *Builder) define(typeName string, d *Definition) {
	b.identify(typeName, d)
	b.Define(b, typeName, d)
	d.require(d.Kubernetes)
}

func (b *Builder) identify(typeName string, d *Definition) {
	d.GoType.Package, d.GoType.Name = splitType(typeName)
	_, kubernetes := KubernetesName(typeName)
	d.Kubernetes = kubernetes && d.GoType.Package != b.Package
}

// mark gives a root kind its group, version and kind.
func (b *Builder) mark(kind Kind) {
	d := b.byType[b.typeName(kind.Name)]
	gv := schema.GroupVersion{Group: b.Group, Version: b.Version}
	d.Root = &Root{GroupVersionKind: gv.WithKind(kind.Name), Plural: kind.Plural, Namespaced: true}
	if kind.ListKind != "" {
		d.Root.NoCRD, d.Root.Namespaced = true, !kind.Cluster
		if d.Root.List = b.byType[b.typeName(kind.ListKind)]; d.Root.List == nil {
			b.Errorf(b.typeName(kind.Name), "", "%s has no list type %s", kind.Name, kind.ListKind)
		}
	}
	if crd := b.crd(kind); crd != nil {
		d.Root.StorageVersion = storageVersion(crd)
		deprecateVersion(d, crd, gv)
	}
}

// crd returns the CRD of a root kind, nil if there is none.
func (b *Builder) crd(kind Kind) *apiextensionsv1.CustomResourceDefinition {
	if b.CRD == nil || kind.List {
		return nil
	}
	return b.CRD(kind.Name)
}

// storageVersion returns the storage version of a CRD with several versions, else "".
func storageVersion(crd *apiextensionsv1.CustomResourceDefinition) string {
	for _, version := range crd.Spec.Versions {
		if version.Storage && len(crd.Spec.Versions) > 1 {
			return version.Name
		}
	}
	return ""
}

// Errorf reports an error at "TYPE" or "TYPE#property". One that is declared elsewhere is positioned where the API
// refers to it.
func (b *Builder) Errorf(at, hint, format string, args ...any) {
	typeName, property, _ := strings.Cut(at, "#")
	pos := b.Locate(typeName, property)
	for !pos.IsValid() && b.origin[typeName] != "" {
		typeName, property, _ = strings.Cut(b.origin[typeName], "#")
		pos = b.Locate(typeName, property)
	}
	b.list.Add(pos, rule, hint, format, args...)
}

// PackageOf returns what is before the name of a type, "PACKAGE.Type".
func PackageOf(typeName string) string {
	pkg, _ := splitType(typeName)
	return pkg
}

// splitType splits "PACKAGE.Type".
func splitType(typeName string) (pkg, name string) {
	i := strings.LastIndexByte(typeName, '.')
	return typeName[:max(i, 0)], typeName[i+1:]
}
