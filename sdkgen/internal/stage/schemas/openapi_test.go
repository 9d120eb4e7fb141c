package schemas_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdopenapi "k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/kube-openapi/pkg/spec3"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/published"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/schemas"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestPublished holds the files of published against the linked API server's own code; -update writes them.
func TestPublished(t *testing.T) {
	for _, scope := range []apiextensionsv1.ResourceScope{apiextensionsv1.NamespaceScoped, apiextensionsv1.ClusterScoped} {
		sample := published.Sample(scope)
		sample.Spec.Versions[0].Schema = &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
			Type: "object",
			Properties: map[string]apiextensionsv1.JSONSchemaProps{"zembedded": {Type: "object", XEmbeddedResource: true,
				XPreserveUnknownFields: new(true)}},
		}}
		var data bytes.Buffer
		encoder := json.NewEncoder(&data)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", " ")
		if err := encoder.Encode(publish(t, schemas.Resource{Definition: sample, Version: "zv1"})); err != nil {
			t.Fatal(err)
		}
		file, got := filepath.Join("published", string(scope)+".json"), published.Template(data.String())
		if flag.Lookup("update").Value.String() == "true" {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(string(testkit.Read(t, file)), got); diff != "" {
			t.Errorf("%s is not what the API server publishes, run the test with -update (-file +API server):\n%s", file, diff)
		}
	}
}

// publish returns what the API server publishes for CRDs of one group and version.
func publish(t *testing.T, resources ...schemas.Resource) map[string]any {
	t.Helper()
	var parts []*spec3.OpenAPI
	for _, r := range resources {
		part, err := crdopenapi.BuildOpenAPIV3(r.Definition, r.Version, crdopenapi.Options{IncludeSelectableFields: true})
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part)
	}
	merged, err := crdopenapi.MergeSpecsV3(parts...)
	if err != nil {
		t.Fatal(err)
	}
	return decoded(t, merged)
}

// decoded returns a value as JSON has it.
func decoded(t *testing.T, value any) map[string]any {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestOpenAPI holds the OpenAPI documents of all APIs against what the API server's own code publishes.
func TestOpenAPI(t *testing.T) {
	for _, api := range apis(t) {
		t.Run(api.name, func(t *testing.T) {
			t.Parallel()
			for groupVersion, resources := range byVersion(resources(t, api.dir)) {
				got, err := schemas.OpenAPI(resources...)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(publish(t, resources...), decoded(t, got)); diff != "" {
					t.Errorf("%s (-API server +document):\n%s", groupVersion, diff)
				}
			}
		})
	}
}

// byVersion groups resources by their group and version.
func byVersion(resources []schemas.Resource) map[string][]schemas.Resource {
	out := map[string][]schemas.Resource{}
	for _, r := range resources {
		name := r.Definition.Spec.Group + "/" + r.Version
		out[name] = append(out[name], r)
	}
	return out
}

// TestSame: Files gives the same bytes each time.
func TestSame(t *testing.T) {
	all := resources(t, "testdata")
	var first []byte
	for range 20 {
		set, err := schemas.Files("dir", all...)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		var data []byte
		for file := range set.All() {
			names, data = append(names, file.Path), append(data, file.Data...)
		}
		if diff := cmp.Diff([]string{"dir/example.org/edge_v1.json", "dir/openapi/v3/apis/example.org/v1.json"},
			names); diff != "" {
			t.Fatalf("files (-want +got):\n%s", diff)
		}
		if first == nil {
			first = data
		}
		if !bytes.Equal(first, data) {
			t.Fatal("a second run gives other bytes")
		}
	}
}
