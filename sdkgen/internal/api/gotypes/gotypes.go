// Package gotypes is the front end for Go types: what controller-tools says of the loaded packages, which are the
// schema of each type that the API's kinds reach, and the CRDs.
package gotypes

import (
	"fmt"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
)

// Source is an API's Go packages with the schemas and the CRDs that controller-tools makes of them.
type Source struct {
	API     *load.Result
	Options crd.Generator

	definitions func() (*Definitions, error)
	schemas     func() (*Schemas, error)
}

// New returns the source of loaded packages. Schemas and CRDs are made when they are first asked for, once.
func New(api *load.Result, options crd.Generator) *Source {
	s := &Source{API: api, Options: options}
	s.definitions = sync.OnceValues(s.define)
	s.schemas = sync.OnceValues(s.makeSchemas)
	return s
}

// Options returns the options of controller-gen's generator crd for a project's configuration.
func Options(o config.CRD) crd.Generator {
	return crd.Generator{
		IgnoreUnexportedFields:     &o.IgnoreUnexportedFields,
		AllowDangerousTypes:        &o.AllowDangerousTypes,
		MaxDescLen:                 o.MaxDescLen,
		CRDVersions:                o.CRDVersions,
		GenerateEmbeddedObjectMeta: &o.GenerateEmbeddedObjectMeta,
		HeaderFile:                 o.HeaderFile,
		Year:                       o.Year,
		OmitToolVersion:            &o.OmitToolVersion,
		DeprecatedV1beta1CompatibilityPreserveUnknownFields: o.DeprecatedV1beta1CompatibilityPreserveUnknownFields,
	}
}

// Definitions returns the CRDs. A type that controller-tools cannot take is a diag.List.
func (s *Source) Definitions() (*Definitions, error) { return s.definitions() }

// Schemas returns the schemas of all types. A type that controller-tools cannot take is a diag.List.
func (s *Source) Schemas() (*Schemas, error) { return s.schemas() }

// Definitions are the CRDs of all packages, by kind, and the kinds that FindKubeKinds finds, sorted.
type Definitions struct {
	CRDs  map[schema.GroupKind]apiextensionsv1.CustomResourceDefinition
	Kinds []schema.GroupKind
}

// Installed is the CRD of a root kind as the API server has it, and the version that its package is.
type Installed struct {
	GoType     string // PACKAGE.Kind
	Version    string
	Definition *apiextensionsv1.CustomResourceDefinition // a copy
}

// Installed returns the CRDs of the root kinds, one for each package of a kind.
func (s *Source) Installed() ([]Installed, error) {
	schemas, err := s.Schemas()
	if err != nil {
		return nil, err
	}
	var all []Installed
	for _, pkg := range s.API.Packages {
		for _, kind := range pkg.Kinds {
			goType := pkg.Path + "." + kind.Name
			if definition := schemas.CRD(goType); definition != nil {
				definition = definition.DeepCopy()
				crd.FixTopLevelMetadata(*definition)
				all = append(all, Installed{GoType: goType, Version: pkg.Version, Definition: definition})
			}
		}
	}
	return all, nil
}

// newParser returns a parser with the options of the CRDs.
func (s *Source) newParser() *crd.Parser {
	after := func(option *bool) bool { return option != nil && *option }
	parser := &crd.Parser{
		Collector: s.API.Collector, Checker: s.API.Checker,
		IgnoreUnexportedFields:     after(s.Options.IgnoreUnexportedFields),
		AllowDangerousTypes:        after(s.Options.AllowDangerousTypes),
		GenerateEmbeddedObjectMeta: after(s.Options.GenerateEmbeddedObjectMeta),
	}
	crd.AddKnownTypes(parser)
	return parser
}

func (s *Source) define() (_ *Definitions, err error) {
	defer rescue(&err)
	parser := s.newParser()
	var roots []*loader.Package
	for _, pkg := range s.API.Packages {
		roots = append(roots, pkg.Source)
	}
	for _, root := range roots {
		parser.NeedPackage(root)
	}
	d := &Definitions{Kinds: crd.FindKubeKinds(parser, crd.FindMetav1(roots))}
	d.Kinds = slices.DeleteFunc(d.Kinds, func(kind schema.GroupKind) bool { return !s.hasCRD(kind) })
	needed := slices.Clone(d.Kinds)
	for _, pkg := range s.API.Packages {
		for _, kind := range pkg.Kinds {
			if !kind.List {
				needed = append(needed, schema.GroupKind{Group: pkg.Group, Kind: kind.Name})
			}
		}
	}
	for _, kind := range needed {
		s.needCRD(parser, kind)
	}
	d.CRDs = parser.CustomResourceDefinitions
	return d, s.API.Problems()
}

// hasCRD reports whether a package has a CRD for a kind. It has none where the configuration leaves out the kind or
// says that no CRD serves it.
func (s *Source) hasCRD(kind schema.GroupKind) bool {
	return slices.ContainsFunc(s.API.Packages, func(pkg *load.Package) bool {
		return pkg.Group == kind.Group && !pkg.NoCRD && slices.Contains(pkg.Kinds, load.Kind{Name: kind.Kind})
	})
}

// needCRD generates the CRD of a kind, with the versions of the packages that have one for it, or what would be
// the CRD of a kind without one.
func (s *Source) needCRD(parser *crd.Parser, kind schema.GroupKind) {
	none := !s.hasCRD(kind)
	omitted := map[*loader.Package]schema.GroupVersion{}
	defer maps.Copy(parser.GroupVersions, omitted)
	for _, pkg := range s.API.Packages {
		version, ok := parser.GroupVersions[pkg.Source]
		if ok && (pkg.NoCRD != none || pkg.Excludes(kind.Kind)) {
			delete(parser.GroupVersions, pkg.Source)
			omitted[pkg.Source] = version
		}
	}
	parser.NeedCRDFor(kind, s.Options.MaxDescLen)
	if none { // what is not stored has no storage version
		missing := fmt.Sprintf("CRD for %s has no storage version", kind)
		for _, pkg := range s.API.Packages {
			pkg.Source.Errors = slices.DeleteFunc(pkg.Source.Errors, func(e packages.Error) bool { return e.Msg == missing })
		}
	}
}

// rescue, deferred, turns a panic of controller-tools into an error.
func rescue(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("bug in controller-gen crd, please report it: %v", r)
	}
}

// Position returns where a type, "PACKAGE.Type", or one of its properties is declared.
func (s *Source) Position(goType, property string) token.Position {
	pkg, name := split(goType)
	return s.API.PropertyPos(pkg, name, property)
}

// Object is Position for everything that a package declares and, of "PACKAGE.", for its clause in doc.go, or else in
// the first file.
func (s *Source) Object(name, property string) token.Position {
	if pos := s.Position(name, property); pos.IsValid() {
		return pos
	}
	pkgPath, object := split(name)
	pkg := s.API.ByPath(pkgPath)
	switch {
	case pkg == nil || property != "":
	case object != "":
		if declared := pkg.Source.Types.Scope().Lookup(object); declared != nil {
			return s.API.At(declared.Pos())
		}
	default:
		var clause token.Position
		for _, file := range pkg.Source.Syntax {
			if pos := s.API.At(file.Package); !clause.IsValid() || path.Base(pos.Filename) == "doc.go" {
				clause = pos
			}
		}
		return clause
	}
	return token.Position{}
}

// split splits "PACKAGE.Type".
func split(goType string) (pkg, name string) {
	i := strings.LastIndexByte(goType, '.')
	return goType[:max(i, 0)], goType[i+1:]
}
