package swagger

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/go-openapi/spec"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/published"
)

// templates are what the API server publishes for a CRD of each scope with all subresources: documents of Swagger 2.0,
// their operations with the ids of the official clients. TestPublished writes them, with the API server's own code, which takes a
// quarter of sdkgen's build where it is linked.
//
//go:embed published
var templates embed.FS

// readPublished returns what the API server publishes for a version of a CRD.
func readPublished(crd *apiextensionsv1.CustomResourceDefinition, version string) (*spec.Swagger, error) {
	data, err := templates.ReadFile(publishedFile(crd.Spec.Scope))
	if err != nil {
		return nil, fmt.Errorf("reading the published document: %w", err)
	}
	text := published.Expand(string(data), crd, version)
	doc := &spec.Swagger{}
	if err := json.Unmarshal([]byte(text), doc); err != nil {
		return nil, fmt.Errorf("reading %s: %w", publishedFile(crd.Spec.Scope), err)
	}
	served, _ := versionOf(crd, version)
	has := served.Subresources
	maps.DeleteFunc(doc.Paths.Paths, func(path string, _ spec.PathItem) bool {
		return strings.HasSuffix(path, "/{name}/status") && (has == nil || has.Status == nil) ||
			strings.HasSuffix(path, "/{name}/scale") && (has == nil || has.Scale == nil)
	})
	return doc, nil
}

// publishedFile is the file of a scope in published.
func publishedFile(scope apiextensionsv1.ResourceScope) string {
	return "published/" + string(scope) + ".json"
}
