package pyuse

import (
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/python"
)

// eval checks an expression and all in it, and returns what is known of its value.
func (c *checker) eval(s *scope, expr python.Expr) *value {
	switch e := expr.(type) {
	case *python.Constant:
		if e.Text == "None" {
			return &value{kind: isNone}
		}
	case *python.Name:
		v, _ := s.lookup(e.ID)
		return v
	case *python.Attr:
		return c.attr(s, e)
	case *python.Call:
		return c.call(s, e)
	case *python.Index:
		return c.index(s, e)
	case *python.Sequence:
		return c.sequence(s, e)
	case *python.Dict:
		for _, item := range e.Items {
			c.eval(s, item.Key)
			c.eval(s, item.Value)
		}
	case *python.Comprehension:
		return c.comprehension(s, e)
	case *python.Lambda:
		c.lambda(s, e)
	case *python.Conditional:
		c.eval(s, e.Test)
		var then, other *value
		c.excused(c.excuse.asked(e.Test), func() { then, other = c.eval(s, e.Then), c.eval(s, e.Else) })
		return either(then, other)
	case *python.Named:
		v := c.eval(s, e.Value)
		c.assign(s, e.Target, v)
		return v
	case *python.Starred:
		c.eval(s, e.X)
	case *python.Await:
		if v := c.eval(s, e.X); v != nil && v.kind == isAwaitable {
			return v.of
		}
	case *python.Binary:
		return c.binary(s, e)
	case *python.Slice:
		for _, part := range e.Parts {
			c.eval(s, part)
		}
	case *python.Other:
		for _, part := range e.Parts {
			c.eval(s, part)
		}
	}
	return nil
}

// binary is what an operator gives: either side of "or", two lists as one.
func (c *checker) binary(s *scope, e *python.Binary) *value {
	x := c.eval(s, e.X)
	var y *value
	if e.Op == "and" || e.Op == "or" { // hasattr(x, "name") and x.name
		c.excused(c.excuse.asked(e.X), func() { y = c.eval(s, e.Y) })
	} else {
		y = c.eval(s, e.Y)
	}
	if e.Op == "or" || e.Op == "+" && x != nil && x.kind == isList {
		return either(x, y)
	}
	return nil
}

func (c *checker) attr(s *scope, e *python.Attr) *value {
	x := c.eval(s, e.X)
	if x == nil {
		return nil
	}
	switch x.kind {
	case isModule:
		c.exported(e.Pos, x.name, e.ID)
		return c.member(x.name, e.ID)
	case isClass, isObject:
		c.attribute(x, e.Pos, e.ID)
		return c.modelMember(x, e.ID)
	case isOwn, isOwnClass:
		return c.ownMember(x.class, e.ID)
	case isList, isDict:
		return x.method(e.ID)
	}
	return nil
}

// modelMember is an attribute of a model, or of its class.
func (c *checker) modelMember(x *value, name string) *value {
	class := c.facts.classes[x.name]
	_, isAttribute := class.byName[name]
	switch {
	case isAttribute && x.kind == isObject:
		return x.field(c.facts, name)
	case isAttribute:
		return nil
	case name == "attribute_map" || name == "openapi_types":
		return &value{kind: isTable, name: x.name}
	case name == "__class__" && x.kind == isObject:
		return &value{kind: isClass, name: x.name}
	case class.builds[name]:
		return &value{kind: isMethod, of: &value{kind: isObject, name: x.name}}
	}
	return nil
}

// method is one of a list or a dictionary.
func (v *value) method(name string) *value {
	var returns map[string]*value
	if v.kind == isList {
		returns = map[string]*value{"pop": v.of, "copy": v, "__next__": v.of, "__iter__": v}
	} else {
		pair := &value{kind: isTuple, parts: []*value{nil, v.of}}
		returns = map[string]*value{
			"get": v.of, "pop": v.of, "setdefault": v.of, "copy": v, "values": list(v.of), "items": list(pair),
		}
	}
	if of := returns[name]; of != nil {
		return &value{kind: isMethod, of: of}
	}
	return nil
}

func (c *checker) index(s *scope, e *python.Index) *value {
	x := c.eval(s, e.X)
	c.eval(s, e.Key)
	if x == nil {
		return nil
	}
	key, isText := e.Key.(*python.String)
	switch {
	case x.kind == isObject && isText:
		c.key(x.name, key)
	case x.kind == isTable && isText:
		c.column(x.name, key)
	case x.kind == isList:
		if _, slice := e.Key.(*python.Slice); slice {
			return x
		}
		return x.of
	case x.kind == isDict:
		return x.of
	}
	return nil
}

