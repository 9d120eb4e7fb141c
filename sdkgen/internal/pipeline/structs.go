package pipeline

import (
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/document"
)

// structs returns the Go types of an API's definitions, with their fields by the names that programs in Go have for them.
func (s *source) structs(api *document.API) []document.Class {
	packages := map[string]*types.Package{}
	var add func(pkg *types.Package)
	add = func(pkg *types.Package) {
		if packages[pkg.Path()] == nil {
			packages[pkg.Path()] = pkg
			for _, imported := range pkg.Imports() {
				add(imported)
			}
		}
	}
	for _, pkg := range s.Packages {
		add(pkg.Source.Types)
	}
	var classes []document.Class
	for _, definition := range api.Definitions {
		pkg := packages[definition.GoType.Package]
		if pkg == nil || definition.Kubernetes {
			continue
		}
		object := pkg.Scope().Lookup(definition.GoType.Name)
		if object == nil {
			continue
		}
		if declared, ok := object.Type().Underlying().(*types.Struct); ok {
			fields := map[string]document.Attr{}
			properties(declared, pkg, fields)
			class := document.Class{Definition: definition, Name: definition.GoType.Name}
			for _, field := range definition.Fields {
				if attr, ok := fields[field.Key]; ok {
					attr.Field = field
					class.Attrs = append(class.Attrs, attr)
				}
			}
			classes = append(classes, class)
		}
	}
	return classes
}

// properties adds the fields of a struct by their JSON keys, those of structs that are inlined too.
func properties(s *types.Struct, pkg *types.Package, to map[string]document.Attr) {
	for i := range s.NumFields() {
		field := s.Field(i)
		key, _, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get("json"), ",")
		switch inner, isStruct := field.Type().Underlying().(*types.Struct); {
		case key == "" && field.Embedded() && isStruct:
			properties(inner, pkg, to)
		case key != "":
			short := func(other *types.Package) string {
				if other == pkg {
					return ""
				}
				return other.Name()
			}
			to[key] = document.Attr{Name: field.Name(), Type: types.TypeString(field.Type(), short)}
		}
	}
}

// nowhere is where nothing is found.
func nowhere(string, string) token.Position { return token.Position{} }
