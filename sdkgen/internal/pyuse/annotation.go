package pyuse

import "github.com/flux-framework/flux-operator/sdkgen/internal/python"

// of generics, by what their values are; the last argument says of what.
var generics = map[string]kind{
	"List": isList, "list": isList, "Sequence": isList, "MutableSequence": isList, "Iterable": isList, "Iterator": isList,
	"Collection": isList, "Generator": isList, "AsyncIterator": isList, "AsyncIterable": isList, "Set": isList, "set": isList, "FrozenSet": isList,
	"Dict": isDict, "dict": isDict, "Mapping": isDict, "MutableMapping": isDict,
	"Type": isClass, "type": isClass, "Awaitable": isAwaitable, "Coroutine": isAwaitable,
}

// wrappers are generics whose value is that of their first argument.
var wrappers = map[string]bool{"Optional": true, "Annotated": true, "ClassVar": true, "Final": true, "Required": true, "NotRequired": true}

// annotated is the value that an annotation describes. It is not evaluated: what it names need not
// be bound at that point.
func (c *checker) annotated(s *scope, annotation python.Expr) *value {
	switch a := annotation.(type) {
	case *python.Constant:
		if a.Text == "None" {
			return &value{kind: isNone}
		}
	case *python.String:
		if quoted, err := python.ParseExpr(a.Value); err == nil {
			if _, text := quoted.(*python.String); !text {
				return c.annotated(s, quoted)
			}
		}
	case *python.Name:
		v, _ := s.lookup(a.ID)
		return instance(v)
	case *python.Attr:
		return instance(c.path(s, a))
	case *python.Binary:
		if a.Op == "|" {
			return either(c.annotated(s, a.X), c.annotated(s, a.Y))
		}
	case *python.Index:
		return c.generic(s, last(a.X), arguments(a.Key))
	}
	return nil
}

func arguments(key python.Expr) []python.Expr {
	if tuple, ok := key.(*python.Sequence); ok && tuple.Bracket == '(' {
		return tuple.Elements
	}
	return []python.Expr{key}
}

func (c *checker) generic(s *scope, name string, args []python.Expr) *value {
	if len(args) == 0 {
		return nil
	}
	first, final := c.annotated(s, args[0]), c.annotated(s, args[len(args)-1])
	switch {
	case wrappers[name]:
		return first
	case name == "Generator" || name == "AsyncGenerator":
		return list(first)
	case name == "Union":
		for _, arg := range args[1:] {
			first = either(first, c.annotated(s, arg))
		}
		return first
	case (name == "Tuple" || name == "tuple"):
		if constant, ok := args[len(args)-1].(*python.Constant); ok && constant.Text == "..." {
			return list(first)
		}
		tuple := &value{kind: isTuple}
		for _, arg := range args {
			tuple.parts = append(tuple.parts, c.annotated(s, arg))
		}
		return tuple
	case final == nil:
		return nil
	case generics[name] == isClass:
		if final.kind == isObject {
			return &value{kind: isClass, name: final.name}
		}
	case generics[name] != 0:
		return &value{kind: generics[name], of: final}
	}
	return nil
}

// instance is an object of a class.
func instance(class *value) *value {
	switch {
	case class == nil:
	case class.kind == isClass:
		return &value{kind: isObject, name: class.name}
	case class.kind == isOwnClass:
		return &value{kind: isOwn, class: class.class}
	}
	return nil
}

// path is the value of a dotted name, which is not checked.
func (c *checker) path(s *scope, expr python.Expr) *value {
	switch e := expr.(type) {
	case *python.Name:
		v, _ := s.lookup(e.ID)
		return v
	case *python.Attr:
		if x := c.path(s, e.X); x != nil && x.kind == isModule {
			return c.member(x.name, e.ID)
		}
	}
	return nil
}

// member is a name of a module.
func (c *checker) member(module, name string) *value {
	if !c.facts.inside(module) {
		return &value{kind: isModule, name: module + "." + name}
	}
	return c.facts.resolve(module, name)
}
