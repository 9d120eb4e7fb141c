package load

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// fields finds fields of exported structs of which the generators, and Go's own JSON, would
// each make something else.
func (r *Result) fields(src *loader.Package) diag.List {
	var list diag.List
	err := markers.EachType(r.Collector, src, func(info *markers.TypeInfo) {
		if !ast.IsExported(info.Name) {
			return
		}
		for _, field := range info.Fields {
			if message, hint := checkTag(field, src.TypesInfo.TypeOf(field.RawField.Type)); message != "" {
				list.Add(r.position(field.RawField.Pos()), rule, hint, "%s", message)
			}
		}
	})
	if err != nil {
		list.Add(token.Position{Filename: src.PkgPath}, rule, "", "reading markers: %v", err)
	}
	return list
}

// checkTag says what is wrong with a field's json tag, and what to do; nothing if it is fine.
func checkTag(field markers.FieldInfo, t types.Type) (message, hint string) {
	tag, ok := field.Tag.Lookup("json")
	if !ok || tag == "-" || field.Name == "" {
		return "", ""
	}
	name, options, _ := strings.Cut(tag, ",")
	switch {
	case !ast.IsExported(field.Name):
		return "the field " + field.Name + " has a json tag but is not exported: it would be a property that Go never writes",
			"export it, or write `json:\"-\"`"
	case name == "":
		return "the json tag of " + field.Name + " has no name: controller-gen would inline the field, and openapi-gen leave it out",
			fmt.Sprintf("write `json:%q`", field.Name+tag)
	case name == "-":
		return "the json tag of " + field.Name + " names it -: openapi-gen would leave it out", "take another name"
	case isError(t): // controller-gen would panic
		return "an error has no JSON: " + field.Name + " would be written as {}", "take a string"
	case slices.Contains(strings.Split(options, ","), "string") && !isString(t) && field.Markers.Get("kubebuilder:validation:Type") == nil:
		return "Go writes " + field.Name + " as a string, for its json tag says so; the CRD would refuse that",
			"add // +kubebuilder:validation:Type=string"
	}
	return "", ""
}

func isError(t types.Type) bool {
	return types.Identical(pointee(t), types.Universe.Lookup("error").Type())
}

func isString(t types.Type) bool {
	basic, ok := pointee(t).Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsString != 0
}

// twins finds structs with two properties of one name, of their own or of structs that they embed.
func (r *Result) twins(pkg *types.Package) diag.List {
	var list diag.List
	for _, typeName := range pkg.Scope().Names() {
		obj, ok := pkg.Scope().Lookup(typeName).(*types.TypeName)
		if !ok || !obj.Exported() {
			continue
		}
		if s, ok := obj.Type().Underlying().(*types.Struct); ok {
			eachProperty(s, token.NoPos, map[string]bool{}, func(pos token.Pos, name string) {
				list.Add(r.position(pos), rule, "rename one of the two", "%s has a second property %s: openapi-gen's file would not compile", typeName, name)
			})
		}
	}
	return list
}

// eachProperty goes through the properties of a struct, and calls twin for a name that is in
// seen already. at is where an embedded struct is embedded.
func eachProperty(s *types.Struct, at token.Pos, seen map[string]bool, twin func(pos token.Pos, name string)) {
	for i := range s.NumFields() {
		field := s.Field(i)
		pos := cmp.Or(at, field.Pos())
		if inner, ok := pointee(field.Type()).Underlying().(*types.Struct); ok && inlined(s, i) {
			eachProperty(inner, pos, seen, twin)
			continue
		}
		name, _, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		if seen[name] {
			twin(pos, name)
		}
		seen[name] = true
	}
}

func pointee(t types.Type) types.Type {
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		return pointer.Elem()
	}
	return t
}
