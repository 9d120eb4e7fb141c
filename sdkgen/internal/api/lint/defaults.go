package lint

import (
	"fmt"
	"go/constant"
	"go/types"
	"maps"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// declaredDefault is a default that a field declares.
type declaredDefault struct {
	marker *marker
	value  any // as JSON has it; nil if it is not known
}

var defaultsRule = Rule{
	ID:    "default",
	Doc:   "A default does not fit the Go type or the validations, or differs from another default.",
	check: schemaRule((*linter).checkDefaults),
}

// checkDefaults reports defaults that do not match the field's type or its validations, that
// openapi-gen rejects, and two that differ.
func (l *linter) checkDefaults(decl *declaration) {
	if decl.target != onField || decl.typ == nil {
		return
	}
	var found []declaredDefault
	for _, m := range decl.attached() {
		var d declaredDefault
		switch m.known.name {
		case "default":
			d = l.kubernetesDefault(m)
		case "kubebuilder:default":
			d = kubebuilderDefault(m)
		}
		if d.marker == nil || d.value == nil {
			continue
		}
		if problem := l.mismatch("", d.value, decl.typ, decl, l.constraints(decl)); problem != "" {
			l.complain(m, l.suggestValue(d), "+%s does not fit %s: %s", m.known.name, decl.title, problem)
		} else if m.known.name == "default" {
			l.checkEnforced(d)
			l.checkReference(m, d.value)
			l.checkExact(d)
		}
		found = append(found, d)
	}
	for i, d := range found {
		for _, before := range found[:i] {
			if d.marker.known != before.marker.known && asJSON(d.value) != asJSON(before.value) {
				l.complain(d.marker, "keep one of the two markers", "+%s is %s, +%s is %s",
					d.marker.known.name, asJSON(d.value), before.marker.known.name, asJSON(before.value))
			}
		}
	}
}

func kubebuilderDefault(m *marker) declaredDefault {
	parsed, ok := m.value.(crdmarkers.Default)
	if !ok {
		return declaredDefault{}
	}
	out := declaredDefault{m, decode(asJSON(parsed.Value))}
	// The parser cannot tell an empty list from an empty map.
	if empty, ok := out.value.(map[string]any); ok && len(empty) == 0 && jsonTypeOf(m.decl.typ) == typeArray {
		out.value = []any{}
	}
	return out
}

var reference = regexp.MustCompile(`^ref\(([^"]+)\)$`)

func (l *linter) kubernetesDefault(m *marker) declaredDefault {
	text := valueOf(m)
	ref := reference.FindStringSubmatch(text)
	if ref == nil {
		return declaredDefault{m, decode(text)}
	}
	pkg, name := m.decl.pkg.Types, ref[1]
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		path := name[:i]
		name = name[i+1:]
		pkg = imported(pkg, path)
	}
	if pkg == nil { // openapi-gen would import it
		l.checkReference(m, nil)
		return declaredDefault{}
	}
	c, ok := pkg.Scope().Lookup(name).(*types.Const)
	if !ok {
		var names []string
		for _, other := range pkg.Scope().Names() {
			if _, ok := pkg.Scope().Lookup(other).(*types.Const); ok {
				names = append(names, other)
			}
		}
		hint := ""
		if right := diag.Nearest(name, names); right != "" {
			hint = m.with(name, right)
		}
		l.complain(m, hint, "+default refers to %s, which is not a constant of package %s", name, pkg.Name())
		return declaredDefault{}
	}
	return declaredDefault{m, constantValue(c.Val())}
}

// checkReference reports a reference to a constant without the other marker beside it. value is
// that of the constant, nil if it is not known.
func (l *linter) checkReference(m *marker, value any) {
	if !reference.MatchString(valueOf(m)) || m.decl.has("kubebuilder:default") != nil {
		return
	}
	text := "…"
	if value != nil {
		text = asJSON(value)
	}
	l.complain(m, "add: +kubebuilder:default="+text,
		"controller-gen does not resolve the constant of %s: the CRD would have no default", m.text)
}

// checkExact reports a number that controller-gen rounds: it reads the marker's JSON as float64.
func (l *linter) checkExact(d declaredDefault) {
	if n, rounded := inexact(d.value); rounded && !reference.MatchString(valueOf(d.marker)) {
		hint := "the parser of +kubebuilder:default keeps integers as they are"
		if d.value == n {
			hint = fmt.Sprintf("+kubebuilder:default=%d", n)
		}
		l.complain(d.marker, hint, "%s: controller-gen rounds %d, which is beyond 2^53", d.marker.text, n)
	}
}

