package golang

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/token"
	"go/types"
	"path"
	"strconv"
	"strings"
	"unicode"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

const metav1 = "k8s.io/apimachinery/pkg/apis/meta/v1"

var (
	typeMeta      = model.GoType{Package: metav1, Name: "TypeMeta"}
	metaTime      = model.GoType{Package: metav1, Name: "Time"}
	duration      = model.GoType{Package: metav1, Name: "Duration"}
	metaCondition = model.GoType{Package: metav1, Name: "Condition"}
	intOrString   = model.GoType{Package: "k8s.io/apimachinery/pkg/util/intstr", Name: "IntOrString"}
	ptrTo         = model.GoType{Package: "k8s.io/utils/ptr", Name: "To"} // a function
)

// use notes an import and returns the qualified name of a type, or of a function.
func (m *modeler) use(object model.GoType) string {
	alias, ok := m.imports[object.Package]
	if !ok {
		alias = m.freeAlias(object.Package)
		m.imports[object.Package] = alias
	}
	return alias + "." + object.Name
}

// freeAlias names a package as Kubernetes code does: corev1, metav1, intstr.
func (m *modeler) freeAlias(pkg string) string {
	alias := path.Base(pkg)
	if model.IsVersion(alias) {
		alias = path.Base(path.Dir(pkg)) + alias
	}
	alias = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, alias)
	if alias == "" || unicode.IsDigit([]rune(alias)[0]) {
		alias = "pkg" + alias
	}
	taken := map[string]bool{"json": true} // which every model's file imports
	for _, other := range m.imports {
		taken[other] = true
	}
	return model.Free(alias, func(name string) bool {
		return taken[name] || token.IsKeyword(name) || types.Universe.Lookup(name) != nil
	})
}

// typeOf returns the Go type of values, without a pointer.
func (m *modeler) typeOf(t *model.Type) string {
	switch {
	case t == nil:
		return "any"
	case t.Shape == model.Reference && t.Definition.Kubernetes:
		return m.use(t.Definition.GoType)
	case t.Shape == model.Reference:
		m.own[t.Definition.Name] = true
		return t.Definition.Name
	case t.GoType.Name != "":
		return m.use(t.GoType)
	}
	switch t.Shape {
	case model.IntOrString:
		return m.use(intOrString)
	case model.Array:
		return "[]" + m.typeOf(t.Elem)
	case model.Map:
		return "map[string]" + m.typeOf(t.Elem)
	case model.Object:
		return "map[string]any"
	case model.Time:
		return m.use(metaTime)
	case model.String:
		switch t.Format {
		case "byte":
			return "[]byte"
		case "":
			return cmp.Or(m.enum(t.Enum), "string")
		}
		return "string"
	case model.Boolean:
		return "bool"
	case model.Integer:
		if t.Format == "int32" || t.Format == "int64" {
			return t.Format
		}
		return "int"
	case model.Number:
		return "float64"
	}
	return "any"
}

// needsPointer says whether an optional field of a type must be a pointer to tell absent from zero.
func needsPointer(property *model.Field, typ string) bool {
	switch property.Shape {
	case model.Reference, model.Time, model.IntOrString:
		return true
	}
	switch {
	case property.Pointer || isStruct(&property.Type):
		return true
	case typ == "any" || strings.HasPrefix(typ, "[]") || isContainer(property.Shape):
		return false
	}
	if property.Default == nil {
		return property.Nullable
	}
	return property.Default != false && property.Default != "" && property.Default != 0.0
}

// isContainer says whether values of a shape hold others.
func isContainer(shape model.Shape) bool {
	return shape == model.Array || shape == model.Map || shape == model.Object
}

// isStruct says whether the type of another module that is written out is, or may be, a struct, which
// omitempty would never leave out.
func isStruct(t *model.Type) bool {
	if t.GoType.Name == "" {
		return false
	}
	switch t.Shape {
	case model.Object, model.Any, model.IntOrString:
		return true
	case model.String, model.Time:
		return !strings.HasPrefix(t.GoType.Package, "k8s.io/") || t.GoType == duration
	}
	return false
}

// defaultOf returns the declared default as an expression of the field's type; "" if there is
// none, or if it is the zero value, or a struct's (which the API server fills in).
func (m *modeler) defaultOf(property *model.Field, fieldType string) (string, error) {
	base, pointer := strings.CutPrefix(fieldType, "*")
	basic := base
	named := property.Shape == model.String && property.GoType.Name != "" && !isStruct(&property.Type)
	if named || m.enums[base] {
		basic = "string"
	}
	if property.Default == nil || !isBasic(basic) {
		return "", nil
	}
	expr, ok := constant(property.Default, basic)
	if !ok {
		return "", fmt.Errorf("the default %#v is no %s", property.Default, basic)
	}
	if !pointer {
		return "", nil
	}
	return fmt.Sprintf("%s[%s](%s)", m.use(ptrTo), base, expr), nil
}

// constant returns a value as source, and whether it can be of a basic type.
func constant(value any, basic string) (string, bool) {
	switch v := value.(type) {
	case bool:
		return strconv.FormatBool(v), basic == "bool"
	case string:
		return quote(v), basic == "string"
	case float64:
		return number(model.FormatNumber(v), basic)
	case json.Number:
		return number(v.String(), basic)
	}
	return "", false
}

func number(source, basic string) (string, bool) {
	bits, ok := map[string]int{"int": 64, "int32": 32, "int64": 64}[basic]
	if !ok {
		_, err := strconv.ParseFloat(source, 64)
		return source, basic == "float64" && err == nil
	}
	_, err := strconv.ParseInt(source, 10, bits)
	return source, err == nil
}

func isBasic(name string) bool {
	_, ok := basics[name]
	return ok || name == "float64"
}
