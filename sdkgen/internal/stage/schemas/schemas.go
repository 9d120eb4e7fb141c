// Package schemas makes documents from CustomResourceDefinitions for programs that know no CRDs: JSON Schemas, by which
// editors and kubeconform validate manifests, and the OpenAPI 3 documents that the API server publishes.
package schemas

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
)

// Stage is the name of the stage that makes the documents.
const Stage = "schemas"

// Resource is a served version of a custom resource.
type Resource struct {
	Definition *apiextensionsv1.CustomResourceDefinition
	Version    string
}

// version returns the version in the CustomResourceDefinition; false if it is not served, or has no schema.
func (r Resource) version() (apiextensionsv1.CustomResourceDefinitionVersion, bool) {
	versions := r.Definition.Spec.Versions
	i := slices.IndexFunc(versions,
		func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == r.Version })
	if i < 0 || !versions[i].Served || versions[i].Schema == nil || versions[i].Schema.OpenAPIV3Schema == nil {
		return apiextensionsv1.CustomResourceDefinitionVersion{}, false
	}
	return versions[i], true
}

// Files returns the documents in dir: a JSON Schema for each resource, named GROUP/KIND_VERSION.json in lower case, as
// kubeconform
// looks for them, and an OpenAPI document for each group and version, openapi/v3/apis/GROUP/VERSION.json, as the API
// server's paths are. Versions that are not served have none.
func Files(dir string, resources ...Resource) (*artifact.Set, error) {
	set := &artifact.Set{}
	groups := map[string][]Resource{}
	for _, resource := range resources {
		if _, ok := resource.version(); !ok {
			continue
		}
		groupVersion := path.Join(resource.Definition.Spec.Group, resource.Version)
		groups[groupVersion] = append(groups[groupVersion], resource)
		schema, err := JSONSchema(resource)
		if err != nil {
			return nil, err
		}
		spec := resource.Definition.Spec
		name := strings.ToLower(fmt.Sprintf("%s/%s_%s.json", spec.Group, spec.Names.Kind, resource.Version))
		if err := put(set, path.Join(dir, name), schema); err != nil {
			return nil, err
		}
	}
	for _, groupVersion := range slices.Sorted(maps.Keys(groups)) {
		document, err := OpenAPI(groups[groupVersion]...)
		if err != nil {
			return nil, err
		}
		if err := put(set, path.Join(dir, "openapi/v3/apis", groupVersion+".json"), document); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// put adds a document to a set.
func put(set *artifact.Set, name string, document any) error {
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(document); err != nil {
		return fmt.Errorf("encoding %s: %w", name, err)
	}
	return set.Put(artifact.File{Path: name, Data: data.Bytes(), Origin: Stage})
}
