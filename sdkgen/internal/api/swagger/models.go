package swagger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"k8s.io/kube-openapi/pkg/util"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

// Models returns the definitions of APIs in one document, as applyconfiguration-gen's --openapi-schema takes it: each
// has the name that the generator makes from its Go type, so that those of two packages do not meet.
//
// The generator prints what it reads between backquotes as it is. So the schemas keep only what it
// reads, and of the defaults those without a backquote; a backquote elsewhere is an error.
func Models(apis ...*model.API) ([]byte, error) {
	all := map[string]any{}
	for _, api := range apis {
		doc, err := Print(api)
		if err != nil {
			return nil, err
		}
		definitions, err := decoded(doc.Definitions)
		if err != nil {
			return nil, fmt.Errorf("naming the models of %s: %w", Doc, err)
		}
		names := renames{}
		for _, definition := range api.Definitions {
			names[definition.Name] = util.ToRESTFriendlyName(definition.GoType.String())
		}
		for name, definition := range definitions {
			all[names[name]] = names.schema(definition)
		}
	}
	data, err := json.Marshal(map[string]any{
		"swagger": "2.0", "info": map[string]any{"title": "models", "version": "0"},
		"paths": map[string]any{}, "definitions": all,
	})
	if err != nil {
		return nil, fmt.Errorf("encoding the models: %w", err)
	}
	if bytes.ContainsRune(data, '`') {
		return nil,
			errors.New("encoding the models: the name of a property contains a backquote, which Go clients cannot represent")
	}
	return data, nil
}

// renames maps the names of definitions to those of models.
type renames map[string]string

// schema copies what structured-merge-diff's schemas are made from.
func (m renames) schema(value any) any {
	from, ok := value.(map[string]any)
	if !ok {
		return value // additionalProperties: true
	}
	to := map[string]any{}
	// A reference with constraints beside it is alone in an allOf.
	if parts, _ := from["allOf"].([]any); len(parts) == 1 {
		if ref, ok := m.schema(parts[0]).(map[string]any); ok {
			to = ref
		}
		if relation, ok := from[mapType]; ok {
			to[mapType] = relation
		}
		return to
	}
	for key, inner := range from {
		switch key {
		case "type", "format":
			to[key] = inner
		case "$ref":
			name, _ := inner.(string)
			to[key] = definitionsPrefix + m[strings.TrimPrefix(name, definitionsPrefix)]
		case "default":
			if text, err := json.Marshal(inner); err == nil && !bytes.ContainsRune(text, '`') {
				to[key] = inner
			}
		case "items", "additionalProperties":
			to[key] = m.schema(inner)
		case "properties":
			properties, _ := inner.(map[string]any)
			models := map[string]any{}
			for name, property := range properties {
				models[name] = m.schema(property)
			}
			to[key] = models
		case "x-kubernetes-list-type", "x-kubernetes-list-map-keys", mapType,
			"x-kubernetes-preserve-unknown-fields", "x-kubernetes-int-or-string":
			to[key] = inner
		}
	}
	return to
}
