// Package surface holds what one version of an API offers its users: CRDs, the classes of the SDKs and Go packages.
package surface

import (
	"go/token"
	"go/types"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

// Surface is what one version of the source offers the users of the API.
type Surface struct {
	Version  string // of the SDKs, as the configuration has it
	CRDs     []*apiextensionsv1.CustomResourceDefinition
	Packages []Package
	Literal  func(value any) string // Python source of a value; nil if the project makes no Python SDK
	// Locate returns the position of a type or another object, "PACKAGE.Name", or of a property of a type; that of the
	// package clause for "PACKAGE.".
	Locate func(goType, property string) token.Position
}

// Package is what becomes of one API package.
type Package struct {
	Path     string // import path
	Dir      string // directory of its swagger.json, as the configuration has it
	Document *model.API
	Types    *types.Package
	Python   []model.Class // of the Python SDK; nil if the project makes none
	Client   []model.Class // of the Go client; nil if the project makes none
	Module   string        // of the Python SDK that has the classes, "" if it is not known
	Import   string        // path of the Go client, "" if it is not known
}

// CRD returns the CRD of a group and kind, nil if there is none.
func (s *Surface) CRD(group, kind string) *apiextensionsv1.CustomResourceDefinition {
	for _, crd := range s.CRDs {
		if crd.Spec.Group == group && crd.Spec.Names.Kind == kind {
			return crd
		}
	}
	return nil
}

// ImportAs gives the Go clients of a surface the import paths of another surface's.
func (s *Surface) ImportAs(other *Surface) {
	for i := range s.Packages {
		for _, same := range other.Packages {
			if same.Dir == s.Packages[i].Dir {
				s.Packages[i].Import = same.Import
			}
		}
	}
}

// Find returns the package of a group and version, nil if there is none.
func (s *Surface) Find(group, version string) *Package {
	for i, p := range s.Packages {
		if p.Document.Group == group && p.Document.Version == version {
			return &s.Packages[i]
		}
	}
	return nil
}

// Root returns the definition of a root kind, nil if there is none.
func (p *Package) Root(kind string) *model.Definition {
	if p == nil {
		return nil
	}
	for _, definition := range p.Document.Definitions {
		if definition.Root != nil && definition.Root.Kind == kind && definition.Root.Plural != "" {
			return definition
		}
	}
	return nil
}

// Property returns a field by its JSON key, nil if there is none.
func Property(fields []*model.Field, key string) *model.Field {
	for _, field := range fields {
		if field.Key == key {
			return field
		}
	}
	return nil
}

// Storage returns the version in which objects of a CRD are stored, "" if there is none.
func Storage(crd *apiextensionsv1.CustomResourceDefinition) string {
	for _, version := range crd.Spec.Versions {
		if version.Storage {
			return version.Name
		}
	}
	return ""
}

// Schema returns the schema of a version of a CRD, nil if it has none.
func Schema(crd *apiextensionsv1.CustomResourceDefinition, version string) *apiextensionsv1.JSONSchemaProps {
	for _, v := range crd.Spec.Versions {
		if v.Name == version && v.Schema != nil {
			return v.Schema.OpenAPIV3Schema
		}
	}
	return nil
}

// GoType returns the Go type of a definition, "PACKAGE.Type"; "" if the API's types do not declare it.
func GoType(d *model.Definition) string {
	if d == nil || d.GoType.Name == "" {
		return ""
	}
	return d.GoType.Package + "." + d.GoType.Name
}
