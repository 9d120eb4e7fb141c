package model

// Class is a class or struct that an SDK makes of a definition.
type Class struct {
	*Definition
	Name     string
	Attrs    []Attr
	Accessor string // method of the Go client that returns the client of the kind; "" if it has none
}

// Attr is an attribute of a class.
type Attr struct {
	*Field
	Name      string
	Type      string            // as the language spells it
	Imports   map[string]string // import paths of what a Go type names, by alias
	Constants []string          // of a Go type with a list of values
}
