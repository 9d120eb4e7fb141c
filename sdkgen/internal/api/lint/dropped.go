package lint

import (
	"encoding/json"
	"go/types"
	"slices"
	"strconv"
	"strings"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

var droppedRule = Rule{
	ID:    "dropped",
	Doc:   "The CRD would lack a validation, because controller-gen does not read its marker.",
	check: schemaRule((*linter).checkDropped),
}

// checkDropped reports validations that the CRD would not have: controller-gen does not read the
// marker, and no other one says the same.
func (l *linter) checkDropped(decl *declaration) {
	for _, c := range l.constraints(decl) {
		if c.marker.known.reads[controllerGen] == 0 && c.value != false && !l.inCRD(c, decl) {
			l.drop(c.marker, equivalent(c))
		}
	}
	for _, rule := range celRules(decl) {
		if !rule.inCRD(decl) {
			l.drop(rule.marker, rule.equivalent())
		}
	}
}

func (l *linter) drop(m *marker, hint string) {
	if !l.reported(m) {
		l.complain(m, hint, "controller-gen does not read +%s: the CRD would not have it", m.known.name)
	}
}

// reported says whether there is a diagnostic at a marker already.
func (l *linter) reported(m *marker) bool {
	pos := m.decl.pkg.at(m.pos)
	return slices.ContainsFunc(l.list, func(d diag.Diagnostic) bool { return d.Pos == pos })
}

// inCRD says whether a marker that controller-gen reads puts the same validation at the same place.
func (l *linter) inCRD(c constraint, decl *declaration) bool {
	return slices.ContainsFunc(l.holding(l.constraints(decl), decl.typ, c.path), func(other constraint) bool {
		return other.marker.known.reads[controllerGen] != 0 && other.keyword == c.keyword && sameValue(other.value, c.value)
	})
}

// holding returns the validations at a path inside a value of a type. all are those of the
// declaration that has the value.
func (l *linter) holding(all []constraint, t types.Type, path string) []constraint {
	all = slices.Concat(all, l.inherited(t))
	first, rest, _ := strings.Cut(path, ":")
	switch first {
	case "":
		return slices.DeleteFunc(all, func(c constraint) bool { return c.path != "" })
	case "items":
		return l.holding(below(all, "items:"), itemOf(t), rest)
	case "additionalProperties":
		if m, ok := underlying(t).(*types.Map); ok {
			return l.holding(below(all, "additionalProperties:"), m.Elem(), rest)
		}
	case "properties":
		name, rest, _ := strings.Cut(rest, ":")
		for _, p := range l.properties(t) {
			if p.name != name {
				continue
			}
			inner := below(all, "properties:"+name+":")
			if p.decl != nil {
				inner = append(inner, l.constraints(p.decl)...)
			}
			return l.holding(inner, p.typ, rest)
		}
	}
	return nil
}

// sameValue compares the values of a keyword. Those of an enumeration have no order.
func sameValue(a, b any) bool {
	one, isList := a.([]any)
	other, isOther := b.([]any)
	if !isList || !isOther {
		return asJSON(a) == asJSON(b)
	}
	return slices.Equal(texts(one), texts(other))
}

func texts(values []any) []string {
	var out []string
	for _, value := range values {
		out = append(out, asJSON(value))
	}
	slices.Sort(out)
	return out
}

// equivalent is controller-gen's marker for a validation.
func equivalent(c constraint) string {
	if c.marker.known.name == "enum" {
		return "add +k8s:enum beside it, by which controller-gen finds the constants too"
	}
	text := "+nullable"
	if c.keyword != "nullable" {
		text = strings.ToUpper(c.keyword[:1]) + c.keyword[1:] + "=" + spell(c)
		if c.path == "items:" {
			text = "items:" + text
		}
		text = "+kubebuilder:validation:" + text
	}
	_, isStruct := underlying(c.marker.decl.typ).(*types.Struct)
	inField := c.path == "" && !isStruct || c.path == "items:" && c.keyword != "nullable"
	if c.marker.decl.target == onField && !inField {
		return "write where the value is declared: " + text
	}
	return text
}

// spell writes a validation's value as controller-gen's parsers take it.
func spell(c constraint) string {
	switch value := c.value.(type) {
	case string:
		if c.keyword == "pattern" && !strings.Contains(value, "`") {
			return "`" + value + "`"
		}
		return strconv.Quote(value)
	case []any:
		var all []string
		for _, one := range value {
			all = append(all, asJSON(one))
		}
		return strings.Join(all, ";")
	}
	return asJSON(c.value)
}

// celExpression is a CEL rule of kube-openapi's markers, of which each part has a marker of its own.
type celExpression struct {
	marker *marker           // the first
	items  bool              // it is for the items of a list
	parts  map[string]string // by celKeys
}

// celRules reads the rules at a declaration, in the order of the source.
func celRules(decl *declaration) []*celExpression {
	var out []*celExpression
	byName := map[string]*celExpression{}
	for _, m := range decl.attached() {
		path, ok := strings.CutPrefix(m.known.name, validationPrefix)
		at := strings.LastIndexByte(path, ':')
		if !ok || !strings.Contains(path, "cel[") || at < 0 {
			continue
		}
		rule := byName[path[:at]]
		if rule == nil {
			rule = &celExpression{marker: m, items: strings.HasPrefix(path, "items:"), parts: map[string]string{}}
			byName[path[:at]] = rule
			out = append(out, rule)
		}
		text, raw := strings.CutPrefix(m.text, "+"+m.known.name+">")
		if !raw && json.Unmarshal([]byte(valueOf(m)), &text) != nil {
			text = valueOf(m)
		}
		if before := rule.parts[path[at+1:]]; before != "" { // a raw text goes on in the next line
			text = before + "\n" + text
		}
		rule.parts[path[at+1:]] = text
	}
	return out
}

func (r *celExpression) inCRD(decl *declaration) bool {
	return slices.ContainsFunc(decl.attached(), func(m *marker) bool {
		value, ok := m.value.(crdmarkers.XValidation)
		return ok && value.Rule == r.parts["rule"] &&
			strings.HasPrefix(m.known.name, crdmarkers.ValidationItemsPrefix) == r.items
	})
}

func (r *celExpression) equivalent() string {
	text := "+kubebuilder:validation:"
	if r.items {
		text = "+" + crdmarkers.ValidationItemsPrefix
	}
	text += "XValidation:rule=" + strconv.Quote(r.parts["rule"])
	for _, key := range []string{"message", "messageExpression", "fieldPath"} {
		if part := r.parts[key]; part != "" {
			text += "," + key + "=" + strconv.Quote(part)
		}
	}
	for _, key := range []string{"reason", "optionalOldSelf"} {
		if part := r.parts[key]; part != "" {
			text += "," + key + "=" + part
		}
	}
	return text
}
