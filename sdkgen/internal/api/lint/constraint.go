package lint

import (
	"encoding/json"
	"go/constant"
	"go/types"
	"strconv"
	"strings"

	gengotypes "k8s.io/gengo/v2/types"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
)

// constraint is one validation that a marker puts on a value, or on something inside it.
type constraint struct {
	keyword string // of JSON schema: "maximum", "minLength"
	path    string // "" for the value itself, "items:" for its items, "properties:NAME:" and so on
	value   any    // float64, int64, bool, string or []any
	marker  *marker

	exclusive bool // of a bound: it is no value itself; set where that is asked
}

// constraints returns the validations of a declaration's own markers, in the order of the source.
func (l *linter) constraints(decl *declaration) []constraint {
	var out []constraint
	for _, m := range decl.markers {
		if m.known == nil {
			continue
		}
		path := ""
		if strings.HasPrefix(m.known.name, crdmarkers.ValidationItemsPrefix) {
			path = "items:"
		}
		if keyword, value := keywordOf(m.value); keyword != "" {
			out = append(out, constraint{keyword: keyword, path: path, value: value, marker: m})
		} else if rest, ok := strings.CutPrefix(m.known.name, validationPrefix); ok && m.place == inDoc {
			if c, ok := openapiConstraint(rest, m); ok {
				out = append(out, c)
			}
		} else if keyword := declarative[m.known.name]; keyword != "" {
			text, _, _ := strings.Cut(valueOf(m), "#") // a comment
			if n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil {
				out = append(out, constraint{keyword: keyword, value: n, marker: m})
			}
		} else if m.known.name == "enum" || m.known.name == "k8s:enum" {
			if values := constantsOf(decl); len(values) > 0 {
				out = append(out, constraint{keyword: "enum", value: values, marker: m})
			}
		}
	}
	return out
}

// declarative are validation-gen's markers with a number for which controller-gen has one under
// another name only.
var declarative = map[string]string{
	"k8s:maxLength": "maxLength", "k8s:minLength": "minLength", "k8s:minItems": "minItems",
	"k8s:maxProperties": "maxProperties", "k8s:minProperties": "minProperties",
}

// keywordOf returns the schema keyword that a value of controller-gen's parser sets.
func keywordOf(value any) (string, any) {
	switch v := value.(type) {
	case crdmarkers.Maximum:
		return "maximum", float64(v)
	case crdmarkers.Minimum:
		return "minimum", float64(v)
	case crdmarkers.ExclusiveMaximum:
		return "exclusiveMaximum", bool(v)
	case crdmarkers.ExclusiveMinimum:
		return "exclusiveMinimum", bool(v)
	case crdmarkers.MultipleOf:
		return "multipleOf", float64(v)
	case crdmarkers.MaxLength:
		return "maxLength", int64(v)
	case crdmarkers.MinLength:
		return "minLength", int64(v)
	case crdmarkers.Pattern:
		return "pattern", string(v)
	case crdmarkers.MaxItems:
		return "maxItems", int64(v)
	case crdmarkers.MinItems:
		return "minItems", int64(v)
	case crdmarkers.UniqueItems:
		return "uniqueItems", bool(v)
	case crdmarkers.MaxProperties:
		return "maxProperties", int64(v)
	case crdmarkers.MinProperties:
		return "minProperties", int64(v)
	case crdmarkers.Format:
		return "format", string(v)
	case crdmarkers.Nullable:
		return "nullable", true
	case crdmarkers.Enum:
		values := []any{}
		if decoded, ok := decode(asJSON(v)).([]any); ok {
			values = decoded
		}
		return "enum", values
	}
	return "", nil
}

// openapiConstraint reads one of kube-openapi's validations; path is what follows the prefix.
func openapiConstraint(path string, m *marker) (constraint, bool) {
	cut := strings.LastIndexByte(path, ':') + 1
	c := constraint{keyword: path[cut:], path: path[:cut], marker: m, value: true}
	if strings.Contains(path, "cel[") {
		return c, false
	}
	_, text, assigned := strings.Cut(m.text, "=")
	if raw, ok := strings.CutPrefix(m.text, "+"+validationPrefix+path+">"); ok {
		c.value = strings.TrimSpace(raw)
		return c, true
	}
	if assigned {
		if !json.Valid([]byte(text)) {
			return c, false
		}
		c.value = decode(text)
	}
	switch c.keyword {
	case "maximum", "minimum", "multipleOf":
		if n, ok := c.value.(int64); ok {
			c.value = float64(n)
		}
	}
	return c, true
}

// constantsOf returns the values of a string type's constants, in the order of their names.
func constantsOf(decl *declaration) []any {
	var out []any
	if decl.name == nil {
		return nil
	}
	scope := decl.pkg.Types.Scope()
	for _, name := range scope.Names() {
		if c, ok := scope.Lookup(name).(*types.Const); ok && types.Identical(c.Type(), decl.name.Type()) &&
			c.Val().Kind() == constant.String {
			out = append(out, constant.StringVal(c.Val()))
		}
	}
	return out
}

// inherited returns the validations of the named types that a type is declared by, with theirs.
func (l *linter) inherited(t types.Type) []constraint {
	var out []constraint
	for t = deref(t); t != nil; {
		named, ok := types.Unalias(t).(*types.Named)
		if !ok || l.types[named.Obj()] == nil {
			break
		}
		decl := l.types[named.Obj()]
		out = append(out, l.constraints(decl)...)
		t = decl.typ
	}
	return out
}

// below returns those constraints that are on what a path leads to.
func below(all []constraint, path string) []constraint {
	var out []constraint
	for _, c := range all {
		if rest, ok := strings.CutPrefix(c.path, path); ok {
			c.path = rest
			out = append(out, c)
		}
	}
	return out
}

// gengoType returns as much of a declaration's type as kube-openapi looks at to see whether a
// validation applies; nil for types that it does not check, those with schemas of their own, and
// structs where the path leads into them.
func gengoType(decl *declaration, path string) *gengotypes.Type {
	t := deref(decl.typ)
	if t == nil {
		return nil
	}
	for _, method := range []string{"OpenAPISchemaType", "OpenAPIDefinition", "OpenAPIV3Definition",
		"OpenAPIV3OneOfTypes"} {
		if implements(t, method) {
			return nil
		}
	}
	switch t := t.Underlying().(type) {
	case *types.Struct:
		if !strings.HasPrefix(path, "properties:") {
			return &gengotypes.Type{Kind: gengotypes.Struct}
		}
	case *types.Basic:
		return &gengotypes.Type{Name: gengotypes.Name{Name: t.Name()}, Kind: gengotypes.Builtin}
	case *types.Slice, *types.Array:
		return &gengotypes.Type{Kind: gengotypes.Slice}
	case *types.Map:
		return &gengotypes.Type{Kind: gengotypes.Map}
	}
	return nil
}
