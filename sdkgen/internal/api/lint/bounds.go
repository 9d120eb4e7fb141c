package lint

import (
	"fmt"
	"go/types"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/backtrack"
)

var boundsRule = Rule{
	ID:    "bounds",
	Doc:   "A validation does not apply to the type, excludes all values or contradicts another one.",
	check: schemaRule((*linter).checkBounds),
}

// checkBounds reports validations that do not apply to the type, that no value satisfies, and that
// contradict each other or those of the type.
func (l *linter) checkBounds(decl *declaration) {
	own := l.constraints(decl)
	whole := l.shapeOf(decl)
	for i, c := range own {
		if c.marker.known.reads[controllerGen] != 0 && l.applies(c, whole) {
			l.checkNumber(c)
		}
		if c.keyword == "enum" && c.marker.known.name != "enum" && c.marker.known.name != "k8s:enum" {
			l.checkEnum(c, decl)
			l.checkNarrowed(c, decl)
		}
		for _, other := range own[:i] {
			l.checkSame(c, other)
		}
	}
	all := append(slices.Clone(own), l.inherited(decl.typ)...)
	for i, c := range all {
		for j, other := range all {
			// Those of the type alone are checked there.
			if i != j && (i < len(own) || j < len(own)) {
				l.checkPair(c, other, decl, all)
			}
		}
	}
}

// applicable lists the JSON types that a keyword applies to, and their name in messages.
var applicable = map[string]struct {
	types []jsonType
	name  string
}{
	"maximum":          {[]jsonType{typeInteger, typeNumber}, "numbers"},
	"minimum":          {[]jsonType{typeInteger, typeNumber}, "numbers"},
	"exclusiveMaximum": {[]jsonType{typeInteger, typeNumber}, "numbers"},
	"exclusiveMinimum": {[]jsonType{typeInteger, typeNumber}, "numbers"},
	"multipleOf":       {[]jsonType{typeInteger, typeNumber}, "numbers"},
	"maxLength":        {[]jsonType{typeString}, "strings"},
	"minLength":        {[]jsonType{typeString}, "strings"},
	"pattern":          {[]jsonType{typeString}, "strings"},
	"maxItems":         {[]jsonType{typeArray}, "lists"},
	"minItems":         {[]jsonType{typeArray}, "lists"},
	"uniqueItems":      {[]jsonType{typeArray}, "lists"},
	"maxProperties":    {[]jsonType{typeObject}, "maps and struct types"},
	"minProperties":    {[]jsonType{typeObject}, "maps and struct types"},
}

// applies reports a validation that controller-gen refuses at a value of that shape.
func (l *linter) applies(c constraint, s shape) bool {
	title, name := c.marker.decl.title, c.marker.known.name
	if strings.HasPrefix(c.path, "items:") {
		switch {
		case s.typ == typeAny:
			return true
		case s.typ != typeArray:
			l.complain(c.marker, "", "+%s applies to lists, %s is %s", name, title, s.typ.article())
			return false
		case s.items == nil:
			l.complain(c.marker, "move it to the type, or declare the field as a list",
				"+%s at %s: controller-gen does not look into a named list type", name, title)
			return false
		}
		s, title = *s.items, "an item of "+title
	}
	to, ok := applicable[c.keyword]
	switch {
	case s.typ == typeAny || !ok:
		return true
	case slices.Contains(to.types, s.typ):
		if n, ok := c.value.(float64); ok && s.typ == typeInteger && n != math.Trunc(n) {
			l.complain(c.marker, "", "+%s is %v, but %s is an integer", name, n, title)
			return false
		}
		return true
	case s.typ == typeStruct && slices.Contains(to.types, typeObject):
		l.complain(c.marker, "move it to the struct type",
			"+%s at %s: controller-gen does not allow it at a field of a struct type", name, title)
	case custom[qualified(c.marker.decl.typ)] != nil:
		l.complain(c.marker, "for an integer or a string, add +kubebuilder:validation:XIntOrString",
			"+%s at %s: controller-gen does not look into %s", name, title, typeName(c.marker.decl.typ, c.marker.decl.pkg.Types))
	case s.typ == typeForeign:
		l.complain(c.marker, "declare a type in this package",
			"+%s at %s: controller-gen does not look into types of other packages", name, title)
	default:
		l.complain(c.marker, suggestFor(c, s.typ), "+%s applies to %s, %s is %s", name, to.name, title, s.typ.article())
	}
	return false
}

