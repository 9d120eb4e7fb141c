package describe

import (
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/gotypes"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

// Structs returns the Go types of an API's definitions, with their fields by the names that programs in Go have for
// them.
func Structs(s *gotypes.Source, api *model.API) []model.Class {
	declarations := s.API.Declarations()
	var classes []model.Class
	for _, definition := range api.Definitions {
		if definition.Kubernetes || definition.GoType.Name == "" {
			continue
		}
		class := model.Class{Definition: definition, Name: definition.GoType.Name}
		for _, field := range definition.Fields {
			found := declarations.Find(definition.GoType.Package, definition.GoType.Name, field.Key)
			if found == nil {
				continue
			}
			_, name, _ := strings.Cut(found.Name, ".") // a struct that inlines another has its fields, too
			class.Attrs = append(class.Attrs, model.Attr{Field: field, Name: name, Type: found.Type})
		}
		classes = append(classes, class)
	}
	return classes
}
