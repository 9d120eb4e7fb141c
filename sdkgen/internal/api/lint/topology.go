package lint

import (
	"go/types"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

var topologyRule = Rule{
	ID:    "topology",
	Doc:   "List, map and struct types contradict the Go type or each other.",
	check: schemaRule((*linter).checkTopology),
}

// checkTopology reports list, map and struct types that contradict the Go type or each other.
func (l *linter) checkTopology(decl *declaration) {
	after := l.shapeOf(decl)
	for _, m := range decl.attached() {
		switch m.known.name {
		case "listType", "k8s:listType":
			l.checkListType(m, after)
		case "listMapKey", "k8s:listMapKey":
			l.checkMapKey(m)
		case "mapType":
			if after.typ != typeAny && after.typ != typeObject {
				l.complain(m, hintIf(after.typ == typeStruct, "+structType="+valueOf(m)), "+mapType at %s, which is not a map",
					decl.title)
			}
		case "structType":
			switch after.typ {
			case typeStruct, typeAny, typeForeign:
			case typeObject:
				if _, ok := underlying(decl.typ).(*types.Map); ok {
					l.complain(m, "+mapType="+valueOf(m), "+structType at %s, which is a map", decl.title)
				}
			default:
				l.complain(m, "", "+structType at %s, which is not a struct", decl.title)
			}
		}
	}
	one, other := decl.has("listType"), decl.has("k8s:listType")
	if one != nil && other != nil && valueOf(one) != valueOf(other) {
		l.complain(other, "keep one of them", "+k8s:listType is %s, +listType is %s", valueOf(other), valueOf(one))
	}
}

func hintIf(ok bool, hint string) string {
	if ok {
		return hint
	}
	return ""
}

func (l *linter) checkListType(m *marker, after shape) {
	decl := m.decl
	switch {
	case after.typ == typeAny:
	case after.typ == typeString && itemOf(decl.typ) != nil:
		l.complain(m, "remove it", "+%s at %s: a []byte is a string in JSON", m.known.name, decl.title)
		return
	case after.typ != typeArray:
		l.complain(m, hintIf(after.typ == typeObject, "+mapType=atomic"), "+%s at %s, which is not a list", m.known.name,
			decl.title)
		return
	}
	if valueOf(m) != "map" {
		return
	}
	item := itemOf(decl.typ)
	if item == nil {
		return
	}
	if _, ok := underlying(item).(*types.Struct); !ok {
		l.complain(m, "+"+m.known.name+"=set", "+%s=map at %s: the items are not structs", m.known.name, decl.title)
		return
	}
	if decl.has("listMapKey", "k8s:listMapKey") == nil {
		l.complain(m, "add the property that identifies an item: "+
			strings.Replace("+listMapKey=…", "list", strings.TrimSuffix(m.known.name, "Type"), 1),
			"+%s=map without +listMapKey", m.known.name)
	}
}

// checkMapKey reports a key that is not one of an associative list's items.
func (l *linter) checkMapKey(m *marker) {
	decl, key := m.decl, valueOf(m)
	list := decl.has("listType", "k8s:listType")
	if m.known.name == "k8s:listMapKey" && decl.has("k8s:unique") != nil {
		return // validation-gen has it for lists that are atomic too
	}
	if list == nil || valueOf(list) != "map" {
		l.complain(m, "+listType=map", "+%s=%s without +listType=map", m.known.name, key)
		return
	}
	item := itemOf(decl.typ)
	if item == nil {
		return
	}
	if _, ok := underlying(item).(*types.Struct); !ok || implements(deref(item), "MarshalJSON") {
		return
	}
	var names []string
	for _, property := range l.properties(item) {
		if property.tag.missing {
			return // no API type, as those that are internal to a server
		}
		if property.name == key {
			l.checkKeyType(m, property)
			return
		}
		names = append(names, property.name)
	}
	hint := ""
	if right := diag.Nearest(key, names); right != "" {
		hint = "+" + m.known.name + "=" + right
	}
	l.complain(m, hint, "+%s=%s: %s has no such property", m.known.name, key, typeName(item, decl.pkg.Types))
}

func (l *linter) checkKeyType(m *marker, key property) {
	if implements(deref(key.typ), "MarshalJSON") || implements(deref(key.typ), "MarshalText") {
		return
	}
	switch underlying(key.typ).(type) {
	case *types.Slice, *types.Array, *types.Map, *types.Struct:
		l.complain(m, "", "+%s=%s: a key must be a string, a number or a boolean, not %s", m.known.name, key.name,
			typeName(key.typ, m.decl.pkg.Types))
	}
}

// underlying is the underlying type behind one pointer.
func underlying(t types.Type) types.Type {
	if t = deref(t); t == nil {
		return nil
	}
	return t.Underlying()
}

// itemOf returns the type of a list's items, nil for other types.
func itemOf(t types.Type) types.Type {
	switch t := underlying(t).(type) {
	case *types.Slice:
		return t.Elem()
	case *types.Array:
		return t.Elem()
	}
	return nil
}

// typeName is a type as Go source in a package would name it.
func typeName(t types.Type, in *types.Package) string {
	return types.TypeString(t, func(other *types.Package) string {
		if other == in {
			return ""
		}
		return other.Name()
	})
}

var scalarTypes = []jsonType{typeString, typeInteger, typeNumber, typeBoolean}

// jsonTypeOf is the kind of a type's JSON, of other packages' types too; typeAny where it is not known.
func jsonTypeOf(t types.Type) jsonType {
	t = deref(t)
	if t == nil || implements(t, "MarshalJSON") {
		return typeAny
	}
	if implements(t, "MarshalText") {
		return typeString
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return basicType(u)
	case *types.Slice:
		if isByte(u.Elem()) {
			return typeString
		}
		return typeArray
	case *types.Array:
		return typeArray
	case *types.Map, *types.Struct:
		return typeObject
	}
	return typeAny
}

func isScalar(t types.Type) bool { return slices.Contains(scalarTypes, jsonTypeOf(t)) }
