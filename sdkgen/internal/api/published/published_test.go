package published_test

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdopenapi "k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apiserver/pkg/endpoints/openapi"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/published"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestPublished holds the files of published against the linked API server's own code; -update writes them. That
// other names, and fewer subresources, give what the API server gives for them is checkPublished's.
func TestPublished(t *testing.T) {
	for _, scope := range []apiextensionsv1.ResourceScope{apiextensionsv1.NamespaceScoped, apiextensionsv1.ClusterScoped} {
		var data bytes.Buffer
		enc := json.NewEncoder(&data)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", " ")
		if err := enc.Encode(clientIDs(publish(t, published.Sample(scope)))); err != nil {
			t.Fatal(err)
		}
		testkit.CheckFile(t, path.Join("published", string(scope)+".json"), published.Template(data.String()))
	}
}

// publish returns what the API server publishes of a CRD with one version.
func publish(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition) map[string]any {
	t.Helper()
	raw, err := crdopenapi.BuildOpenAPIV2(crd, crd.Spec.Versions[0].Name, crdopenapi.Options{V2: true})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(raw)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// clientIDs takes the group and version, which are also in the tag, out of the ids of a document's
// operations, as Kubernetes' own clients do: createExampleOrgV1NamespacedWidget, with the tag exampleOrg_v1, is
// createNamespacedWidget.
func clientIDs(doc map[string]any) map[string]any {
	for _, item := range doc["paths"].(map[string]any) {
		for _, member := range item.(map[string]any) {
			op, ok := member.(map[string]any)
			if !ok { // parameters
				continue
			}
			var groupVersion string
			for part := range strings.SplitSeq(op["tags"].([]any)[0].(string), "_") {
				groupVersion += openapi.ToValidOperationID(part, true)
			}
			op["operationId"] = strings.Replace(op["operationId"].(string), groupVersion, "", 1)
		}
	}
	return doc
}
