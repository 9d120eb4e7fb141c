package reference

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

var shapes = map[model.Shape]string{
	model.Any: "any value", model.String: "string", model.Integer: "integer", model.Number: "number",
	model.Boolean: "boolean",
	model.Time:    "string", model.IntOrString: "integer or string", model.Object: "object",
}

// TypeOf names a type: []MiniClusterContainer, map[string]string.
func TypeOf(t *model.Type) string {
	switch {
	case t == nil:
		return "any value"
	case t.Definition != nil:
		return t.Definition.Name
	case t.Shape == model.Array:
		return "[]" + TypeOf(t.Elem)
	case t.Shape == model.Map:
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
