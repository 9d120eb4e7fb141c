package docs

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/document"
)

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
