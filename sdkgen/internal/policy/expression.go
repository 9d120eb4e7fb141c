package policy

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/flux-framework/flux-operator/sdkgen/internal/document"
)

// validation is a CEL expression that is false of an object with a deprecated field.
type validation struct {
	Expression string `json:"expression"`
	Message    string `json:"message"`
}

// validations returns those of a root kind, in the order of its fields.
func validations(root *document.Definition) []validation {
	w := &walk{}
	for _, field := range root.Fields {
		if !slices.Contains([]string{"apiVersion", "kind", "metadata", "status"}, field.Key) {
			w.field(field, place{object: "object", within: func(inner string) string { return inner }})
		}
	}
	return w.found
}

// walk goes through the fields of a root kind.
type walk struct {
	found []validation
	open  []*document.Definition // those it is in
}

// place is where in an object the walk is.
type place struct {
	object string              // CEL expression of what has the fields
	path   string              // for people: spec.parts[].
	depth  int                 // of lists and maps
	within func(string) string // makes an expression on this place one on the whole object
}

// field adds what there is to say of a field and of those in it.
func (w *walk) field(field *document.Field, at place) {
	has, value := member(at.object, field.Key)
	text, what := field.Deprecated, "is deprecated"
	if target := field.Definition; text == "" && target != nil && target.Deprecated != "" {
		text, what = target.Deprecated, "is of a deprecated type"
	}
	if text == "" {
		below := at
		below.path = at.path + field.Key
		below.within = func(inner string) string { return at.within("!" + has + " || " + inner) }
		w.value(&field.Type, value, below)
		return
	}
	expression := "!" + has
	if field.Default != nil { // the API server has set it before it asks the policy
		literal, ok := constant(field.Default)
		if !ok {
			return
		}
		expression += " || " + value + " == " + literal
	}
	w.found = append(w.found, validation{at.within(expression), fmt.Sprintf("%s%s %s: %s", at.path, field.Key, what, text)})
}

// value goes on with the value of a field, of an item or of a map's value.
func (w *walk) value(t *document.Type, value string, at place) {
	below := at
	switch t.Shape {
	case document.Array, document.Map:
		if t.Elem == nil {
			return
		}
		variable, item := name("item", at.depth), name("item", at.depth)
		below.path += "[]"
		if t.Shape == document.Map {
			variable = name("key", at.depth)
			item = value + "[" + variable + "]"
		}
		below.depth++
		below.within = func(inner string) string { return at.within(value + ".all(" + variable + ", " + inner + ")") }
		w.value(t.Elem, item, below)
	case document.Object:
		w.fields(t.Fields, value, at)
	case document.Reference:
		if t.Definition.Kubernetes || slices.Contains(w.open, t.Definition) {
			return
		}
		w.open = append(w.open, t.Definition)
		w.fields(t.Definition.Fields, value, at)
		w.open = w.open[:len(w.open)-1]
	}
}

func (w *walk) fields(fields []*document.Field, value string, at place) {
	at.object, at.path = value, at.path+"."
	for _, field := range fields {
		w.field(field, at)
	}
}

// name is that of a variable; inner ones have others than outer ones.
func name(word string, depth int) string {
	if depth == 0 {
		return word
	}
	return word + strconv.Itoa(depth+1)
}

var identifier = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

// reserved are the words of CEL that are no identifiers.
var reserved = []string{
	"as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop",
	"namespace", "null", "package", "return", "true", "var", "void", "while",
}

// member returns the expressions that say whether an object has a field, and that are its value. In a policy, unlike in a
// rule of a CRD, an object is a map, whose keys are not escaped.
func member(object, key string) (has, value string) {
	if identifier.MatchString(key) && !slices.Contains(reserved, key) {
		return "has(" + object + "." + key + ")", object + "." + key
	}
	quoted := strconv.Quote(key)
	return "(" + quoted + " in " + object + ")", object + "[" + quoted + "]"
}

// constant returns a scalar as a CEL literal; false for a list or an object.
func constant(value any) (string, bool) {
	switch value := value.(type) {
	case string:
		return strconv.Quote(value), true
	case bool:
		return strconv.FormatBool(value), true
	case json.Number:
		return value.String(), true
	case float64:
		return document.FormatNumber(value), true
	}
	return "", false
}
