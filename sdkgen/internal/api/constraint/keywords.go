package constraint

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Keywords are keywords of a schema, with their values.
type Keywords = map[string]json.RawMessage

// unconstraining are the keywords that are told elsewhere, or limit nothing.
var unconstraining = []string{
	"type", "title", "description", "default", "example", "externalDocs", "properties", "required", "items",
	"additionalProperties",
	"x-kubernetes-validations", "x-kubernetes-int-or-string",
}

// Of returns the constraints of a schema and of its elements, each with those of its allOf.
func Of(s *Schema) []Constraint {
	var found []Constraint
	each(s, func(target string, s *Schema) {
		keywords := keywordsOf(s)
		for _, keyword := range slices.Sorted(maps.Keys(keywords)) {
			found = append(found, Constraint{Of: target, Keyword: keyword, Value: keywords[keyword]})
		}
	})
	return found
}

// keywordsOf returns the keywords of a schema that constrain values, with those of its allOf: controller-gen writes one
// where a field and its type have the same keyword. An allOf that cannot be told as keywords of the schema itself
// stays.
func keywordsOf(s *Schema) Keywords {
	keywords := Keywords{}
	data, err := json.Marshal(s)
	if err != nil || json.Unmarshal(data, &keywords) != nil {
		return nil
	}
	for _, keyword := range unconstraining {
		delete(keywords, keyword)
	}
	if s.XIntOrString {
		delete(keywords, "anyOf") // says the same
	}
	for keyword, value := range keywords {
		var text bytes.Buffer
		if string(value) == "false" {
			delete(keywords, keyword)
		} else if json.Compact(&text, value) == nil {
			keywords[keyword] = text.Bytes()
		}
	}
	var parts []Keywords
	for i := range s.AllOf {
		part := &s.AllOf[i]
		if len(part.Properties)+len(part.Required)+len(part.XValidations) > 0 || part.Items != nil ||
			part.AdditionalProperties != nil || part.Default != nil {
			return keywords
		}
		parts = append(parts, keywordsOf(part))
	}
	if merged, ok := Merge(keywords, parts...); ok {
		delete(merged, "allOf")
		return merged
	}
	return keywords
}

// Merge returns the keywords that say what all of several say together; false if there are none.
func Merge(keywords Keywords, more ...Keywords) (Keywords, bool) {
	merged := maps.Clone(keywords)
	for _, part := range more {
		for _, bound := range []string{"inimum", "aximum"} {
			if exclusive := merged["exclusiveM"+bound] != nil ||
				part["exclusiveM"+bound] != nil; exclusive && merged["m"+bound] != nil && part["m"+bound] != nil {
				return nil, false // which of the two bounds is the exclusive one would be lost
			}
		}
		for _, keyword := range slices.Sorted(maps.Keys(part)) {
			both, ok := tighter(keyword, merged[keyword], part[keyword])
			if !ok {
				return nil, false
			}
			merged[keyword] = both
		}
	}
	return merged, true
}

// tighter returns the value of a keyword that says what two values say together; false if there is none.
func tighter(keyword string, a, b json.RawMessage) (json.RawMessage, bool) {
	if a == nil || bytes.Equal(a, b) {
		return b, true
	}
	var x, y float64
	switch {
	case keyword == "enum":
		return common(a, b)
	case json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil:
		return nil, false
	case strings.HasPrefix(keyword, "max"):
		x, y = -x, -y
	case !strings.HasPrefix(keyword, "min"):
		return nil, false
	}
	if x > y {
		return a, true
	}
	return b, true
}

// common returns the values that are in two lists.
func common(a, b json.RawMessage) (json.RawMessage, bool) {
	var first, second, both []json.RawMessage
	if json.Unmarshal(a, &first) != nil || json.Unmarshal(b, &second) != nil {
		return nil, false
	}
	for _, value := range first {
		if slices.ContainsFunc(second, func(other json.RawMessage) bool { return bytes.Equal(value, other) }) {
			both = append(both, value)
		}
	}
	out, err := json.Marshal(both)
	return out, err == nil && len(both) > 0
}
