package golang

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/swagger"
)

// fakeResource is what the runtime's package fake has to know of a root kind beside its schema.
type fakeResource struct {
	Group      string `json:"group"`
	Version    string `json:"version"`
	Kind       string `json:"kind"`
	List       string `json:"list"` // its kind
	Plural     string `json:"plural"`
	Namespaced bool   `json:"namespaced"`
	Status     bool   `json:"status"`
	Definition string `json:"definition"`
}

// FakeSchema returns what the package fake embeds of an API: its root kinds, and its definitions without texts.
func FakeSchema(api *model.API) ([]byte, error) {
	doc, err := swagger.Print(api)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(doc.Definitions)
	if err != nil {
		return nil, err
	}
	var definitions map[string]any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber() // which encodes numbers as they were
	if err := decoder.Decode(&definitions); err != nil {
		return nil, fmt.Errorf("reading the definitions: %w", err)
	}
	resources := []fakeResource{}
	for _, definition := range api.Definitions {
		if root := definition.Root; root != nil && root.List != nil {
			resources = append(resources, fakeResource{
				Group: root.Group, Version: root.Version, Kind: root.Kind, List: root.Kind + "List", Plural: root.Plural,
				Namespaced: root.Namespaced, Status: root.Status, Definition: definition.Name,
			})
		}
	}
	out, err := json.MarshalIndent(map[string]any{"resources": resources, "definitions": stripTexts(definitions)}, "", " ")
	if err != nil {
		return nil, err
	}
	return append(out, '\n'), nil
}

// stripTexts removes what says nothing of an object from a schema.
func stripTexts(value any) any {
	switch value := value.(type) {
	case []any:
		for i := range value {
			value[i] = stripTexts(value[i])
		}
	case map[string]any:
		for key, child := range value {
			_, isText := child.(string) // rather than the schema of a property with that name
			if isText && (key == "description" || key == "x-sdkgen-deprecated") ||
				slices.Contains([]string{"x-go-type", "x-kubernetes-validations"}, key) {
				delete(value, key)
				continue
			}
			value[key] = stripTexts(child)
		}
	}
	return value
}
