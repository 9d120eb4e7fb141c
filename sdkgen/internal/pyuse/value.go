package pyuse

import (
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/python"
)

type kind int

const (
	isNone   kind = iota + 1
	isModule      // name is its path, also of what is in a module that is not the SDK's
	isClass       // the model called name
	isObject      // of the model called name
	isTable       // attribute_map or openapi_types of the model called name
	isList        // of what is in of; also other things to loop over
	isDict        // with values of
	isTuple       // of parts
	isFunction
	isMethod // that returns of
	isAwaitable
	isOwnClass // a class of the file
	isOwn      // an object of one
)

// value is what is known of a value; nil is nothing.
type value struct {
	kind   kind
	name   string
	of     *value
	parts  []*value
	def    *python.Def
	scope  *scope // of def
	class  *own
	fields map[string]*value // of an object: attributes that were looked at, nil for those that were given something else than their type
}

// own is a class of the file.
type own struct {
	model      string // the model that it derives from
	scope      *scope // of its body
	attributes map[string]*value
}

func list(of *value) *value {
	if of == nil {
		return nil
	}
	return &value{kind: isList, of: of}
}

// same says whether values are of one type.
func same(a, b *value) bool {
	if a == nil || b == nil || a == b {
		return a == b
	}
	return a.kind == b.kind && a.name == b.name && a.def == b.def && a.class == b.class &&
		same(a.of, b.of) && slices.EqualFunc(a.parts, b.parts, same)
}

// either is what is known of a value that is one of two.
func either(a, b *value) *value {
	switch {
	case a == b:
		return a
	case a == nil || b == nil:
		return nil
	case a.kind == isNone:
		return b
	case b.kind == isNone:
		return a
	case !same(a, b):
		return nil
	}
	out := *a
	out.fields = map[string]*value{}
	for _, from := range []*value{a, b} {
		for name, field := range from.fields {
			if old, there := out.fields[name]; !there || old != nil {
				out.fields[name] = field
			}
		}
	}
	return &out
}

// element is what a loop over a value gives.
func (v *value) element() *value {
	if v != nil && v.kind == isList {
		return v.of
	}
	return nil
}

// typed is the value of an attribute by its type as openapi_types spells it.
func (f *Facts) typed(spelling string) *value {
	if inner, ok := strings.CutPrefix(spelling, "list["); ok {
		return list(f.typed(strings.TrimSuffix(inner, "]")))
	}
	if inner, ok := strings.CutPrefix(spelling, "dict(str, "); ok {
		if of := f.typed(strings.TrimSuffix(inner, ")")); of != nil {
			return &value{kind: isDict, of: of}
		}
		return nil
	}
	if f.sdk.Models[spelling] != nil {
		return &value{kind: isObject, name: spelling}
	}
	return nil
}

// field is the value of an attribute of an object. Whoever asks gets the same one, so that what is
// done to it is known to all.
func (v *value) field(f *Facts, name string) *value {
	if known, ok := v.fields[name]; ok {
		return known
	}
	found := f.typed(f.classes[v.name].byName[name].Type)
	v.set(name, found)
	return found
}

func (v *value) set(name string, to *value) {
	if v.fields == nil {
		v.fields = map[string]*value{}
	}
	v.fields[name] = to
}