// inexact finds an integer that a float64 cannot hold.
func inexact(value any) (int64, bool) {
	switch v := value.(type) {
	case int64:
		exact, accuracy := new(big.Float).SetInt64(v).Float64()
		return v, accuracy != big.Exact || exact >= math.MaxInt64
	case []any:
		for _, item := range v {
			if n, rounded := inexact(item); rounded {
				return n, true
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if n, rounded := inexact(v[key]); rounded {
				return n, true
			}
		}
	}
	return 0, false
}

func imported(pkg *types.Package, path string) *types.Package {
	if pkg.Path() == path {
		return pkg
	}
	for _, other := range pkg.Imports() {
		if other.Path() == path && other.Complete() {
			return other
		}
	}
	return nil
}

func constantValue(value constant.Value) any {
	switch value.Kind() {
	case constant.Bool:
		return constant.BoolVal(value)
	case constant.String:
		return constant.StringVal(value)
	case constant.Int:
		if n, exact := constant.Int64Val(value); exact {
			return n
		}
	case constant.Float:
		f, _ := constant.Float64Val(value)
		return f
	}
	return nil
}

// checkEnforced reports a default that openapi-gen refuses, because Go always sends a value for
// the field, so the default would never be used.
func (l *linter) checkEnforced(d declaredDefault) {
	m, decl := d.marker, d.marker.decl
	if decl.tag.quoted || decl.tag.name == "" || !m.seenBy(openapiGen) {
		return
	}
	zero := enforced(decl.typ, decl.tag.omitEmpty)
	if zero == nil || asJSON(zero) == asJSON(d.value) {
		return
	}
	what := "is neither a pointer nor omitempty"
	hint := "add omitempty to its json tag, or make it *" + typeName(decl.typ, decl.pkg.Types)
	if _, ok := zero.(map[string]any); ok {
		what, hint = "is a struct", "make it *"+typeName(decl.typ, decl.pkg.Types)
	}
	verdict := "openapi-gen rejects " + m.text
	if strings.HasPrefix(valueOf(m), "ref(") {
		verdict = "openapi-gen publishes " + asJSON(zero) + " instead of " + asJSON(d.value)
	}
	l.complain(m, hint, "%s: %s %s, so Go always sends it, and only %s may be its default", verdict, decl.title, what,
		asJSON(zero))
}

// enforced is the default that openapi-gen gives to a field on its own, nil if it gives none.
func enforced(t types.Type, omitEmpty bool) any {
	t = types.Unalias(t)
	if named, ok := t.(*types.Named); ok {
		if _, isStruct := named.Underlying().(*types.Struct); isStruct && implements(named, "UnmarshalJSON") {
			return nil
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if u.NumFields() == 1 && u.Field(0).Embedded() {
			return enforced(u.Field(0).Type(), omitEmpty)
		}
		return map[string]any{}
	case *types.Basic:
		if omitEmpty {
			return nil
		}
		switch basicType(u) {
		case typeBoolean:
			return false
		case typeString:
			return ""
		case typeInteger, typeNumber:
			return int64(0)
		}
	}
	return nil
}

// suggestValue suggests a default's value in the type of its field, "" if that is not clear.
func (l *linter) suggestValue(d declaredDefault) string {
	m, text := d.marker, valueOf(d.marker)
	if reference.MatchString(text) {
		return ""
	}
	want, bare := jsonTypeOf(m.decl.typ), strings.Trim(text, "\"'`")
	value := ""
	switch want {
	case typeString:
		if rules := append(l.constraints(m.decl), l.inherited(m.decl.typ)...); len(rules) > 0 {
			if right := nearestIn(bare, rules); right != "" {
				bare = right
			}
		}
		if parsed, ok := d.value.(string); ok && parsed == bare {
			return "" // it is a string, but not a right one
		}
		value = strconv.Quote(bare)
	case typeInteger, typeNumber:
		if _, err := strconv.ParseFloat(bare, 64); err != nil || want == typeInteger && strings.ContainsAny(bare, ".eE") {
			return ""
		}
		value = bare
	case typeBoolean:
		switch strings.ToLower(bare) {
		case "true", "1", "yes":
			value = "true"
		case "false", "0", "no":
			value = "false"
		}
	case typeArray:
		if isScalar(itemOf(m.decl.typ)) && !strings.ContainsAny(text, "[]{}") && text != "" {
			value = strconv.Quote(bare)
			if jsonTypeOf(itemOf(m.decl.typ)) != typeString {
				value = bare
			}
			value = map[bool]string{true: "[" + value + "]", false: "{" + value + "}"}[m.known.name == "default"]
		}
	}
	if value == "" || value == text {
		return ""
	}
	return fmt.Sprintf("+%s=%s", m.known.name, value)
}

// nearestIn returns the value of an enumeration that is nearest to a text.
func nearestIn(text string, rules []constraint) string {
	var values []string
	for _, c := range rules {
		list, ok := c.value.([]any)
		if !ok || c.path != "" {
			continue
		}
		for _, value := range list {
			if s, ok := value.(string); ok {
				values = append(values, s)
			}
		}
	}
	return diag.Nearest(text, values)
}
