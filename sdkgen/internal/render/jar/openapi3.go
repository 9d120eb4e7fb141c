package jar

import (
	"maps"
	"slices"
	"strings"
)

// openAPI3 turns a document of Swagger 2.0 into one of OpenAPI 3.0 that says the same. The parser of Swagger 2.0 drops
// defaults of arrays, of objects and of numbers without a format, and takes longer.
func openAPI3(doc object) {
	c := converter{parameters: member(doc, "parameters")}
	schemas := member(doc, "definitions")
	for _, schema := range schemas {
		c.schema(schema)
	}
	for _, item := range member(doc, "paths") {
		item, _ := item.(object)
		shared := item["parameters"]
		delete(item, "parameters")
		for _, method := range []string{"get", "put", "post", "delete", "options", "head", "patch"} {
			if op, ok := item[method].(object); ok {
				c.operation(op, shared)
			}
		}
	}
	for _, name := range []string{"swagger", "definitions", "parameters"} {
		delete(doc, name)
	}
	doc["openapi"], doc["components"] = "3.0.3", object{"schemas": schemas}
}

type converter struct{ parameters object }

// schema turns a schema and those inside of it. A reference stands alone: the generator makes a model of its own, with
// a name of its own, of one that has something next to it.
func (c converter) schema(value any) {
	schema, ok := value.(object)
	if !ok {
		return
	}
	if ref := reference(schema); ref != "" {
		clear(schema)
		schema["$ref"] = strings.Replace(ref, "#/definitions/", "#/components/schemas/", 1)
		return
	}
	if schema["x-nullable"] == true {
		schema["nullable"] = true
	}
	pattern, _ := schema["pattern"].(string)
	switch {
	case schema["type"] != "string":
		delete(schema, "pattern") // with one, the generator fails
	case strings.HasPrefix(pattern, "/"): // which would begin a pattern with delimiters
		schema["pattern"] = "/" + strings.ReplaceAll(pattern, "/", `\/`) + "/"
	}
	if schema["type"] == "array" && schema["items"] == nil {
		schema["items"] = object{}
	}
	c.schema(schema["items"])
	c.schema(schema["additionalProperties"])
	properties, _ := schema["properties"].(object)
	for _, property := range properties {
		c.schema(property)
	}
	parts, _ := schema["allOf"].([]any)
	for _, part := range parts {
		c.schema(part)
	}
}

// reference returns the reference of a schema, which may be alone in allOf; "" if it has none.
func reference(schema object) string {
	if parts, _ := schema["allOf"].([]any); len(parts) == 1 {
		schema, _ = parts[0].(object)
	}
	ref, _ := schema["$ref"].(string)
	return ref
}

// resolve returns parameters without references, as copies.
func (c converter) resolve(value any) []object {
	var parameters []object
	list, _ := value.([]any)
	for _, parameter := range list {
		parameter, _ := parameter.(object)
		if ref, ok := parameter["$ref"].(string); ok {
			parameter = member(c.parameters, strings.TrimPrefix(ref, "#/parameters/"))
		}
		parameters = append(parameters, maps.Clone(parameter))
	}
	return parameters
}

// operation turns an operation on a path with shared parameters.
func (c converter) operation(op object, shared any) {
	var parameters []any
	for _, parameter := range slices.Concat(c.resolve(shared), c.resolve(op["parameters"])) {
		if parameter["in"] == "body" {
			c.schema(parameter["schema"])
			op["requestBody"] = object{
				"description": parameter["description"], "required": parameter["required"] == true,
				"content": content(op["consumes"], parameter["schema"]),
			}
			op["x-codegen-request-body-name"] = parameter["name"]
			continue
		}
		parameters = append(parameters, scalar(parameter))
	}
	op["parameters"] = parameters
	responses, _ := op["responses"].(object)
	for _, response := range responses {
		response, _ := response.(object)
		if response["description"] == nil {
			response["description"] = ""
		}
		if schema, ok := response["schema"]; ok {
			c.schema(schema)
			response["content"] = content(op["produces"], schema)
		}
		delete(response, "schema")
	}
	for _, name := range []string{"consumes", "produces", "schemes"} {
		delete(op, name)
	}
}

// scalar moves what describes the value of a parameter into a schema.
func scalar(parameter object) object {
	schema := object{}
	for key, value := range parameter {
		if !slices.Contains([]string{"name", "in", "required", "description", "allowEmptyValue"}, key) &&
			!strings.HasPrefix(key, "x-") {
			schema[key] = value
			delete(parameter, key)
		}
	}
	parameter["schema"] = schema
	return parameter
}

// content is a body with a schema, of one of the media types.
func content(types, schema any) object {
	names, _ := types.([]any)
	if len(names) == 0 {
		names = []any{"application/json"}
	}
	out := object{}
	for _, name := range names {
		out[name.(string)] = object{"schema": schema}
	}
	return out
}
