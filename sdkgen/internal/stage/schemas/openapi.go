package schemas

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/published"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/server"
)

// templates are the documents of OpenAPI 3 that the API server publishes for a CRD of each scope with all subresources,
// and with an embedded resource. TestPublished writes them.
//
//go:embed published
var templates embed.FS

// embedded is the property of the templates' kind that is an embedded resource.
const embedded = "zembedded"

// OpenAPI returns the document of OpenAPI 3 that the API server publishes at /openapi/v3/apis/GROUP/VERSION for
// resources of one group and version, if no others are installed.
func OpenAPI(resources ...Resource) (map[string]any, error) {
	var document node
	for _, r := range resources {
		part, err := openAPI(r)
		if err != nil {
			return nil, fmt.Errorf("making the OpenAPI document of %s %s: %w", r.Definition.Name, r.Version, err)
		}
		if document == nil {
			document = part
			continue
		}
		maps.Copy(object(document, "paths"), object(part, "paths"))
		maps.Copy(object(document, "components", "schemas"), object(part, "components", "schemas"))
	}
	return document, nil
}

// openAPI is OpenAPI for one resource.
func openAPI(r Resource) (node, error) {
	name := "published/" + string(r.Definition.Spec.Scope) + ".json"
	data, err := templates.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var document node
	if err := json.Unmarshal([]byte(published.Expand(string(data), r.Definition, r.Version)), &document); err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	v, _ := r.version()
	scale := v.Subresources != nil && v.Subresources.Scale != nil
	maps.DeleteFunc(object(document, "paths"), func(path string, _ any) bool {
		return strings.HasSuffix(path, "/{name}/status") && (v.Subresources == nil || v.Subresources.Status == nil) ||
			strings.HasSuffix(path, "/{name}/scale") && !scale
	})
	components := object(document, "components", "schemas")
	maps.DeleteFunc(components, func(name string,
		_ any) bool {
		return !scale && strings.HasPrefix(name, "io.k8s.api.autoscaling.")
	})
	prefix := published.ModelPrefix(r.Definition.Spec.Group, r.Version)
	kind, list := object(components, prefix+r.Definition.Spec.Names.Kind),
		object(components, prefix+r.Definition.Spec.Names.ListKind)
	if err := fillKind(kind, r); err != nil {
		return nil, err
	}
	if len(v.SelectableFields) > 0 {
		var fields []any
		for _, field := range v.SelectableFields {
			fields = append(fields, node{"fieldPath": strings.TrimPrefix(field.JSONPath, ".")})
		}
		kind["x-kubernetes-selectable-fields"], list["x-kubernetes-selectable-fields"] = fields, fields
	}
	return document, nil
}

// object returns what is at the end of a path in a document.
func object(document node, path ...string) node {
	for _, key := range path {
		document, _ = document[key].(node)
	}
	return document
}

// fillKind replaces the template's schema of a kind by its own. What every kind and every embedded resource has is the
// template's.
func fillKind(kind node, r Resource) error {
	structural, err := server.Structural(r.Definition, r.Version)
	if err != nil {
		return err
	}
	own, err := encoded(structural.Unfold())
	if err != nil {
		return err
	}
	common := object(kind, "properties")
	addEmbedded(own, object(common, embedded))
	delete(common, embedded)
	properties := object(own, "properties")
	if properties == nil {
		properties = node{}
	}
	maps.Copy(properties, common)
	own["properties"] = properties
	maps.Copy(kind, own)
	return nil
}

// encoded returns a schema as the API server writes it.
func encoded(s *structuralschema.Structural) (node, error) {
	data, err := json.Marshal(s.ToKubeOpenAPI())
	if err != nil {
		return nil, err
	}
	var out node
	return out, json.Unmarshal(data, &out)
}

// addEmbedded adds what an embedded resource has to those in a schema.
func addEmbedded(schema, resource node) {
	for key := range object(schema, "properties") {
		addEmbedded(object(schema, "properties", key), resource)
	}
	for _, keyword := range []string{"items", "additionalProperties"} {
		if below := object(schema, keyword); below != nil {
			addEmbedded(below, resource)
		}
	}
	if schema["x-kubernetes-embedded-resource"] != true {
		return
	}
	properties := object(schema, "properties")
	if properties == nil {
		properties = node{}
	}
	maps.Copy(properties, object(resource, "properties"))
	required, _ := schema["required"].([]any)
	for _, key := range []any{"kind", "apiVersion"} {
		if !slices.Contains(required, key) {
			required = append(required, key)
		}
	}
	schema["properties"], schema["required"] = properties, required
}
