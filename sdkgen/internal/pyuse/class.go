package pyuse

import (
	"maps"
	"slices"

	"github.com/flux-framework/flux-operator/sdkgen/internal/python"
)

// class is what the check knows of a model's class.
type class struct {
	name     string
	byName   map[string]Attribute
	byKey    map[string]Attribute
	keywords map[string]bool // of the constructor
	names    map[string]bool // what it and its base classes bind, attributes aside
	builds   map[string]bool // methods that return one of the class they are called on
	open     bool            // it has a base class that is not known, and so any name
}

// legacyKeyword is what each constructor of the generator python-legacy takes beside attributes.
const legacyKeyword = "local_vars_configuration"

// standard are the names of the standard library's classes that a model may derive from.
var standard = map[string][]string{
	"ABC": nil, "Generic": nil, "object": nil, "Mapping": {"get", "items", "keys", "values"},
}

// ofTypes are names that every class has, and its objects have not.
var ofTypes = map[string]bool{"mro": true, "register": true}

func (f *Facts) model(name string) *class {
	c := &class{
		name: name, byName: map[string]Attribute{}, byKey: map[string]Attribute{},
		keywords: map[string]bool{legacyKeyword: true}, names: map[string]bool{}, builds: map[string]bool{},
	}
	for _, attribute := range f.sdk.Models[name] {
		c.byName[attribute.Name] = attribute
		c.byKey[attribute.Key] = attribute
		c.keywords[attribute.Name] = true
	}
	where := f.home(name)
	if where == "" {
		c.open = true
		return c
	}
	f.collect(c, where, name, 0)
	return c
}

// home returns the module that defines a model's class.
func (f *Facts) home(name string) string {
	for _, module := range slices.Sorted(maps.Keys(f.modules)) {
		if f.modules[module].defined[name] != nil {
			return module
		}
	}
	return ""
}

// collect adds what a class of the SDK and its base classes bind.
func (f *Facts) collect(c *class, where, name string, depth int) {
	m := f.modules[where]
	if m == nil || m.defined[name] == nil || depth > 20 {
		c.open = true
		return
	}
	syntax := m.defined[name]
	for bound := range python.Bound(syntax.Body) {
		c.names[bound] = true
	}
	python.WalkAll(syntax.Body, func(node any) bool {
		switch n := node.(type) {
		case *python.Def:
			c.method(n)
		case *python.Attr: // self.x = … in a method
			if x, ok := n.X.(*python.Name); ok && x.ID == "self" {
				c.names[n.ID] = true
			}
		}
		return true
	})
	for _, arg := range syntax.Args {
		if arg.Name == "" {
			f.base(c, where, arg.Value, depth)
		}
	}
}

// method notes a method's own keywords, if it is the constructor, and whether it returns an object
// of the class: def m(cls: Type[T]) -> T, or def m(self) -> Self.
func (c *class) method(n *python.Def) {
	if n.Name == "__init__" {
		for _, param := range n.Params {
			c.keywords[param.Name] = c.keywords[param.Name] || param.Stars == 0
		}
	}
	if n.Returns == nil || len(n.Params) == 0 {
		return
	}
	returned := last(n.Returns)
	first := n.Params[0].Annotation
	if index, ok := first.(*python.Index); ok {
		first = index.Key
	}
	c.builds[n.Name] = returned == "Self" || returned != "" && first != nil && returned == last(first)
}

// last is the last name of a dotted path, "" if the expression is none.
func last(expr python.Expr) string {
	switch e := expr.(type) {
	case *python.Name:
		return e.ID
	case *python.Attr:
		return e.ID
	case *python.String:
		return e.Value
	}
	return ""
}

// base adds what a base class binds, which is written as an expression in a module.
func (f *Facts) base(c *class, where string, expr python.Expr, depth int) {
	if index, ok := expr.(*python.Index); ok { // Mapping[str, Any]
		expr = index.X
	}
	name := last(expr)
	home, defined := "", ""
	switch e := expr.(type) {
	case *python.Name:
		home, defined = f.definition(where, name, 0)
	case *python.Attr:
		if x, ok := e.X.(*python.Name); ok {
			if module, none := f.definition(where, x.ID, 0); none == "" {
				home, defined = f.definition(module, name, 0)
			}
		}
	}
	if m := f.modules[home]; m != nil && m.defined[defined] != nil {
		f.collect(c, home, defined, depth+1)
		return
	}
	own, known := standard[name]
	if !known {
		c.open = true
	}
	for _, name := range own {
		c.names[name] = true
	}
}
