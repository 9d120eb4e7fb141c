package explain

import (
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

// intOrString is the type of a value that is a number or a string.
const intOrString = "IntOrString"

// typeOf spells a type as kubectl explain does: []string, map[string]Object, ObjectMeta for a type of Kubernetes that
// no CRD has. kubectl has Object for what may be an integer or a string.
func typeOf(s *schema, t *model.Type) string {
	var elem *model.Type
	if t != nil {
		elem = t.Elem
	}
	switch {
	case s.Items != nil && s.Items.Schema != nil:
		return "[]" + typeOf(s.Items.Schema, elem)
	case s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
		return "map[string]" + typeOf(s.AdditionalProperties.Schema, elem)
	case s.XIntOrString:
		return intOrString
	case s.Title != "": // document.Type.Schema
		return s.Title
	case s.Type == "" || s.Type == "object":
		return "Object"
	}
	return s.Type
}
