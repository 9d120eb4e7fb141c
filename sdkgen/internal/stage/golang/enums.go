package golang

import (
	"cmp"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

// Enum is a named string type and its values.
type Enum struct {
	Name   string     `json:"name"`
	Doc    string     `json:"doc"` // comment, every line with its //
	Values []Constant `json:"values"`
}

// Constant is one value of an Enum.
type Constant struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Value string `json:"value"` // a Go literal
}

// enum returns the type of strings that have a list of values: one of its own, named after the model
// and the field. It is empty where there is none.
func (m *modeler) enum(values []any) string {
	name := m.model.Name + m.enumOf
	enum := Enum{Name: name, Doc: comment(name+" is one of the values that "+m.model.Name+"."+m.enumOf+" can have.", "",
		"")}
	taken := map[string]bool{}
	for _, value := range values {
		text, ok := value.(string)
		if !ok {
			return ""
		}
		constant := model.Free(name+suffix(text), func(name string) bool { return taken[name] })
		taken[constant] = true
		enum.Values = append(enum.Values, Constant{Name: constant, Type: name, Value: quote(text)})
	}
	if len(values) == 0 {
		return ""
	}
	m.model.Enums, m.enums[name] = append(m.model.Enums, enum), true
	return name
}

// suffix turns a value into the end of a constant's name.
func suffix(value string) string {
	if value == "" {
		return "Empty"
	}
	return cmp.Or(camel(value), "Value")
}
