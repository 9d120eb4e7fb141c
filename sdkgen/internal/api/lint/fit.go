package lint

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"go/types"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// asJSON is a value as JSON, on one line.
func asJSON(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(data)
}

// decode reads JSON as the API server does: integers are int64. It returns nil for what is no JSON.
func decode(text string) any {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil {
		return nil
	}
	return goNumbers(value)
}

// goNumbers turns the json.Numbers in a decoded value into int64 or float64; one that is neither into a string.
func goNumbers(value any) any {
	switch v := value.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return f
	case []any:
		for i := range v {
			v[i] = goNumbers(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = goNumbers(v[key])
		}
	}
	return value
}

// custom makes a value of each type of Kubernetes whose JSON is not that of its Go type.
var custom = map[string]func() any{
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":       func() any { return new(metav1.Time) },
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":  func() any { return new(metav1.MicroTime) },
	"k8s.io/apimachinery/pkg/apis/meta/v1.Duration":   func() any { return new(metav1.Duration) },
	"k8s.io/apimachinery/pkg/api/resource.Quantity":   func() any { return new(resource.Quantity) },
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString": func() any { return new(intstr.IntOrString) },
}

// qualified is the name of a type with its import path, "" if it has none.
func qualified(t types.Type) string {
	if named, ok := deref(t).(*types.Named); ok && named.Obj().Pkg() != nil {
		return named.Obj().Pkg().Path() + "." + named.Obj().Name()
	}
	return ""
}

// matcher asks whether a JSON value is one of a type.
type matcher struct {
	l  *linter
	in *types.Package // for names in messages
}

// mismatch says why a JSON value is none of a type, "" if it is one. of is the field or type whose
// markers may override the type, nil if there is none; rules are the validations at the field.
func (l *linter) mismatch(at string, value any, t types.Type, subject *declaration, rules []constraint) string {
	var in *types.Package
	if subject != nil {
		in = subject.pkg.Types
	}
	return matcher{l, in}.mismatch(at, value, t, subject, rules)
}

func (f matcher) mismatch(at string, value any, t types.Type, subject *declaration, rules []constraint) string {
	if value == nil || t == nil {
		return ""
	}
	rules = append(slices.Clone(rules), f.l.inherited(t)...)
	if problem, done := f.overridden(at, value, t, subject); done {
		if problem != "" {
			return problem
		}
		return f.violated(at, value, rules)
	}
	if problem := f.wrongType(at, value, t); problem != "" {
		return problem
	}
	if problem := f.violated(at, value, rules); problem != "" {
		return problem
	}
	return f.inside(at, value, t, rules)
}

// overridden handles values whose JSON is not that of the Go type.
func (f matcher) overridden(at string, value any, t types.Type, subject *declaration) (problem string, done bool) {
	named, isNamed := deref(t).(*types.Named)
	declared := []*declaration{subject}
	if isNamed {
		declared = append(declared, f.l.types[named.Obj()])
	}
	for _, decl := range declared {
		if decl == nil {
			continue
		}
		if decl.tag.quoted {
			return f.isType(at, value, typeString, t), true
		}
		for _, m := range decl.markers {
			switch v := m.value.(type) {
			case crdmarkers.Type:
				return f.isType(at, value, jsonType(v), t), true
			case crdmarkers.Schemaless, crdmarkers.XIntOrString, crdmarkers.XPreserveUnknownFields, crdmarkers.XEmbeddedResource:
				return "", true
			}
		}
	}
	if !isNamed {
		return "", false
	}
	if empty := custom[qualified(t)]; empty != nil {
		if json.Unmarshal([]byte(asJSON(value)), empty()) != nil {
			return fmt.Sprintf("%s%s is not a valid %s", prefix(at), asJSON(value), named.Obj().Name()), true
		}
		return "", true
	}
	switch {
	case implements(named, "MarshalJSON"), implements(named, "UnmarshalJSON"):
		return "", true
	case implements(named, "MarshalText"):
		return f.isType(at, value, typeString, t), true
	}
	return "", false
}

// isType compares a value with a kind.
func (f matcher) isType(at string, value any, want jsonType, t types.Type) string {
	ok := true
	switch value := value.(type) {
	case string:
		ok = want == typeString
	case bool:
		ok = want == typeBoolean
	case int64:
		ok = want == typeInteger || want == typeNumber
	case float64:
		ok = want == typeNumber || want == typeInteger && value == math.Trunc(value)
	case []any:
		ok = want == typeArray
	case map[string]any:
		ok = want == typeObject
	}
	if ok {
		return ""
	}
	return fmt.Sprintf("%s%s is %s, not %s", prefix(at), asJSON(value), describe(value), f.needed(want, t))
}

func (f matcher) needed(want jsonType, t types.Type) string {
	name := typeName(t, f.in)
	if basic, ok := underlying(t).(*types.Basic); ok && basicType(basic) != want {
		return want.article() // a marker or the tag makes it so
	}
	return "of type " + name
}

func prefix(at string) string {
	if at == "" {
		return ""
	}
	return at + ": "
}

// wrongType compares a value with a type, without what is inside it.
func (f matcher) wrongType(at string, value any, t types.Type) string {
	want := jsonTypeOf(t)
	if want == typeAny {
		return ""
	}
	if problem := f.isType(at, value, want, t); problem != "" {
		return problem
	}
	if text, ok := value.(string); ok && itemOf(t) != nil {
		if _, err := base64.StdEncoding.DecodeString(text); err != nil {
			return fmt.Sprintf("%s%s is not base64, as a []byte is in JSON", prefix(at), asJSON(value))
		}
	}
	if n, ok := value.(int64); ok {
		if low, high, bounded := rangeOf(t); bounded && (n < low || n > high) {
			return fmt.Sprintf("%s%d is out of range for %s", prefix(at), n, typeName(t, f.in))
		}
	}
	return ""
}

