package gosdk

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/go-openapi/spec"

	"github.com/flux-framework/flux-operator/sdkgen/internal/swagger"
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

// enum returns the type of a property, or of a list's or map's elements, that has a list of values:
// one of its own, named after the model and the field. It is empty where there is none.
func (m *modeler) enum(out *Model, field string, schema spec.Schema) string {
	switch {
	case schema.Type.Contains("array") && schema.Items != nil && schema.Items.Schema != nil:
		return wrapped("[]", m.enum(out, field, *schema.Items.Schema))
	case schema.Type.Contains("object") && schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil:
		return wrapped("map[string]", m.enum(out, field, *schema.AdditionalProperties.Schema))
	case !schema.Type.Contains("string") || schema.Format != "" || len(schema.Enum) == 0 || swagger.IsIntOrString(schema):
		return ""
	}
	if _, goType := swagger.GoType(schema); goType != "" {
		return ""
	}
	name := out.Name + field
	enum := Enum{Name: name, Doc: comment(name+" is one of the values that "+out.Name+"."+field+" can have.", "", "")}
	taken := map[string]bool{}
	for _, value := range schema.Enum {
		text, ok := value.(string)
		if !ok {
			return ""
		}
		enum.Values = append(enum.Values, Constant{Name: free(taken, name+suffix(text)), Type: name, Value: quote(text)})
	}
	out.Enums, m.enums[name] = append(out.Enums, enum), true
	return name
}

func wrapped(prefix, typ string) string {
	if typ == "" {
		return ""
	}
	return prefix + typ
}

// suffix turns a value into the end of a constant's name.
func suffix(value string) string {
	if value == "" {
		return "Empty"
	}
	var b strings.Builder
	upper := true
	for _, r := range value {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			upper = true
			continue
		}
		if upper {
			r = unicode.ToUpper(r)
		}
		b.WriteRune(r)
		upper = false
	}
	if b.Len() == 0 {
		return "Value"
	}
	return b.String()
}

// free returns a name, with a number behind it if it is taken, and takes it.
func free(taken map[string]bool, name string) string {
	found := name
	for n := 2; taken[found]; n++ {
		found = name + strconv.Itoa(n)
	}
	taken[found] = true
	return found
}
