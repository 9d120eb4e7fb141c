package pipeline

import (
	"go/token"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/document"
)

// structs returns the Go types of an API's definitions, with their fields by the names that programs in Go have for them.
func (s *source) structs(api *document.API) []document.Class {
	declarations := s.Declarations()
	var classes []document.Class
	for _, definition := range api.Definitions {
		if definition.Kubernetes || definition.GoType.Name == "" {
			continue
		}
		class := document.Class{Definition: definition, Name: definition.GoType.Name}
		for _, field := range definition.Fields {
			found := declarations.Find(definition.GoType.Package, definition.GoType.Name, field.Key)
			if found == nil {
				continue
			}
			_, name, _ := strings.Cut(found.Name, ".") // a struct that inlines another has its fields, too
			class.Attrs = append(class.Attrs, document.Attr{Field: field, Name: name, Type: found.Type})
		}
		classes = append(classes, class)
	}
	return classes
}

// nowhere is where nothing is found.
func nowhere(string, string) token.Position { return token.Position{} }
