// Package explain says what a field of an API is: its type, default and constraints, as the API server enforces them,
// and where it is in Go, in the CRD and in the SDKs.
//
// A path is followed through the schema of the CRD and through the document at the same time. The CRD is the truth
// about what
// the API server stores, the document knows the Go types and what the SDKs make of them; where the CRD says nothing, as
// of metadata, the document alone is followed.
package explain

import (
	"encoding/json"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/constraint"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

// API is what can be explained.
type API struct {
	Packages []Package
	// Declared returns where a type, or a property of it, is declared; nil if that is not known.
	Declared func(goType model.GoType, property string) *Declaration
}

// Package is one group and version.
type Package struct {
	*model.API
	CRDs   map[string]CRD // by kind; kinds that an aggregated API server serves have none
	Python SDK
	Client SDK // in Go
}

// CRD is a CustomResourceDefinition and the file that has it.
type CRD struct {
	*apiextensionsv1.CustomResourceDefinition
	File string // "" if the project writes none
	// Line returns the line of a place in the file, 0 if the file does not have it. It may be nil.
	Line func(path string) int
}

// SDK is what an SDK makes of the definitions of a package.
type SDK struct {
	Module  string // by which programs import it, "" if it is not known
	Classes map[*model.Definition]model.Class
}

// Field is a field of a kind, or the kind itself.
type Field struct {
	Name        string                  `json:"name"`
	Path        string                  `json:"path"`     // minicluster.spec.flux; elements of lists and maps are no steps
	Type        string                  `json:"type"`     // as kubectl explain spells it
	Required    bool                    `json:"required"` // the API server stores no object without it
	Default     json.RawMessage         `json:"default,omitempty"`
	Description string                  `json:"description,omitempty"`
	Deprecated  string                  `json:"deprecated,omitempty"` // what to use instead
	Constraints []constraint.Constraint `json:"constraints,omitempty"`
	Rules       []constraint.Rule       `json:"rules,omitempty"`
	Where       Where                   `json:"where"`
	Fields      []*Field                `json:"fields,omitempty"`
}

// Where says where a field is. What is not known, or does not have the field, is absent.
type Where struct {
	Go     *Declaration `json:"go,omitempty"`
	CRD    *Place       `json:"crd,omitempty"`
	Python *Attribute   `json:"python,omitempty"`
	Client *Attribute   `json:"goClient,omitempty"`
}

// Declaration is where a type or a field is declared in Go.
type Declaration struct {
	File    string   `json:"file"` // as diagnostics name it
	Line    int      `json:"line"`
	Column  int      `json:"column"`
	Package string   `json:"package"`        // import path
	Name    string   `json:"name"`           // Type or Type.Field
	Type    string   `json:"type,omitempty"` // of a field, as it is written
	Markers []string `json:"markers,omitempty"`
	// Of is the declaration of the field's type, or of that of its elements.
	Of *Declaration `json:"of,omitempty"`
}

// Place is where in a CRD a field is.
type Place struct {
	Name string `json:"name"`           // of the CustomResourceDefinition
	File string `json:"file,omitempty"` // that the project writes
	Line int    `json:"line,omitempty"` // in the file; absent if that does not have the field yet
	Path string `json:"path"`           // in the object: spec.versions[0].schema.openAPIV3Schema.properties.spec
}

// Attribute is a class of an SDK, or an attribute of it.
type Attribute struct {
	Module string `json:"module,omitempty"` // to import
	Class  string `json:"class"`
	Name   string `json:"name,omitempty"` // "" for the class itself
	Type   string `json:"type,omitempty"`
}

// Explanation is what is said of one path.
type Explanation struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
	*Field
}

// Explain returns what is known of the field at a path, with the fields below it: all of them, or those of one level. A
// path that leads nowhere is a diag.List.
func (a *API) Explain(path string, recursive bool) (*Explanation, error) {
	w, n, err := a.find(path)
	if err != nil {
		return nil, err
	}
	field := w.describe(n)
	depth := 1
	if recursive {
		depth = -1
	}
	w.below(field, n, depth, map[*model.Definition]bool{})
	return &Explanation{Group: w.pkg.Group, Version: w.pkg.Version, Kind: w.kind.Root.Kind, Field: field}, nil
}
