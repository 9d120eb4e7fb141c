package pysdk

import (
	"github.com/go-openapi/spec"

	"github.com/flux-framework/flux-operator/internal/swagger"
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
		return pyType{"object", "Union[int, str]"}
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
			return pyType{"dict(str, " + value.legacy + ")", "Dict[str, " + value.hint + "]"}
		}
		return pyType{"object", "Dict[str, Any]"}
	case schema.Type.Contains("string") && schema.Format == "date-time":
		m.datetime = true
		return pyType{"datetime", "datetime"}
	}
	found := anything
	for _, name := range schema.Type {
		typ, ok := scalars[name]
		switch {
		case ok && found == anything:
			found = typ
		case ok && found != typ:
			return anything
		}
	}
	return found
}

var scalars = map[string]pyType{
	"string":  {"str", "str"},
	"integer": {"int", "int"},
	"number":  {"float", "float"},
	"boolean": {"bool", "bool"},
}
