package lint

import (
	"go/types"
	"reflect"
	"slices"
	"strings"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
)

// jsonTag is what a field's json tag says.
type jsonTag struct {
	name      string // the property's name; "" for one that is left out, or inlined
	inline    bool
	omitEmpty bool
	omitZero  bool
	quoted    bool // ",string"
	missing   bool // there is no json tag
}

func parseTag(tag reflect.StructTag, goName string, embedded bool) jsonTag {
	value, ok := tag.Lookup("json")
	parts := strings.Split(value, ",")
	out := jsonTag{
		name: parts[0], omitEmpty: slices.Contains(parts[1:], "omitempty"), omitZero: slices.Contains(parts[1:], "omitzero"),
		quoted: slices.Contains(parts[1:], "string"), missing: !ok,
	}
	switch {
	case value == "-":
		out.name = ""
	case embedded && out.name == "" || slices.Contains(parts[1:], "inline"):
		out.name, out.inline = "", true
	case !ok || out.name == "":
		out.name = goName
	}
	return out
}

// kind is a type in JSON, as controller-gen knows it when it applies the markers of a field.
type jsonType string

const (
	typeAny     jsonType = ""         // not known, or anything
	typeStruct  jsonType = "struct"   // a type that the schema refers to
	typeForeign jsonType = "external" // one of another package whose declaration controller-gen does not look at
	typeBoolean jsonType = "boolean"
	typeString  jsonType = "string"
	typeInteger jsonType = "integer"
	typeNumber  jsonType = "number"
	typeArray   jsonType = "array"
	typeObject  jsonType = "object"
)

// shape is the kind of a type, and that of its items where controller-gen knows them.
type shape struct {
	typ   jsonType
	items *shape
}

// shapeOf returns the shape of a declaration, with what its markers override.
func (l *linter) shapeOf(decl *declaration) shape {
	out := l.shapeOfType(decl.typ, decl.pkg.Types)
	if decl.target == onType && out.typ == typeStruct {
		if _, ok := types.Unalias(decl.typ).(*types.Struct); ok {
			out.typ = typeObject
		}
	}
	if decl.target == onType && decl.name != nil {
		switch {
		case implements(decl.name.Type(), "MarshalJSON"):
			out = shape{}
		case implements(decl.name.Type(), "MarshalText"):
			out = shape{typ: typeString}
		}
	}
	return overridden(decl, out)
}

// overridden applies the markers that replace a schema's type.
func overridden(decl *declaration, s shape) shape {
	for _, m := range decl.markers {
		switch v := m.value.(type) {
		case crdmarkers.Type:
			s.typ = jsonType(v)
		case crdmarkers.XIntOrString, crdmarkers.Schemaless:
			return shape{}
		}
	}
	return s
}

// shapeOfType returns the shape of a type that is used in a package.
func (l *linter) shapeOfType(t types.Type, in *types.Package) shape {
	if t == nil {
		return shape{}
	}
	t = types.Unalias(t)
	if pointer, ok := t.(*types.Pointer); ok {
		t = types.Unalias(pointer.Elem())
	}
	switch t := t.(type) {
	case *types.Basic:
		return shape{typ: basicType(t)}
	case *types.Slice:
		if isByte(t.Elem()) {
			return shape{typ: typeString}
		}
		items := l.shapeOfType(t.Elem(), in)
		return shape{typeArray, &items}
	case *types.Array:
		items := l.shapeOfType(t.Elem(), in)
		return shape{typeArray, &items}
	case *types.Map:
		return shape{typ: typeObject}
	case *types.Struct:
		return shape{typ: typeStruct}
	case *types.Named:
		return l.shapeOfNamed(t, in)
	}
	return shape{}
}

func (l *linter) shapeOfNamed(t *types.Named, in *types.Package) shape {
	switch t.Underlying().(type) {
	case *types.Slice:
		return shape{typ: typeArray}
	case *types.Map:
		return shape{typ: typeObject}
	case *types.Struct:
		return shape{typ: typeStruct}
	case *types.Basic:
		if t.Obj().Pkg() != in {
			return shape{typ: typeForeign}
		}
		if decl := l.types[t.Obj()]; decl != nil {
			return l.shapeOf(decl)
		}
	}
	return shape{}
}

func basicType(t *types.Basic) jsonType {
	switch info := t.Info(); {
	case info&types.IsBoolean != 0:
		return typeBoolean
	case info&types.IsString != 0:
		return typeString
	case info&types.IsInteger != 0:
		return typeInteger
	case info&types.IsFloat != 0:
		return typeNumber
	}
	return typeAny
}

func isByte(t types.Type) bool {
	basic, ok := types.Unalias(t).(*types.Basic)
	return ok && basic.Kind() == types.Byte
}

// implements says whether a type or a pointer to it has a method.
func implements(t types.Type, method string) bool {
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), false, nil, method)
	_, ok := obj.(*types.Func)
	return ok
}

// deref removes names that are aliases, and one pointer.
func deref(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	t = types.Unalias(t)
	if pointer, ok := t.(*types.Pointer); ok {
		return types.Unalias(pointer.Elem())
	}
	return t
}

// property is a field of a struct by its JSON name.
type property struct {
	name string
	typ  types.Type
	decl *declaration // nil for a field of a type that is not of the API packages
	tag  jsonTag
}

// properties returns the properties of a struct type, with those of embedded structs.
func (l *linter) properties(t types.Type) []property {
	return l.propertiesOf(deref(t), map[types.Type]bool{})
}

// propertiesOf is properties, without those of the types that it is in the middle of.
func (l *linter) propertiesOf(t types.Type, open map[types.Type]bool) []property {
	if t == nil || open[t] {
		return nil
	}
	open[t] = true
	defer delete(open, t)
	structType, ok := t.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	var declared []*declaration
	if named, ok := t.(*types.Named); ok {
		if decl := l.types[named.Obj()]; decl != nil {
			declared = decl.fields
		}
	}
	var out []property
	for i := range structType.NumFields() {
		field := structType.Field(i)
		tag := parseTag(reflect.StructTag(structType.Tag(i)), field.Name(), field.Embedded())
		switch {
		case tag.inline:
			out = append(out, l.propertiesOf(deref(field.Type()), open)...)
		case tag.name != "":
			out = append(out, property{tag.name, field.Type(), declaredAt(declared, field), tag})
		}
	}
	return out
}

// declaredAt returns the declaration of a field among those of its struct.
func declaredAt(declared []*declaration, field *types.Var) *declaration {
	for _, decl := range declared {
		if decl.field.Pos() <= field.Pos() && field.Pos() < decl.field.End() {
			return decl
		}
	}
	return nil
}
