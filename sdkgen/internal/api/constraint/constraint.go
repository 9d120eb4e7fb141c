// Package constraint says in words what limits the values of a field, for all that describe fields to people: `sdkgen
// explain`, the reference pages and llms.txt.
package constraint

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Schema is a schema of a CRD.
type Schema = apiextensionsv1.JSONSchemaProps

// Constraint is a keyword of the schema that limits the values, or says how the API server merges them.
type Constraint struct {
	// what it is about, if not the value: "items", the elements of a list; "values", those of a map; "items.values", …
	Of      string          `json:"of,omitempty"`
	Keyword string          `json:"keyword"` // as the CRD has it
	Value   json.RawMessage `json:"value"`
}

// Rule is a CEL rule of the value, of its elements, or of an object above it that names the field.
type Rule struct {
	Of      string `json:"of,omitempty"`   // as Constraint.Of
	Path    string `json:"path,omitempty"` // of the object above that has the rule; "" for a rule of the field itself
	Rule    string `json:"rule"`
	Message string `json:"message,omitempty"` // what the API server says, or the expression that makes it
}

// Name is the keyword with what it is about: "maxLength of each item".
func (c Constraint) Name() string { return c.Keyword + about(c.Of) }

// Text is the value: a string without quotes, a list of scalars joined by commas, anything else as JSON.
func (c Constraint) Text() string {
	var list []json.RawMessage
	if json.Unmarshal(c.Value, &list) != nil {
		return plain(c.Value, "")
	}
	var items []string
	for _, item := range list {
		if strings.HasPrefix(string(item), "{") || strings.HasPrefix(string(item), "[") {
			return string(c.Value)
		}
		items = append(items, plain(item, ", \""))
	}
	return strings.Join(items, ", ")
}

// String is the constraint in one line: "maxLength of each item: 253".
func (c Constraint) String() string { return c.Name() + ": " + c.Text() }

// Name says what the rule is about: "rule", "rule of each item", "rule of widget.spec".
func (r Rule) Name() string {
	if r.Path != "" {
		return "rule of " + r.Path
	}
	return "rule" + about(r.Of)
}

// plain is a string without quotes, unless it is empty or has a character that is not printable or quoted, and anything
// else as JSON.
func plain(value json.RawMessage, quoted string) string {
	var text string
	if json.Unmarshal(value, &text) != nil || text == "" || strings.ContainsAny(text, quoted) ||
		strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return string(value)
	}
	return text
}

// about is " of each item", " of each value of each item", "" for the value itself.
func about(target string) string {
	if target == "" {
		return ""
	}
	steps := strings.Split(target, ".")
	slices.Reverse(steps) // the innermost first
	return " of each " + strings.NewReplacer("items", "item", "values", "value", ".",
		" of each ").Replace(strings.Join(steps, "."))
}

// each calls do for a schema and for those of its elements, with what they are of.
func each(s *Schema, do func(target string, s *Schema)) {
	subject := ""
	for s != nil {
		do(subject, s)
		step := ""
		if s, step = Elements(s); subject != "" {
			step = "." + step
		}
		subject += step
	}
}

// Elements returns the schema of the elements of a list or map, and "items" or "values"; nil if the schema is of
// neither.
func Elements(s *Schema) (elements *Schema, target string) {
	switch {
	case s.Items != nil && s.Items.Schema != nil:
		return s.Items.Schema, "items"
	case s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
		return s.AdditionalProperties.Schema, "values"
	}
	return nil, ""
}

// Rules returns the CEL rules of a schema and its elements.
func Rules(s *Schema) []Rule {
	var found []Rule
	each(s, func(target string, s *Schema) {
		for _, rule := range s.XValidations {
			found = append(found, Rule{Of: target, Rule: rule.Rule, Message: cmp.Or(rule.Message, rule.MessageExpression)})
		}
	})
	return found
}
