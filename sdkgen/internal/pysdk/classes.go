package pysdk

import (
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/document"
)

// Classes returns the classes that the SDK has, in the order of the document's definitions, with their attributes in
// that of its fields. The type of an optional attribute is without Optional.
func Classes(api *document.API) []document.Class {
	classes := []document.Class{}
	for _, definition := range api.Definitions {
		if definition.Kubernetes {
			continue
		}
		classes = append(classes, ClassOf(definition))
	}
	return classes
}

// ClassOf returns the class of a definition, also of one of Kubernetes, whose class is of the package kubernetes.
func ClassOf(definition *document.Definition) document.Class {
	m := newModeler()
	class := document.Class{Definition: definition, Name: definition.Name}
	for _, property := range definition.Fields {
		hint := m.field(property, rootOf(definition)).Hint
		if inner, optional := strings.CutPrefix(hint, "Optional["); optional {
			hint = strings.TrimSuffix(inner, "]")
		}
		class.Attrs = append(class.Attrs, document.Attr{Field: property, Name: attribute(property.Key), Type: hint})
	}
	return class
}
