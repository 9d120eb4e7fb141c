package python

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

// pyType is a type in both spellings.
type pyType struct {
	legacy string // as openapi_types has it: list[int], dict(str, X)
	hint   source // as annotations have it: List[int], Dict[str, X]
}

// references are what annotations of a module name.
type references struct {
	imports  map[string]bool // models
	external map[string]bool // classes of kubernetes.client
	typing   map[string]bool // names of typing
	standard map[string]bool // statements that import what else they name of the standard library
}

func newReferences() references {
	return references{imports: map[string]bool{}, external: map[string]bool{}, typing: map[string]bool{},
		standard: map[string]bool{}}
}

// hint returns a type of typing, and notes it.
func (r references) hint(name string, parameters ...source) source {
	r.typing[name] = true
	if len(parameters) == 0 {
		return atom(name)
	}
	return subscript(name, parameters...)
}

// checked returns what is imported for type checkers only, indented by four blanks: sections of the standard library,
// other packages and the models' package, with blank lines between.
func (r references) checked(models string, others ...string) string {
	standard := slices.Sorted(maps.Keys(r.standard)) // "from datetime" is behind "import builtins"
	slices.Reverse(standard)
	sections := [][]string{standard, others, nil}
	if len(r.external) > 0 {
		sections[1] = slices.Insert(sections[1], 0, importOf("kubernetes.client", r.external, 4))
	}
	if len(r.imports) > 0 {
		sections[2] = []string{importOf(models, r.imports, 4)}
	}
	var out []string
	for _, section := range sections {
		if len(section) > 0 {
			out = append(out, "    "+strings.Join(section, "\n    "))
		}
	}
	return strings.Join(out, "\n\n")
}

// builtins returns a built-in type for annotations where its name has another meaning.
func (r references) builtins(name string) string {
	r.standard["import builtins"] = true
	return "builtins." + name
}

// use notes the class of a definition and returns its name.
func (r references) use(definition *model.Definition) string {
	if definition.Kubernetes {
		r.external[definition.Name] = true
	} else {
		r.imports[definition.Name] = true
	}
	return definition.Name
}

// typeOf returns the type of values, and notes what its hint names.
func (m *modeler) typeOf(t *model.Type) pyType {
	if t == nil {
		t = &model.Type{}
	}
	switch t.Shape {
	case model.Reference:
		name := m.use(t.Definition)
		return pyType{name, atom(name)}
	case model.IntOrString:
		return pyType{"object", m.hint("Union", m.builtin("int"), m.builtin("str"))}
	case model.Array:
		item := m.typeOf(t.Elem)
		return pyType{"list[" + item.legacy + "]", m.hint("List", item.hint)}
	case model.Map, model.Object:
		value := m.typeOf(t.Elem)
		dict := pyType{"dict(str, " + value.legacy + ")", m.hint("Dict", m.builtin("str"), value.hint)}
		if t.Elem == nil {
			dict.legacy = "object"
		}
		return dict
	case model.Time:
		return pyType{"datetime", m.datetime()}
	}
	legacy, scalar := scalars[t.Shape]
	out := pyType{legacy: cmp.Or(legacy, "object")}
	literals := choices(t.Enum)
	switch {
	case literals != nil:
		out.hint = m.hint("Literal", literals...)
	case scalar:
		out.hint = m.builtin(legacy)
	default:
		out.hint = m.hint(anything)
	}
	return out
}

// anything is the type of values whose type is not known.
const anything = "Any"

var scalars = map[model.Shape]string{model.String: "str", model.Integer: "int", model.Number: "float",
	model.Boolean: "bool"}

// choices returns the values of an enum of strings or whole numbers, as Literal takes them, else nil.
func choices(enum []any) []source {
	var out []source
	for _, value := range enum {
		_, isText := value.(string)
		if !isText && !wholeNumber.MatchString(Literal(value)) {
			return nil
		}
		out = append(out, atom(Literal(value)))
	}
	return out
}

// builtin spells a built-in type in a hint. In a class that has an attribute of that name,
// the name alone would be the attribute.
func (m *modeler) builtin(name string) source {
	if !m.attributes[name] {
		return atom(name)
	}
	return atom(m.builtins(name))
}

// datetime does the same for datetime, which is imported.
func (m *modeler) datetime() source {
	if m.attributes["datetime"] {
		m.standard["from datetime import datetime as _datetime"] = true
		return atom("_datetime")
	}
	m.standard["from datetime import datetime"] = true
	return atom("datetime")
}
