// Package model is the typed model of an API: its types with their fields, defaults and constraints, and the operations on
// its resources. New makes it of a document, Read of a file; python and golang turn it into the names and source code of
// their language.
package model

import (
	"github.com/go-openapi/spec"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// API is one version of an API.
type API struct {
	Title       string
	Group       string
	Version     string
	Definitions []*Definition // by name, with those of Kubernetes
	Operations  []*Operation  // by path, then GET, POST, PUT, PATCH, DELETE
}

// Definition is a type with a name.
type Definition struct {
	Name          string
	GoType        GoType
	Kubernetes    bool // clients take the type from Kubernetes' own packages
	Description   string
	Deprecated    string   // what to use instead, "" if it is not deprecated
	Root          *Root    // nil unless it is a root kind or a list of one
	Fields        []*Field // by key
	MinProperties *int64
	MaxProperties *int64
	CEL           any  // x-kubernetes-validations as written, nil without rules
	Open          bool // x-kubernetes-preserve-unknown-fields
}

// GoType is a Go type by its import path and name; empty if the document names none.
type GoType struct{ Package, Name string }

// Root says which resource a root kind is.
type Root struct {
	schema.GroupVersionKind
	Plural     string // name of the resource in paths; empty for a list
	Namespaced bool
	// StorageVersion is the version in which the API server stores the kind's objects; empty if there
	// is no other.
	StorageVersion string

	// Of a resource with paths in the document:
	List   *Definition // answer of a GET; nil without paths
	Status bool        // has the status subresource
	Scale  bool        // has the scale subresource
}

// Field is a property of an object.
type Field struct {
	Type
	Key         string
	Description string
	Deprecated  string // as Definition.Deprecated
	Default     any    // the declared default, nil without one
	Required    bool   // the API server stores no object without it
	Mandatory   bool   // clients must set it: it is required, and the API server sets no default
	Pointer     bool   // an optional scalar whose zero value differs from its absence
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

// Type is the type of a field or of an element.
type Type struct {
	Shape      Shape
	Format     string
	GoType     GoType      // type of another module that is written out here
	Definition *Definition // of a Reference
	Elem       *Type       // of an Array or Map; nil if the document says nothing of elements
	Fields     []*Field    // of an Object

	spec.SchemaValidations
	Nullable bool
	ListType string // x-kubernetes-list-type
	MapKeys  []any  // x-kubernetes-list-map-keys
	Open     bool   // x-kubernetes-preserve-unknown-fields
	CEL      any    // as Definition.CEL; of a Reference, the rules that are not the definition's
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
