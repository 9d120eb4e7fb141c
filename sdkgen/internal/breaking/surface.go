package breaking

import (
	"go/token"
	"go/types"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

// Surface is what one version of the source gives to those who use the API.
type Surface struct {
	Version  string // of the SDKs, as the configuration has it
	CRDs     []*apiextensionsv1.CustomResourceDefinition
	Packages []Package
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

// crd returns the CRD of a group and kind, nil if there is none.
func (s *Surface) crd(group, kind string) *apiextensionsv1.CustomResourceDefinition {
	for _, crd := range s.CRDs {
		if crd.Spec.Group == group && crd.Spec.Names.Kind == kind {
			return crd
		}
	}
	return nil
}

// find returns the package of a group and version, nil if there is none.
func (s *Surface) find(group, version string) *Package {
	for i, p := range s.Packages {
		if p.Document.Group == group && p.Document.Version == version {
			return &s.Packages[i]
		}
	}
	return nil
}

// root returns the definition of a root kind, nil if there is none.
func (p *Package) root(kind string) *model.Definition {
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

// property returns a field of a definition by its JSON key, nil if there is none.
func property(fields []*model.Field, key string) *model.Field {
	for _, field := range fields {
		if field.Key == key {
			return field
		}
	}
	return nil
}