// suggestFor suggests the marker of the same bound for another JSON type.
func suggestFor(c constraint, after jsonType) string {
	side := map[string]string{
		"maximum": "Max", "maxLength": "Max", "maxItems": "Max", "maxProperties": "Max",
		"minimum": "Min", "minLength": "Min", "minItems": "Min", "minProperties": "Min",
	}[c.keyword]
	unit := map[jsonType]string{typeString: "Length", typeArray: "Items", typeObject: "Properties", typeInteger: "imum",
		typeNumber: "imum"}[after]
	if side == "" || unit == "" {
		return ""
	}
	return fmt.Sprintf("+kubebuilder:validation:%s%s%s=%v", c.path, side, unit, c.value)
}

func (t jsonType) article() string {
	switch t {
	case typeInteger, typeObject:
		return "an " + string(t)
	case typeArray:
		return "a list"
	}
	return "a " + string(t)
}

// checkNumber reports a value that the API server does not accept in a schema.
func (l *linter) checkNumber(c constraint) {
	switch value := c.value.(type) {
	case int64:
		if value < 0 {
			l.complain(c.marker, "", "+%s is %d: it cannot be negative", c.marker.known.name, value)
		}
	case float64:
		switch {
		case math.IsNaN(value) || math.IsInf(value, 0):
			l.complain(c.marker, "", "+%s is %v: it must be a number", c.marker.known.name, value)
		case c.keyword == "multipleOf" && value <= 0:
			l.complain(c.marker, "", "+%s is %v: it must be greater than 0", c.marker.known.name, value)
		default:
			l.checkRounded(c, value)
		}
	case string:
		if c.keyword == "pattern" {
			l.checkPattern(c, value)
		}
	}
}

// checkPattern reports a regular expression that the API server does not accept, and one that clients
// in languages whose regular expressions backtrack cannot check.
func (l *linter) checkPattern(c constraint, value string) {
	if _, err := regexp.Compile(value); err != nil {
		l.complain(c.marker, "", "+%s: %s", c.marker.known.name, err)
	} else if backtrack.Exponential(value) {
		l.complain(c.marker, "let a loop read each string in one way only, as (a+,)*(a+)? does, unlike (a+,?)*",
			"+%s: matching %s can take exponential time in Python: a loop in it can read the same string in several ways",
			c.marker.known.name, value)
	}
}

// checkRounded reports a bound that a CRD, where bounds are float64, cannot represent exactly.
func (l *linter) checkRounded(c constraint, value float64) {
	if math.Abs(value) < 1<<53 {
		return
	}
	text, _, _ := strings.Cut(valueOf(c.marker), "#") // validation-gen's markers may have a comment
	text = strings.TrimSpace(text)
	input, ok := new(big.Rat).SetString(text)
	written, _ := new(big.Rat).SetString(asJSON(value))
	if !ok || input.Cmp(written) == 0 {
		return
	}
	hint := ""
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		rule := map[string]string{"maximum": "self <= ", "minimum": "self >= ", "multipleOf": "self % "}[c.keyword] + text
		switch {
		case c.keyword == "multipleOf":
			rule += " == 0"
		case l.excludes(c):
			rule = strings.Replace(rule, "=", "", 1)
		}
		hint = "+kubebuilder:validation:" + c.path + "XValidation:rule=" + strconv.Quote(rule)
	}
	l.complain(c.marker, hint, "+%s=%s: it would be %s in the CRD, where bounds beyond 2^53 are rounded",
		c.marker.known.name, text, asJSON(value))
}

// excludes says whether another marker at the declaration makes a bound exclusive.
func (l *linter) excludes(c constraint) bool {
	return slices.ContainsFunc(l.constraints(c.marker.decl), func(other constraint) bool {
		return other.path == c.path && other.value == true && strings.EqualFold(other.keyword, "exclusive"+c.keyword)
	})
}

