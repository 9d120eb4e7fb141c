package published

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/go-openapi/spec"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// templates are what the API server publishes for a CRD of each scope with all subresources: documents of Swagger 2.0,
// their operations with the ids of the official clients. TestPublished writes them, with the API server's own code,
// which takes a quarter of sdkgen's build where it is linked.
//
//go:embed published
var templates embed.FS

// Read returns what the API server publishes for a version of a CRD.
func Read(crd *apiextensionsv1.CustomResourceDefinition, version string) (*spec.Swagger, error) {
	data, err := templates.ReadFile(file(crd.Spec.Scope))
	if err != nil {
		return nil, fmt.Errorf("reading the published document: %w", err)
	}
	doc := &spec.Swagger{}
	if err := json.Unmarshal([]byte(Expand(string(data), crd, version)), doc); err != nil {
		return nil, fmt.Errorf("reading %s: %w", file(crd.Spec.Scope), err)
	}
	has := subresources(crd, version)
	maps.DeleteFunc(doc.Paths.Paths, func(path string, _ spec.PathItem) bool {
		return strings.HasSuffix(path, "/{name}/status") && has.Status == nil ||
			strings.HasSuffix(path, "/{name}/scale") && has.Scale == nil
	})
	return doc, nil
}

func subresources(
	crd *apiextensionsv1.CustomResourceDefinition, name string,
) apiextensionsv1.CustomResourceSubresources {
	for _, version := range crd.Spec.Versions {
		if version.Name == name && version.Subresources != nil {
			return *version.Subresources
		}
	}
	return apiextensionsv1.CustomResourceSubresources{}
}

// file is the template of a scope.
func file(scope apiextensionsv1.ResourceScope) string { return "published/" + string(scope) + ".json" }
