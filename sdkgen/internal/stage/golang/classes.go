package golang

import "github.com/flux-framework/flux-operator/sdkgen/internal/api/model"

// Classes returns the structs of the models, in the order of the document's definitions, with their fields in that of
// the definitions' fields. What the client embeds is left out.
func Classes(api *model.API) []model.Class {
	classes := []model.Class{}
	for _, definition := range api.Definitions {
		if definition.Kubernetes {
			continue
		}
		class := model.Class{Definition: definition, Name: definition.Name}
		if definition.Root != nil && definition.Root.List != nil {
			class.Accessor = apiOf(definition).Accessor
		}
		for _, property := range definition.Fields {
			if definition.Root != nil && (property.Key == "apiVersion" || property.Key == "kind" || property.Key == "metadata") {
				continue
			}
			m := newModeler(definition.Name)
			field, err := m.field(property)
			if err != nil {
				continue // an SDK cannot be made of it
			}
			attr := model.Attr{Field: property, Name: field.Name, Type: field.Type, Imports: map[string]string{}}
			for path, alias := range m.imports {
				attr.Imports[alias] = path
			}
			for _, enum := range m.model.Enums {
				for _, value := range enum.Values {
					attr.Constants = append(attr.Constants, value.Name)
				}
			}
			class.Attrs = append(class.Attrs, attr)
		}
		classes = append(classes, class)
	}
	return classes
}
