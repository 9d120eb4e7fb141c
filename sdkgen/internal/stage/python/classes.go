package python

import (
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

// Classes returns the classes that the SDK has, in the order of the document's definitions, with their attributes in
// that of its fields. The type of an optional attribute is without Optional.
func Classes(api *model.API) []model.Class {
	classes := []model.Class{}
	for _, definition := range api.Definitions {
		if definition.Kubernetes {
			continue
		}
		classes = append(classes, ClassOf(definition))
	}
	return classes
}

// ClassOf returns the class of a definition, also of one of Kubernetes, whose class is of the package kubernetes.
func ClassOf(definition *model.Definition) model.Class {
	m := newModeler()
	class := model.Class{Definition: definition, Name: definition.Name}
	for _, property := range definition.Fields {
		hint := m.field(property, rootOf(definition)).Hint
		if inner, optional := strings.CutPrefix(hint, "Optional["); optional {
			hint = strings.TrimSuffix(inner, "]")
		}
		class.Attrs = append(class.Attrs, model.Attr{Field: property, Name: attribute(property.Key), Type: hint})
	}
	return class
}