// pairs are the keywords of which the first must not be greater than the second, and those that
// exclude the bound itself.
var pairs = []struct{ low, high, lowOut, highOut string }{
	{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
	{"minLength", "maxLength", "", ""},
	{"minItems", "maxItems", "", ""},
	{"minProperties", "maxProperties", "", ""},
}

// checkPair reports a lower bound above an upper one.
func (l *linter) checkPair(low, high constraint, decl *declaration, all []constraint) {
	for _, pair := range pairs {
		if low.keyword != pair.low || high.keyword != pair.high || low.path != high.path {
			continue
		}
		least, most := number(low.value), number(high.value)
		excluded := least == most && slices.ContainsFunc(all, func(c constraint) bool {
			return c.path == low.path && c.value == true && (c.keyword == pair.lowOut || c.keyword == pair.highOut)
		})
		if !excluded && !(least > most) { // with NaN nothing is
			continue
		}
		at, other := high, low
		if at.marker.decl != decl || other.marker.decl == decl && other.marker.pos > at.marker.pos {
			at, other = low, high
		}
		relation := "contradicts"
		if excluded {
			relation = "with an exclusive bound contradicts"
		}
		l.complain(at.marker, "", "+%s=%v %s +%s=%v%s: no value satisfies both",
			at.marker.known.name, at.value, relation, other.marker.known.name, other.value, atOther(other.marker, decl))
	}
}

// atOther names the declaration of a marker, if it is not decl.
func atOther(m *marker, decl *declaration) string {
	if m.decl == decl {
		return ""
	}
	return " at " + m.decl.title
}

// checkSame reports two markers of different names that give one keyword different values.
func (l *linter) checkSame(c, other constraint) {
	if c.keyword == other.keyword && c.path == other.path && c.marker.known != other.marker.known &&
		c.marker.known.name != other.marker.known.name &&
		!sameValue(c.value, other.value) {
		l.complain(c.marker, "keep one of the two markers", "+%s is %s, +%s is %s", c.marker.known.name, asJSON(c.value),
			other.marker.known.name, asJSON(other.value))
	}
}

// checkEnum reports duplicate enumeration values, and values that the type cannot have.
func (l *linter) checkEnum(c constraint, decl *declaration) {
	values, ok := c.value.([]any)
	if !ok || len(values) == 0 {
		l.complain(c.marker, "", "+%s lists no value: nothing satisfies it", c.marker.known.name)
		return
	}
	seen := map[string]bool{}
	for _, value := range values {
		text := asJSON(value)
		if seen[text] {
			l.complain(c.marker, "", "+%s has %s twice", c.marker.known.name, text)
		}
		seen[text] = true
	}
	t := decl.typ
	if c.path == "items:" {
		t = itemOf(t)
	} else if c.path != "" {
		return
	}
	subject := decl
	if c.path != "" {
		subject = nil
	}
	for _, value := range values {
		if problem := l.mismatch("", value, t, subject, nil); problem != "" {
			l.complain(c.marker, quotedEnum(c, t), "+%s: %s", c.marker.known.name, problem)
			return
		}
	}
}

// checkNarrowed reports an enumeration at a field whose type has another one: controller-gen keeps
// that of the type.
func (l *linter) checkNarrowed(c constraint, decl *declaration) {
	for _, other := range l.holding(nil, decl.typ, c.path) {
		if other.keyword == "enum" && other.marker.known.reads[controllerGen] != 0 && !sameValue(c.value, other.value) &&
			!l.reported(c.marker) {
			l.complain(c.marker, "+kubebuilder:validation:"+c.path+"XValidation:rule=`self in "+asJSON(c.value)+"`",
				"controller-gen drops +%s at %s: it keeps the enumeration of %s", c.marker.known.name, decl.title,
				other.marker.decl.title)
		}
	}
}

// quotedEnum suggests an enumeration of strings where the type is one.
func quotedEnum(c constraint, t types.Type) string {
	_, text, _ := strings.Cut(c.marker.text, "=")
	if c.marker.known.reads[controllerGen] == 0 || jsonTypeOf(t) != typeString || strings.ContainsAny(text, "{}`") {
		return ""
	}
	var quoted []string
	for _, value := range strings.Split(text, ";") {
		// As written: 1.30 is read as the number 1.3.
		quoted = append(quoted, strconv.Quote(strings.Trim(strings.TrimSpace(value), "\"")))
	}
	return "+" + c.marker.known.name + "=" + strings.Join(quoted, ";")
}

// number returns a bound as a number, NaN if it is none: all comparisons are false then.
func number(value any) float64 {
	switch v := value.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return math.NaN()
}
