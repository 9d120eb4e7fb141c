package gosdk

import (
	"encoding/json"
	"fmt"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-openapi/spec"

	"github.com/flux-framework/flux-operator/sdkgen/internal/swagger"
)

const (
	metav1 = "k8s.io/apimachinery/pkg/apis/meta/v1"
	intstr = "k8s.io/apimachinery/pkg/util/intstr"
	ptr    = "k8s.io/utils/ptr"
)

// use notes an import and returns the type's qualified name.
func (m *modeler) use(pkg, name string) string {
	alias, ok := m.imports[pkg]
	if !ok {
		alias = m.freeAlias(pkg)
		m.imports[pkg] = alias
	}
	return alias + "." + name
}

var versionName = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// freeAlias names a package as Kubernetes code does: corev1, metav1, intstr.
func (m *modeler) freeAlias(pkg string) string {
	alias := path.Base(pkg)
	if versionName.MatchString(alias) {
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
	free := alias
	for n := 2; taken[free] || token.IsKeyword(free) || types.Universe.Lookup(free) != nil; n++ {
		free = alias + strconv.Itoa(n)
	}
	return free
}

// typeOf returns the Go type of a schema, without a pointer.
func (m *modeler) typeOf(schema spec.Schema) string {
	if name := swagger.Referenced(schema); name != "" {
		if target, ok := m.doc.Definitions[name]; ok && swagger.IsKubernetes(target) {
			return m.use(swagger.GoType(target))
		}
		return name
	}
	if pkg, name := swagger.GoType(schema); name != "" {
		return m.use(pkg, name)
	}
	switch {
	case swagger.IsIntOrString(schema):
		return m.use(intstr, "IntOrString")
	case schema.Type.Contains("array"):
		if schema.Items == nil || schema.Items.Schema == nil {
			return "[]any"
		}
		return "[]" + m.typeOf(*schema.Items.Schema)
	case schema.Type.Contains("object"):
		if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
			return "map[string]" + m.typeOf(*schema.AdditionalProperties.Schema)
		}
		return "map[string]any"
	case schema.Type.Contains("string"):
		return stringType(m, schema.Format)
	case schema.Type.Contains("boolean"):
		return "bool"
	case schema.Type.Contains("integer"):
		return integerType(schema.Format)
	case schema.Type.Contains("number"):
		return "float64"
	}
	return "any"
}

func stringType(m *modeler, format string) string {
	switch format {
	case "date-time":
		return m.use(metav1, "Time")
	case "byte":
		return "[]byte"
	}
	return "string"
}

func integerType(format string) string {
	switch format {
	case "int32", "int64":
		return format
	}
	return "int"
}

// needsPointer says whether an optional field of a type must be a pointer to tell absent from zero.
func needsPointer(schema spec.Schema, typ string) bool {
	switch {
	case swagger.IsPointer(schema):
		return true
	case swagger.Referenced(schema) != "" || schema.Format == "date-time" || swagger.IsIntOrString(schema) || isStruct(schema):
		return true
	case typ == "any" || strings.HasPrefix(typ, "[]") || schema.Type.Contains("array") || schema.Type.Contains("object"):
		return false
	}
	switch v := schema.Default.(type) {
	case nil:
		return schema.Nullable
	case bool:
		return v
	case string:
		return v != ""
	case float64:
		return v != 0
	}
	return true
}

// isStruct says whether the type of another module that a schema stands for is, or may be, a
// struct, which omitempty would never leave out.
func isStruct(schema spec.Schema) bool {
	pkg, name := swagger.GoType(schema)
	switch {
	case name == "" || schema.Type.Contains("array"):
		return false
	case schema.Type.Contains("object"):
		return schema.AdditionalProperties == nil
	case schema.Type.Contains("string"):
		return !strings.HasPrefix(pkg, "k8s.io/") || pkg == metav1 && name == "Duration"
	}
	return len(schema.Type) == 0
}

// defaultOf returns the declared default as an expression of the field's type; "" if there is
// none, or if it is the zero value, or a struct's (which the API server fills in).
func (m *modeler) defaultOf(schema spec.Schema, fieldType string) (string, error) {
	base, pointer := strings.CutPrefix(fieldType, "*")
	kind := base
	if _, name := swagger.GoType(schema); name != "" && !isStruct(schema) && schema.Type.Contains("string") || m.enums[base] {
		kind = "string"
	}
	if schema.Default == nil || !isBasic(kind) {
		return "", nil
	}
	expr, ok := constant(schema.Default, kind)
	if !ok {
		return "", fmt.Errorf("the default %#v is no %s", schema.Default, kind)
	}
	if !pointer {
		return "", nil
	}
	return fmt.Sprintf("%s[%s](%s)", m.use(ptr, "To"), base, expr), nil
}

// constant returns a value as source, and whether it can be of a basic type.
func constant(value any, kind string) (string, bool) {
	switch v := value.(type) {
	case bool:
		return strconv.FormatBool(v), kind == "bool"
	case string:
		return quote(v), kind == "string"
	case float64:
		verb := byte('f')
		if kind == "float64" {
			verb = 'g'
		}
		return number(strconv.FormatFloat(v, verb, -1, 64), kind)
	case json.Number:
		return number(v.String(), kind)
	}
	return "", false
}

func number(source, kind string) (string, bool) {
	bits, ok := map[string]int{"int": 64, "int32": 32, "int64": 64}[kind]
	if !ok {
		_, err := strconv.ParseFloat(source, 64)
		return source, kind == "float64" && err == nil
	}
	_, err := strconv.ParseInt(source, 10, bits)
	return source, err == nil
}

func isBasic(name string) bool {
	switch name {
	case "bool", "string", "int", "int32", "int64", "float64":
		return true
	}
	return false
}
