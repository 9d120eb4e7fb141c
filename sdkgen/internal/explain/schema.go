package explain

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/flux-framework/flux-operator/sdkgen/internal/document"
)

// intOrString is the type of a value that is a number or a string.
const intOrString = "IntOrString"

// typeOf spells a type as kubectl explain does: []string, map[string]Object, ObjectMeta for a type of Kubernetes that no CRD
// has. kubectl has Object for what may be an integer or a string.
func typeOf(s *schema, t *document.Type) string {
	var elem *document.Type
	if t != nil {
		elem = t.Elem
	}
	switch {
	case s.Items != nil && s.Items.Schema != nil:
		return "[]" + typeOf(s.Items.Schema, elem)
	case s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
		return "map[string]" + typeOf(s.AdditionalProperties.Schema, elem)
	case s.XIntOrString:
		return intOrString
	case s.Title != "": // schemaOf
		return s.Title
	case s.Type == "" || s.Type == "object":
		return "Object"
	}
	return s.Type
}

// schemaOf returns a type of the document as a schema, without properties: they are the document's. A definition's title is the
// name of its Go type.
func schemaOf(t *document.Type) *schema {
	out := &schema{}
	if t == nil {
		return out
	}
	validations := t.SchemaValidations
	if data, err := json.Marshal(validations); err == nil {
		_ = json.Unmarshal(data, out) // both have the keywords of JSON Schema
	}
	out.Format, out.Nullable = t.Format, t.Nullable
	if t.ListType != "" {
		out.XListType = &t.ListType
	}
	for _, key := range t.MapKeys {
		if key, ok := key.(string); ok {
			out.XListMapKeys = append(out.XListMapKeys, key)
		}
	}
	switch t.Shape {
	case document.String:
		out.Type = "string"
	case document.Time:
		out.Type, out.Format = "string", "date-time"
	case document.Integer:
		out.Type = "integer"
	case document.Number:
		out.Type = "number"
	case document.Boolean:
		out.Type = "boolean"
	case document.IntOrString:
		out.XIntOrString, out.Format = true, ""
	case document.Array:
		out.Type, out.Items = "array", &apiextensionsv1.JSONSchemaPropsOrArray{Schema: schemaOf(t.Elem)}
	case document.Map:
		out.Type, out.AdditionalProperties = "object", &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: schemaOf(t.Elem)}
	case document.Object:
		out.Type = "object"
	case document.Reference:
		out.Type, out.Title = "object", t.Definition.GoType.Name
	}
	return out
}

// each calls do for a schema and for those of its elements, with what they are of.
func each(s *schema, do func(of string, s *schema)) {
	of := ""
	for {
		do(of, s)
		step := ""
		switch {
		case s.Items != nil && s.Items.Schema != nil:
			s, step = s.Items.Schema, "items"
		case s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
			s, step = s.AdditionalProperties.Schema, "values"
		default:
			return
		}
		if of != "" {
			of += "."
		}
		of += step
	}
}

// unconstraining are the keywords that are told elsewhere, or limit nothing.
var unconstraining = []string{
	"type", "title", "description", "default", "example", "externalDocs", "properties", "required", "items", "additionalProperties",
	"x-kubernetes-validations", "x-kubernetes-int-or-string",
}

// constraints returns the constraints of a schema and its elements.
func constraints(s *schema) []Constraint {
	var found []Constraint
	each(s, func(of string, s *schema) {
		keywords := keywordsOf(s)
		for _, keyword := range slices.Sorted(maps.Keys(keywords)) {
			found = append(found, Constraint{Of: of, Keyword: keyword, Value: keywords[keyword]})
		}
	})
	return found
}

// keywordsOf returns the keywords of a schema that constrain values, with those of its allOf: controller-gen writes one where a
// field and its type have the same keyword. An allOf that cannot be told as keywords of the schema itself stays.
func keywordsOf(s *schema) map[string]json.RawMessage {
	keywords := map[string]json.RawMessage{}
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
	if merged := withAllOf(keywords, s.AllOf); merged != nil {
		delete(merged, "allOf")
		return merged
	}
	return keywords
}

// withAllOf returns keywords with those of an allOf; nil if they cannot be told as one.
func withAllOf(keywords map[string]json.RawMessage, all []schema) map[string]json.RawMessage {
	out := maps.Clone(keywords)
	for i := range all {
		if s := &all[i]; len(s.Properties)+len(s.Required)+len(s.XValidations) > 0 || s.Items != nil || s.AdditionalProperties != nil || s.Default != nil {
			return nil
		}
		more := keywordsOf(&all[i])
		for _, keyword := range slices.Sorted(maps.Keys(more)) {
			both, ok := tighter(keyword, out[keyword], more[keyword])
			if !ok {
				return nil
			}
			out[keyword] = both
		}
	}
	return out
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