// rangeOf returns the least and greatest value of an integer type.
func rangeOf(t types.Type) (low, high int64, ok bool) {
	basic, ok := underlying(t).(*types.Basic)
	if !ok {
		return 0, 0, false
	}
	switch basic.Kind() {
	case types.Int8:
		return math.MinInt8, math.MaxInt8, true
	case types.Int16:
		return math.MinInt16, math.MaxInt16, true
	case types.Int32:
		return math.MinInt32, math.MaxInt32, true
	case types.Uint8:
		return 0, math.MaxUint8, true
	case types.Uint16:
		return 0, math.MaxUint16, true
	case types.Uint32:
		return 0, math.MaxUint32, true
	case types.Uint, types.Uint64:
		return 0, math.MaxInt64, true
	}
	return 0, 0, false
}

// inside goes on with the items of a list, the values of a map and the properties of a struct.
func (f matcher) inside(at string, value any, t types.Type, rules []constraint) string {
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			if problem := f.mismatch(at+"["+strconv.Itoa(i)+"]", item, itemOf(t), nil, below(rules, "items:")); problem != "" {
				return problem
			}
		}
	case map[string]any:
		if m, ok := underlying(t).(*types.Map); ok {
			for _, key := range slices.Sorted(maps.Keys(value)) {
				if problem := f.mismatch(join(at, key), value[key], m.Elem(), nil,
					below(rules, "additionalProperties:")); problem != "" {
					return problem
				}
			}
			return ""
		}
		if _, ok := underlying(t).(*types.Struct); ok {
			return f.insideStruct(at, value, t, rules)
		}
	}
	return ""
}

func join(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}

func (f matcher) insideStruct(at string, value map[string]any, t types.Type, rules []constraint) string {
	known := map[string]property{}
	var names []string
	for _, p := range f.l.properties(t) {
		known[p.name] = p
		names = append(names, p.name)
	}
	for _, key := range slices.Sorted(maps.Keys(value)) {
		p, ok := known[key]
		if !ok {
			text := fmt.Sprintf("%s%s has no property %q", prefix(at), typeName(deref(t), f.in), key)
			if right := diag.Nearest(key, names); right != "" {
				text += fmt.Sprintf(", but it has %q", right)
			}
			return text
		}
		inner := below(rules, "properties:"+key+":")
		if p.decl != nil {
			inner = append(inner, f.l.constraints(p.decl)...)
		}
		if problem := f.mismatch(join(at, key), value[key], p.typ, p.decl, inner); problem != "" {
			return problem
		}
	}
	for _, name := range names {
		if p := known[name]; p.decl != nil && p.decl.required() {
			if _, ok := value[name]; !ok {
				return fmt.Sprintf("%s%s requires the property %q", prefix(at), typeName(deref(t), f.in), name)
			}
		}
	}
	return ""
}

// violated says which validation a value does not meet, by the API server's own validator.
func (f matcher) violated(at string, value any, rules []constraint) string {
	here := make([]constraint, 0, len(rules))
	for _, c := range rules {
		if c.path == "" {
			here = append(here, c)
		}
	}
	for _, c := range here {
		c.exclusive = slices.ContainsFunc(here, func(other constraint) bool {
			return other.value == true && (c.keyword == "maximum" && other.keyword == "exclusiveMaximum" ||
				c.keyword == "minimum" && other.keyword == "exclusiveMinimum")
		})
		schema, ok := schemaOf(c)
		if ok && validate.AgainstSchema(schema, value, strfmt.Default) != nil {
			return fmt.Sprintf("%s%s violates %s", prefix(at), asJSON(value), c.spelled())
		}
	}
	return ""
}

// spelled names a constraint for messages.
func (c constraint) spelled() string {
	if name := c.marker.known.name; name == "enum" || name == "k8s:enum" {
		return "+" + name + ": the constants of " + c.marker.decl.title + " are " + strings.Trim(asJSON(c.value), "[]")
	}
	if c.exclusive {
		return c.marker.text + ", which is exclusive"
	}
	return c.marker.text
}

// schemaOf returns a schema with one constraint.
func schemaOf(c constraint) (*spec.Schema, bool) {
	schema := &spec.Schema{}
	switch value := c.value.(type) {
	case float64:
		switch c.keyword {
		case "maximum":
			schema.Maximum, schema.ExclusiveMaximum = &value, c.exclusive
		case "minimum":
			schema.Minimum, schema.ExclusiveMinimum = &value, c.exclusive
		case "multipleOf":
			schema.MultipleOf = &value
		}
	case int64:
		for keyword, field := range map[string]**int64{
			"maxLength": &schema.MaxLength, "minLength": &schema.MinLength, "maxItems": &schema.MaxItems,
			"minItems":      &schema.MinItems,
			"maxProperties": &schema.MaxProperties, "minProperties": &schema.MinProperties,
		} {
			if keyword == c.keyword {
				*field = &value
			}
		}
	case bool:
		schema.UniqueItems = c.keyword == "uniqueItems" && value
	case string:
		switch c.keyword {
		case "pattern":
			schema.Pattern = value
		case "format":
			schema.Type, schema.Format = spec.StringOrArray{"string"}, value
		}
	case []any:
		schema.Enum = value
	}
	return schema, !(c.keyword == "multipleOf" && c.value == float64(0))
}
