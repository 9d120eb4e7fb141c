package schemas_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/server"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/schemas"
)

// created is how many random manifests of each API the API server is asked about.
const created = 200

// TestServer compares with the API server of KUBECONFIG (make test-e2e ONLY=breaking): the OpenAPI documents with those
// that it publishes for the same CRDs, and what the JSON Schemas say of random manifests with its answers.
func TestServer(t *testing.T) {
	if os.Getenv("KUBECONFIG") == "" {
		if os.Getenv("CI") == "true" && os.Getenv("E2E") != "" {
			t.Fatal("KUBECONFIG is not set")
		}
		t.Skip("KUBECONFIG is not set; `make test-e2e ONLY=breaking` starts a control plane")
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	config.QPS, config.WarningHandler = -1, rest.NoWarnings{}
	s := &liveServer{host: config.Host}
	if s.http, err = rest.HTTPClientFor(config); err != nil {
		t.Fatal(err)
	}
	if s.dynamic, err = dynamic.NewForConfig(config); err != nil {
		t.Fatal(err)
	}
	for _, api := range apis(t) {
		t.Run(api.name, func(t *testing.T) {
			for _, definition := range definitions(t, api.dir) {
				s.install(t, definition)
			}
			all := resources(t, api.dir)
			for groupVersion, group := range byVersion(all) {
				within(t, func() error { return s.documents(t, groupVersion, group) })
			}
			for i, r := range all {
				s.manifests(t, r, created/len(all)+1, uint64(100+i))
			}
		})
	}
}

type liveServer struct {
	host    string
	http    *http.Client
	dynamic dynamic.Interface
}

func (s *liveServer) install(t *testing.T, definition *apiextensionsv1.CustomResourceDefinition) {
	t.Helper()
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(definition)
	if err != nil {
		t.Fatal(err)
	}
	delete(object, "status")
	definitions := s.dynamic.Resource(apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions"))
	if _, err := definitions.Create(t.Context(), &unstructured.Unstructured{Object: object},
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		if err := definitions.Delete(ctx, definition.Name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
		within(t, func() error { // other tests install it too
			_, err := definitions.Get(ctx, definition.Name, metav1.GetOptions{})
			switch {
			case apierrors.IsNotFound(err):
				return nil
			case err != nil:
				return err
			}
			return fmt.Errorf("%s is still there", definition.Name)
		})
	})
}

// within waits until try has no error.
func within(t *testing.T, try func() error) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(250 * time.Millisecond) {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// documents compares the OpenAPI document of a group and version.
func (s *liveServer) documents(t *testing.T, groupVersion string, group []schemas.Resource) error {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.host+"/openapi/v3/apis/"+groupVersion, nil)
	if err != nil {
		return err
	}
	response, err := s.http.Do(request)
	if err != nil {
		return err
	}
	var published map[string]any
	err = errors.Join(json.NewDecoder(response.Body).Decode(&published), response.Body.Close())
	if err != nil {
		return fmt.Errorf("%s: %w", response.Status, err)
	}
	document, err := schemas.OpenAPI(group...)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(settled(published), settled(decoded(t, document))); diff != "" {
		return fmt.Errorf("%s (-API server +document):\n%s", groupVersion, diff)
	}
	return nil
}

// settled returns a document without what differs between releases of Kubernetes: in the schemas of its own types the
// descriptions, the zero values that they have for defaults, and the groups that share a type.
func settled(document map[string]any) map[string]any {
	components, _ := document["components"].(map[string]any)
	all, _ := components["schemas"].(map[string]any)
	for name, schema := range all {
		if strings.HasPrefix(name, "io.k8s.api") {
			all[name] = plain(schema)
		}
	}
	return document
}

func plain(value any) any {
	switch value := value.(type) {
	case map[string]any:
		if branches, ok := value["allOf"].([]any); ok && len(branches) == 1 {
			return plain(branches[0])
		}
		for _, keyword := range []string{"default", "x-kubernetes-group-version-kind"} {
			delete(value, keyword)
		}
		for key, below := range value {
			if _, isText := below.(string); isText && key == "description" {
				delete(value, key)
				continue
			}
			value[key] = plain(below)
		}
	case []any:
		for i := range value {
			value[i] = plain(value[i])
		}
	}
	return value
}

// manifests compares verdicts on manifests of a resource. What the schema does not know may be refused.
func (s *liveServer) manifests(t *testing.T, r schemas.Resource, count int, seed uint64) {
	t.Helper()
	c := newComparison(t, r, seed)
	ruled, err := server.New(r.Definition, r.Version)
	if err != nil {
		t.Fatal(err)
	}
	gvr := runtimeschema.GroupVersionResource{Group: r.Definition.Spec.Group, Version: r.Version,
		Resource: r.Definition.Spec.Names.Plural}
	var client dynamic.ResourceInterface = s.dynamic.Resource(gvr)
	if r.Definition.Spec.Scope == apiextensionsv1.NamespaceScoped {
		client = s.dynamic.Resource(gvr).Namespace("default")
	}
	valid, refused, rules := 0, 0, 0
	for range count {
		manifest, data := c.manifest(t)
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
		if err != nil {
			t.Fatal(err)
		}
		text := c.validator.Validate(value)
		_, err = client.Create(t.Context(), &unstructured.Unstructured{Object: runtime.DeepCopyJSON(manifest)},
			metav1.CreateOptions{
				DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationStrict,
			})
		_, errs := ruled.Valid(manifest)
		switch {
		case err == nil && text == nil:
			valid++
		case err == nil && !listForText(c.props, manifest) && !inStatus(text):
			t.Errorf("the API server accepts it, but the schema says %v\n%s", text, data)
		case err != nil && text == nil && len(errs) == 0:
			t.Errorf("the API server says %v, but the schema accepts it\n%s", err, data)
		case text == nil:
			rules++
		default:
			refused++
		}
	}
	t.Logf("%s: %d manifests are valid, %d not, %d break a CEL rule or have the same keys", gvr, valid, refused, rules)
}

// inStatus says whether all errors are in the status, which the API server drops of a manifest.
func inStatus(err error) bool {
	var failed *jsonschema.ValidationError
	if !errors.As(err, &failed) {
		return false
	}
	if len(failed.Causes) == 0 {
		return len(failed.InstanceLocation) > 0 && failed.InstanceLocation[0] == "status"
	}
	return !slices.ContainsFunc(failed.Causes, func(cause *jsonschema.ValidationError) bool { return !inStatus(cause) })
}
