package pysdk

import (
	"cmp"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/document"
)

// pyType is a type in both spellings.
type pyType struct {
	legacy string // as openapi_types has it: list[int], dict(str, X)
	hint   string // as annotations have it: List[int], Dict[str, X]
}

var anything = pyType{"object", "Any"}

// references are the classes that annotations of a module name.
type references struct {
	imports  map[string]bool // models
	external map[string]bool // classes of kubernetes.client
}

func newReferences() references {
	return references{imports: map[string]bool{}, external: map[string]bool{}}
}

// use notes the class of a definition and returns its name.
func (r references) use(definition *document.Definition) string {
	if definition.Kubernetes {
		r.external[definition.Name] = true
	} else {
		r.imports[definition.Name] = true
	}
	return definition.Name
}

// typeOf returns the type of values, and notes what its hint names.
func (m *modeler) typeOf(t *document.Type) pyType {
	if t == nil {
		t = &document.Type{}
	}
	switch t.Shape {
	case document.Reference:
		name := m.use(t.Definition)
		return pyType{name, name}
	case document.IntOrString:
		return pyType{"object", m.hint("Union", m.builtin("int"), m.builtin("str"))}
	case document.Array:
		item := m.typeOf(t.Elem)
		return pyType{"list[" + item.legacy + "]", m.hint("List", item.hint)}
	case document.Map, document.Object:
		value := m.typeOf(t.Elem)
		dict := pyType{"dict(str, " + value.legacy + ")", m.hint("Dict", m.builtin("str"), value.hint)}
		if t.Elem == nil {
			dict.legacy = "object"
		}
		return dict
	case document.Time:
		m.datetime = true
		return pyType{"datetime", m.datetimeHint()}
	}
	legacy, scalar := scalars[t.Shape]
	hint := legacy
	if scalar {
		hint = m.builtin(legacy)
	}
	switch literals := choices(t.Enum); {
	case literals != "":
		hint = m.hint("Literal", literals)
	case !scalar:
		hint = m.hint("Any")
	}
	return pyType{cmp.Or(legacy, "object"), hint}
}

// hint returns a type of typing, and notes it.
func (m *modeler) hint(name string, parameters ...string) string {
	m.typing[name] = true
	if len(parameters) == 0 {
		return name
	}
	return name + "[" + strings.Join(parameters, ", ") + "]"
}

var scalars = map[document.Shape]string{document.String: "str", document.Integer: "int", document.Number: "float", document.Boolean: "bool"}

// choices returns the values of an enum of strings or whole numbers, as Literal takes them.
func choices(enum []any) string {
	var out []string
	for _, value := range enum {
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
