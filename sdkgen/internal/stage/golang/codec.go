package golang

import (
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

// codec is how values of a type are read and written: functions of the printed read.go and encode.go, or of a
// model. Both take a pointer to the value.
type codec struct {
	read, write string
	std         bool // by encoding/json
}

var (
	standard = codec{"readStandard", "writeStandard", true}
	basics   = map[string]codec{
		"string": {read: "readString", write: "writeString"},
		"bool":   {read: "readBool", write: "writeBool"},
		"int":    {read: "readInt", write: "writeInt"},
		"int32":  {read: "readInt", write: "writeInt"},
		"int64":  {read: "readInt", write: "writeInt"},
	}
)

// codecOf returns a type's functions. What encoding/json has to do for the elements, it does for
// the whole.
func (m *modeler) codecOf(typ string) codec {
	if known, ok := basics[typ]; ok {
		return known
	}
	if m.enums[typ] {
		return basics["string"]
	}
	if m.own[typ] {
		return codec{read: "(*" + typ + ").read", write: "(*" + typ + ").write"}
	}
	if alias, ok := m.imports[intOrString.Package]; ok && typ == alias+".IntOrString" {
		return codec{read: "readIntOrString", write: "writeIntOrString"}
	}
	shape, elem := shapeOf(typ)
	if shape == "" || elem == "byte" {
		return standard
	}
	in := m.codecOf(elem)
	if in.std {
		return standard
	}
	return codec{
		read:  "func(p *" + typ + ", d *jsonDecoder) { read" + shape + "(p, d, " + in.read + ") }",
		write: "func(p *" + typ + ", e *jsonEncoder) { write" + shape + "(p, e, " + in.write + ") }",
	}
}

// shapeOf takes a type apart: Pointer, Slice or Map, and the type of what it holds.
func shapeOf(typ string) (shape, elem string) {
	for prefix, shape := range map[string]string{"*": "Pointer", "[]": "Slice", "map[string]": "Map"} {
		if elem, ok := strings.CutPrefix(typ, prefix); ok {
			return shape, elem
		}
	}
	return "", ""
}

// calls returns the statements that read and write a value of a type.
func (m *modeler) calls(typ, value string) (read, write string) {
	in := m.codecOf(typ)
	if method, ok := strings.CutPrefix(in.read, "(*"+typ+")"); ok {
		return value + method + "(d)", value + strings.TrimPrefix(in.write, "(*"+typ+")") + "(e)"
	}
	shape, elem := shapeOf(typ)
	if in.std || shape == "" {
		return in.read + "(&" + value + ", d)", in.write + "(&" + value + ", e)"
	}
	in = m.codecOf(elem)
	return "read" + shape + "(&" + value + ", d, " + in.read + ")",
		"write" + shape + "(&" + value + ", e, " + in.write + ")"
}

// present returns the condition under which an optional field is written, as omitempty has it.
func present(shape model.Shape, typ, value string) string {
	switch {
	case strings.HasPrefix(typ, "*") || typ == "any":
		return value + " != nil"
	case strings.HasPrefix(typ, "[]") || isContainer(shape):
		return "len(" + value + ") > 0"
	case shape == model.Boolean:
		return value
	case shape == model.String:
		return value + ` != ""`
	}
	return value + " != 0"
}