func (c *checker) sequence(s *scope, e *python.Sequence) *value {
	var values []*value
	for _, element := range e.Elements {
		values = append(values, c.eval(s, element))
	}
	if e.Bracket == '(' {
		return &value{kind: isTuple, parts: values}
	}
	if len(values) == 0 {
		return nil
	}
	of := values[0]
	for _, v := range values[1:] {
		of = either(of, v)
	}
	return list(of)
}

func (c *checker) comprehension(outer *scope, e *python.Comprehension) *value {
	s := newScope(outer, map[string]bool{})
	s.inline = true
	s.class = outer.class
	before := c.excuse
	for _, clause := range e.Clauses {
		iter := c.eval(s, clause.Iter)
		c.assign(s, clause.Target, iter.element())
		for _, test := range clause.Ifs {
			c.eval(s, test)
			c.excuse = c.excuse.asked(test)
		}
	}
	c.eval(s, e.Key)
	v := c.eval(s, e.Value)
	c.excuse = before
	for name := range s.bound { // by := in it
		if outer.bound[name] {
			outer.bind(name, nil)
		}
	}
	if e.Key != nil {
		if v == nil {
			return nil
		}
		return &value{kind: isDict, of: v}
	}
	return list(v)
}

// lambda walks a function without a name, when all around it is bound.
func (c *checker) lambda(outer *scope, e *python.Lambda) {
	for _, param := range e.Params {
		c.eval(outer, param.Default)
	}
	c.after(func() {
		s := newScope(outer, map[string]bool{})
		s.class = outer.class
		for _, param := range e.Params {
			s.bind(param.Name, nil)
		}
		c.eval(s, e.Body)
	})
}

func (c *checker) call(s *scope, e *python.Call) *value {
	function := c.eval(s, e.Fun)
	var first *value
	for i, arg := range e.Args {
		v := c.eval(s, arg.Value)
		if i == 0 && arg.Name == "" {
			first = v
		}
	}
	if model := c.constructed(s, e, function); model != "" {
		c.keywords(model, e.Args)
	}
	if function == nil {
		return c.builtin(s, e, first)
	}
	switch function.kind {
	case isClass, isOwnClass:
		return instance(function)
	case isMethod:
		return function.of
	case isFunction:
		return c.returned(function)
	case isModule:
		if function.name == "copy.copy" || function.name == "copy.deepcopy" {
			return first
		}
	}
	return nil
}

// constructed is the model whose constructor is called: by its name, or as super().__init__ in a
// class that derives from it.
func (c *checker) constructed(s *scope, e *python.Call, function *value) string {
	if function != nil && function.kind == isClass {
		return function.name
	}
	attr, ok := e.Fun.(*python.Attr)
	if !ok || attr.ID != "__init__" || s.class == nil {
		return ""
	}
	if call, ok := attr.X.(*python.Call); ok && last(call.Fun) == "super" {
		return s.class.model
	}
	return ""
}

// keywords checks the arguments of a model's constructor, those in ** of a dictionary among them.
func (c *checker) keywords(model string, args []python.Arg) {
	for _, arg := range args {
		if arg.Name != "" {
			c.keyword(model, arg.Pos, arg.Name)
		}
		starred, _ := arg.Value.(*python.Starred)
		if starred == nil || !starred.Double {
			continue
		}
		if dict, ok := starred.X.(*python.Dict); ok {
			for _, item := range dict.Items {
				if key, ok := item.Key.(*python.String); ok {
					c.keyword(model, key.Pos, key.Value)
				}
			}
		}
	}
}

// builtin is what a builtin function gives that is called with a value.
func (c *checker) builtin(s *scope, e *python.Call, first *value) *value {
	name, ok := e.Fun.(*python.Name)
	if !ok || first == nil {
		return nil
	}
	if _, bound := s.lookup(name.ID); bound {
		return nil
	}
	switch name.ID {
	case "list", "sorted", "reversed", "tuple", "iter", "set", "filter":
		return list(first.element())
	case "next", "min", "max":
		if len(e.Args) == 1 || !strings.HasPrefix(name.ID, "next") {
			return first.element()
		}
	case "enumerate":
		return list(&value{kind: isTuple, parts: []*value{nil, first.element()}})
	case "type":
		if first.kind == isObject {
			return &value{kind: isClass, name: first.name}
		}
	}
	return nil
}
