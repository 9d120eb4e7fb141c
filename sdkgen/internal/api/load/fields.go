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

// fields reports fields of exported structs that the generators and Go's encoding/json would
// treat differently, by type.
func (r *Result) fields(src *loader.Package) map[string]diag.List {
	found := map[string]diag.List{}
	err := markers.EachType(r.Collector, src, func(info *markers.TypeInfo) {
		if !ast.IsExported(info.Name) {
			return
		}
		for _, field := range info.Fields {
			if r.ignoreUnexported && field.Name != "" && !ast.IsExported(field.Name) {
				continue
			}
			if message, hint := checkTag(field, src.TypesInfo.TypeOf(field.RawField.Type)); message != "" {
				found[info.Name] = append(found[info.Name], diag.Diagnostic{Pos: r.position(field.RawField.Pos()), Rule: rule,
					Message: message, Hint: hint})
			}
		}
	})
	if err != nil {
		src.AddError(err)
	}
	return found
}

// checkTag returns the error in a field's json tag, and what to write; "" if there is none.
func checkTag(field markers.FieldInfo, t types.Type) (message, hint string) {
	tag, ok := field.Tag.Lookup("json")
	if !ok || tag == "-" || field.Name == "" {
		return "", ""
	}
	name, options, _ := strings.Cut(tag, ",")
	switch {
	case !ast.IsExported(field.Name):
		return "field " + field.Name + " has a json tag but is not exported: Go does not encode it",
			"export it, or write `json:\"-\"`"
	case name == "":
		return "the json tag of " + field.Name + " has no name: controller-gen inlines the field, openapi-gen omits it",
			fmt.Sprintf("write `json:%q`", field.Name+tag)
	case name == "-":
		return "the JSON name of " + field.Name + " is \"-\": openapi-gen omits the field", "choose another name"
	case isError(t): // controller-gen would panic
		return "field " + field.Name + " is an error, which encodes as {}", "use a string"
	case slices.Contains(strings.Split(options, ","), "string") && !isString(t) &&
		field.Markers.Get("kubebuilder:validation:Type") == nil:
		return "the json tag option \"string\" encodes " + field.Name +
				" as a string, which its type in the CRD does not allow",
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

// duplicateProperties reports structs with two properties of one name, their own or those of
// embedded structs, by type.
func (r *Result) duplicateProperties(pkg *types.Package) map[string]diag.List {
	found := map[string]diag.List{}
	for _, typeName := range pkg.Scope().Names() {
		obj, ok := pkg.Scope().Lookup(typeName).(*types.TypeName)
		if !ok || !obj.Exported() {
			continue
		}
		if s, ok := obj.Type().Underlying().(*types.Struct); ok {
			eachProperty(s, token.NoPos, map[string]bool{}, func(pos token.Pos, name string) {
				list := found[typeName]
				list.Add(r.position(pos), rule, "rename one of them",
					"%s has two properties named %s: the file that openapi-gen generates would not compile", typeName, name)
				found[typeName] = list
			})
		}
	}
	return found
}

// eachProperty visits the properties of a struct, and calls duplicate for a name that is in
// seen already. at is where an embedded struct is embedded.
func eachProperty(s *types.Struct, at token.Pos, seen map[string]bool, duplicate func(pos token.Pos, name string)) {
	for i := range s.NumFields() {
		field := s.Field(i)
		pos := cmp.Or(at, field.Pos())
		if inner, ok := pointee(field.Type()).Underlying().(*types.Struct); ok && inlined(s, i) {
			eachProperty(inner, pos, seen, duplicate)
			continue
		}
		name, _, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		if seen[name] {
			duplicate(pos, name)
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
