package pysdk

import (
	"strings"

	"github.com/go-openapi/spec"

	"github.com/flux-framework/flux-operator/sdkgen/internal/swagger"
)

// pyType is a type in both spellings.
type pyType struct {
	legacy string // as openapi_types has it: list[int], dict(str, X)
	hint   string // as annotations have it: List[int], Dict[str, X]
}

var anything = pyType{"object", "Any"}

// typeOf returns the type of a property's schema, and notes what it refers to.
func (m *modeler) typeOf(schema spec.Schema) pyType {
	if name := swagger.Referenced(schema); name != "" {
		target, ok := m.doc.Definitions[name]
		if ok && swagger.IsKubernetes(target) {
			m.external[name] = true
		} else {
			m.imports[name] = true
		}
		return pyType{name, name}
	}
	if swagger.IsIntOrString(schema) {
		return pyType{"object", "Union[" + m.builtin("int") + ", " + m.builtin("str") + "]"}
	}
	switch {
	case schema.Type.Contains("array"):
		item := anything
		if schema.Items != nil && schema.Items.Schema != nil {
			item = m.typeOf(*schema.Items.Schema)
		}
		return pyType{"list[" + item.legacy + "]", "List[" + item.hint + "]"}
	case schema.Type.Contains("object"):
		if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
			value := m.typeOf(*schema.AdditionalProperties.Schema)
			return pyType{"dict(str, " + value.legacy + ")", "Dict[" + m.builtin("str") + ", " + value.hint + "]"}
		}
		return pyType{"object", "Dict[" + m.builtin("str") + ", Any]"}
	case schema.Type.Contains("string") && schema.Format == "date-time":
		m.datetime = true
		return pyType{"datetime", m.datetimeHint()}
	}
	found := anything
	for _, name := range schema.Type {
		typ, ok := scalars[name]
		switch {
		case !ok:
		case found != anything && found.legacy != typ:
			return anything
		default:
			found = pyType{typ, m.builtin(typ)}
		}
	}
	if literals := choices(schema); literals != "" {
		found.hint = "Literal[" + literals + "]"
	}
	return found
}

var scalars = map[string]string{"string": "str", "integer": "int", "number": "float", "boolean": "bool"}

// choices returns the values of an enum of strings or whole numbers, as Literal takes them.
func choices(schema spec.Schema) string {
	var out []string
	for _, value := range schema.Enum {
		text := literal(value)
		if !strings.HasPrefix(text, "'") && !wholeNumber.MatchString(text) {
			return ""
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// builtin spells a built-in type in a hint. In a class that has an attribute of that name,
// the name alone would be the attribute.
func (m *modeler) builtin(name string) string {
	if !m.attributes[name] {
		return name
	}
	m.builtins = true
	return "builtins." + name
}

// datetimeHint does the same for datetime, which is imported.
func (m *modeler) datetimeHint() string {
	if m.attributes["datetime"] {
		return "_datetime"
	}
	return "datetime"
}
