package jar

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
)

type object = map[string]any

// document returns the document of a job, with the values that sdkgen's own templates print as vendor extensions.
func document(job render.Job) ([]byte, error) {
	api := job.API
	if api.Extension == "" {
		return job.Document, nil
	}
	doc := object{"swagger": "2.0", "info": object{"title": api.Title, "version": api.Version}}
	if job.Document != nil {
		decoder := json.NewDecoder(bytes.NewReader(job.Document))
		decoder.UseNumber() // which encodes numbers as they were
		if err := decoder.Decode(&doc); err != nil {
			return nil, fmt.Errorf("reading the document: %w", err)
		}
	}
	member(doc, "info")[api.Extension] = api.Value
	definitions := member(doc, "definitions")
	for _, model := range api.Models {
		definition := member(definitions, model.Name)
		definition[api.Extension] = model.Value
		if len(member(definition, "properties")) == 0 {
			// Otherwise the generator makes no model of it.
			definition["type"], definition["x-is-free-form"] = "object", false
		}
	}
	addOperations(member(doc, "paths"), api)
	openAPI3(doc)
	return json.Marshal(doc)
}

// addOperations gives operations their tags and vendor extensions, and adds those that are missing.
func addOperations(paths object, api render.API) {
	byID := map[string]object{}
	for _, item := range paths {
		for _, op := range item.(object) {
			if op, ok := op.(object); ok {
				id, _ := op["operationId"].(string)
				byID[id] = op
			}
		}
	}
	for _, operation := range api.Operations {
		op := byID[operation.ID]
		if op == nil {
			op = object{"operationId": operation.ID, "responses": object{"200": object{"description": "OK"}}}
			paths["/"+operation.Tag+"/"+operation.ID] = object{"get": op}
		}
		op["tags"] = []string{operation.Tag}
		if operation.Value != nil {
			op[api.Extension] = operation.Value
		}
	}
}

// member returns the object of a name in another, which it adds if there is none.
func member(parent object, name string) object {
	child, ok := parent[name].(object)
	if !ok {
		child = object{}
		parent[name] = child
	}
	return child
}
