package docs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/document"
)

// Fact is a constraint on a value, or what the API server does with it.
type Fact struct{ Name, Value string }

// Rule is a CEL rule, with what the API server says of a value that breaks it.
type Rule struct {
	Of      string // "", or the elements that it is for: each item
	Rule    string
	Message string
}

var shapes = map[document.Shape]string{
	document.Any: "any value", document.String: "string", document.Integer: "integer", document.Number: "number", document.Boolean: "boolean",
	document.Time: "string", document.IntOrString: "integer or string", document.Object: "object",
}

// TypeOf names a type: []MiniClusterContainer, map[string]string.
func TypeOf(t *document.Type) string {
	switch {
	case t == nil:
		return "any value"
	case t.Definition != nil:
		return t.Definition.Name
	case t.Shape == document.Array:
		return "[]" + TypeOf(t.Elem)
	case t.Shape == document.Map:
		return "map[string]" + TypeOf(t.Elem)
	}
	return shapes[t.Shape]
}

// Facts are the constraints on values of a type and on its elements.
func Facts(t *document.Type) []Fact {
	facts := factsOf(t)
	for of := ""; t.Elem != nil; t = t.Elem {
		of = elements(of, t)
		for _, fact := range factsOf(t.Elem) {
			facts = append(facts, Fact{of + ": " + fact.Name, fact.Value})
		}
	}
	return facts
}

// elements names the elements of a list or map, inside of what of names.
func elements(of string, t *document.Type) string {
	name := map[document.Shape]string{document.Array: "each item", document.Map: "each value"}[t.Shape]
	return strings.TrimPrefix(of+", "+name, ", ")
}

// factsOf are those of the values alone.
func factsOf(t *document.Type) []Fact {
	var facts []Fact
	add := func(set bool, name string, value any) {
		if set {
			facts = append(facts, Fact{name, fmt.Sprint(value)})
		}
	}
	add(t.Format != "" && t.Shape != document.IntOrString, "format", t.Format)
	add(len(t.Enum) > 0, "one of", values(t.Enum))
	add(t.Pattern != "", "pattern", t.Pattern)
	bound := func(name string, limit *float64, exclusive bool) {
		if limit != nil {
			if exclusive {
				name = "exclusive " + name
			}
			add(true, name, document.FormatNumber(*limit))
		}
	}
	bound("minimum", t.Minimum, t.ExclusiveMinimum)
	bound("maximum", t.Maximum, t.ExclusiveMaximum)
	bound("multiple of", t.MultipleOf, false)
	least, most := t.MinProperties, t.MaxProperties
	if d := t.Definition; d != nil {
		least, most = cmp.Or(least, d.MinProperties), cmp.Or(most, d.MaxProperties)
	}
	for _, size := range []struct {
		name  string
		limit *int64
	}{
		{"minimum length", t.MinLength}, {"maximum length", t.MaxLength}, {"minimum items", t.MinItems}, {"maximum items", t.MaxItems},
		{"minimum properties", least}, {"maximum properties", most},
	} {
		if size.limit != nil {
			add(true, size.name, *size.limit)
		}
	}
	add(t.UniqueItems, "items", "unique")
	keys := strings.Trim(values(t.MapKeys), `"`)
	add(t.ListType != "" && keys == "", "list type", t.ListType)
	add(t.ListType != "" && keys != "", "list type", t.ListType+" by "+keys)
	add(t.Nullable, "null", "allowed")
	add(t.Open || t.Definition != nil && t.Definition.Open, "unknown fields", "kept")
	return facts
}

// values lists values as JSON; texts stand as they are where nobody can take them for something else.
func values(list []any) string {
	var all []string
	for _, value := range list {
		text, plain := value.(string)
		if !plain || text == "" || strings.ContainsAny(text, ", \"") {
			text = encoded(value)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// encoded is a value as JSON, "" for none.
func encoded(value any) string {
	if value == nil {
		return ""
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Sprint(value)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// RulesOf are the CEL rules for a field, those of its type included.
func RulesOf(field *document.Field) []Rule {
	rules := rulesIn(field.CEL, "")
	of := ""
	for t := &field.Type; t != nil; t = t.Elem {
		if t.Definition != nil && !t.Definition.Kubernetes {
			rules = append(rules, rulesIn(t.Definition.CEL, of)...)
		}
		of = elements(of, t)
	}
	return rules
}

// rulesIn reads an extension with rules.
func rulesIn(cel any, of string) []Rule {
	data, err := json.Marshal(cel)
	if err != nil {
		return nil
	}
	var read []struct{ Rule, Message, MessageExpression string }
	if err := json.Unmarshal(data, &read); err != nil {
		return nil
	}
	var rules []Rule
	for _, r := range read {
		message := r.Message
		if r.MessageExpression != "" {
			message = r.MessageExpression
		}
		rules = append(rules, Rule{of, r.Rule, message})
	}
	return rules
}
