// Package model is the typed model of an API: its types with their fields, defaults, constraints and documentation, its
// kinds, and the operations on its resources. A front end makes it once with Build; swagger.json, the SDKs, the pages
// and the comparison of versions are printed from it, and none of them reads what another has printed.
//
// It knows schemas as CRDs have them, and names; it knows nothing of Go's types.
package model

import (
	"github.com/go-openapi/spec"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// API is one version of an API.
type API struct {
	Title       string
	Group       string
	Version     string
	Definitions []*Definition // by name, with those of Kubernetes
	Operations  []*Operation  // by path, then GET, POST, PUT, PATCH, DELETE

	// Paths and Parameters are what the API server publishes for the kinds. References in them are to Definitions.
	Paths      map[string]spec.PathItem
	Parameters map[string]spec.Parameter
}

// Definition is a type with a name.
type Definition struct {
	Type
	Name       string
	Kubernetes bool  // clients take the type from Kubernetes' own packages
	Root       *Root // nil unless it is a root kind or a list of one
}

// GoType is a Go type by its import path and name; empty if there is none.
type GoType struct{ Package, Name string }

// String returns PACKAGE.Type.
func (t GoType) String() string { return t.Package + "." + t.Name }

// Root says which resource a root kind is.
type Root struct {
	schema.GroupVersionKind
	Plural     string // name of the resource in paths; empty for a list
	Namespaced bool
	NoCRD      bool // no CRD serves it, and its paths are unknown
	// StorageVersion is the version in which the API server stores the kind's objects; empty if there
	// is no other.
	StorageVersion string

	// Of a resource with paths, and the list of one without a CRD, too:
	List   *Definition // answer of a GET; nil without paths
	Status bool        // has the status subresource
	Scale  bool        // has the scale subresource
}

// Field is a property of an object.
type Field struct {
	Type
	Key       string
	Required  bool // the API server stores no object without it
	Mandatory bool // clients must set it: it is required, and the API server sets no default
	Pointer   bool // an optional scalar whose zero value differs from its absence
}

// Shape is the kind of JSON value that a type allows.
type Shape int

// The shapes. Any allows every value, Object one with certain fields, or any if it lists none.
const (
	Any Shape = iota
	String
	Integer
	Number
	Boolean
	Time
	IntOrString
	Array
	Map
	Object
	Reference
)

// Type is the type of a definition, of a field or of an element.
type Type struct {
	Shape       Shape
	Format      string
	Description string
	Deprecated  string      // what to use instead, "" if it is not deprecated
	Default     any         // the declared default, nil without one; see default.go
	GoType      GoType      // of a definition, and of a type of another module that is written out here
	Definition  *Definition // of a Reference
	Elem        *Type       // of an Array or Map; nil if nothing is known of the elements
	Fields      []*Field    // of an Object, by key

	spec.SchemaValidations
	Nullable bool
	ListType string   // x-kubernetes-list-type
	MapKeys  []string // x-kubernetes-list-map-keys
	Open     bool     // x-kubernetes-preserve-unknown-fields
	// CEL are the rules that the API server evaluates; of a Reference, the ones that are not the definition's.
	CEL apiextensionsv1.ValidationRules

	// Keywords is the schema that says the above, without description and what is below it.
	Keywords   apiextensionsv1.JSONSchemaProps
	Extensions map[string]any // of OpenAPI, other than Keywords'
	Undeclared bool           // the CRD does not say what its JSON is, so it is any
}

// Operation is a method of HTTP on a path.
type Operation struct {
	ID          string
	Tag         string
	Action      string // x-kubernetes-action: list, get, post, …
	Description string
	Method      string
	Path        string
	Parameters  []Parameter // those of the path, then the operation's own
	Answer      *Definition // answer with code 200, nil without a definition
	Stored      *Definition // the same of a GET on this path
}

// Parameter is a parameter of an operation.
type Parameter struct {
	Name     string
	In       string // path, query or body
	Required bool
	Shape    Shape
	Body     *Definition // of a body, nil without a definition
}
