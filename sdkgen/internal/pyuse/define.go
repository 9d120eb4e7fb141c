package pyuse

import "github.com/flux-framework/flux-operator/sdkgen/internal/python"

func (c *checker) imports(s *scope, n *python.Import) {
	for _, alias := range n.Names {
		c.moduleExists(alias.Pos, alias.Name)
		s.bind(alias.Bound(), &value{kind: isModule, name: imported(alias)})
	}
}

func (c *checker) from(s *scope, n *python.From) {
	source := n.Module
	if n.Level > 0 {
		if c.module == "" {
			source = "" // of a package that is not the SDK
		} else {
			source = absolute(n, c.module, c.isPackage)
		}
	}
	exists := c.moduleExists(n.Pos, source)
	if n.Names == nil {
		c.star(s, source)
	}
	for _, alias := range n.Names {
		var v *value
		if exists && source != "" {
			c.exported(alias.Pos, source, alias.Name)
			v = c.member(source, alias.Name)
		}
		if c.shared[alias.Bound()] {
			v = nil
		}
		s.bind(alias.Bound(), v)
	}
}

// star binds what "from module import *" does; of another module than the SDK's that may be anything.
func (c *checker) star(s *scope, source string) {
	if !c.facts.inside(source) {
		for name := range s.bound {
			s.bind(name, nil)
		}
		return
	}
	for _, name := range c.facts.public(source) {
		s.bind(name, c.facts.resolve(source, name))
	}
}

// function binds a function, and walks its body when all around it is bound.
func (c *checker) function(s *scope, n *python.Def) {
	for _, decorator := range n.Decorators {
		c.eval(s, decorator)
	}
	for _, param := range n.Params {
		c.eval(s, param.Default)
	}
	v := &value{kind: isFunction, def: n, scope: s}
	for _, decorator := range n.Decorators {
		switch name := last(decorator); name {
		case "staticmethod", "classmethod", "property", "cached_property", "cache", "lru_cache", "override", "abstractmethod", "final":
		default:
			v = nil // what it returns may be something else
		}
	}
	if c.shared[n.Name] {
		v = nil
	}
	s.bind(n.Name, v)
	c.after(func() { c.run(s, n) })
}

// run walks a function's body.
func (c *checker) run(outer *scope, n *python.Def) {
	s := newScope(outer, python.Bound(n.Body))
	s.class = outer.class
	for i, param := range n.Params {
		v := c.annotated(outer, param.Annotation)
		switch {
		case param.Stars == 1:
			v = list(v)
		case param.Stars == 2 && v != nil:
			v = &value{kind: isDict, of: v}
		case i == 0 && v == nil && outer.body && !decorated(n, "staticmethod"):
			v = self(n, outer.class)
		}
		s.bind(param.Name, v)
	}
	c.body(s, n.Body)
}

// self is the first parameter of a method.
func self(n *python.Def, class *own) *value {
	if decorated(n, "classmethod") || n.Name == "__new__" || n.Name == "__init_subclass__" {
		return &value{kind: isOwnClass, class: class}
	}
	return &value{kind: isOwn, class: class}
}

func decorated(n *python.Def, by ...string) bool {
	for _, decorator := range n.Decorators {
		for _, name := range by {
			if last(decorator) == name {
				return true
			}
		}
	}
	return false
}

// class binds a class of the file and walks its body.
func (c *checker) class(s *scope, n *python.Class) {
	for _, decorator := range n.Decorators {
		c.eval(s, decorator)
	}
	class := &own{attributes: map[string]*value{}}
	for _, arg := range n.Args {
		if base := c.eval(s, arg.Value); base != nil && base.kind == isClass && len(n.Args) == 1 {
			class.model = base.name
		}
	}
	class.scope = newScope(s, python.Bound(n.Body))
	class.scope.class = class
	class.scope.inline, class.scope.body = true, true
	v := &value{kind: isOwnClass, class: class}
	if c.shared[n.Name] {
		v = nil
	}
	s.bind(n.Name, v)
	c.body(class.scope, n.Body)
}

// member of an object of the class; methods are functions, and properties what they return.
func (c *checker) ownMember(class *own, name string) *value {
	v := class.scope.ever[name]
	if v == nil {
		if _, bound := class.scope.ever[name]; bound {
			return nil
		}
		return class.attributes[name]
	}
	if v.kind == isFunction && decorated(v.def, "property", "cached_property") {
		return c.returned(v)
	}
	return v
}

// returned is what a call of a function gives.
func (c *checker) returned(function *value) *value {
	v := c.annotated(function.scope, function.def.Returns)
	if v != nil && function.def.Async {
		return &value{kind: isAwaitable, of: v}
	}
	return v
}
