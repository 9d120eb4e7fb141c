package prove_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/sampler"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/server"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/prove"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/report"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/surface"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestServer holds what the package says that the API server does against that of KUBECONFIG (make test-e2e
// ONLY=breaking). For each case of TestRules, in both directions, it installs the old CRD, stores the witnesses and
// random objects, and replaces the CRD.
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
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	var objects, requests atomic.Int64
	t.Cleanup(func() { t.Logf("%d objects, %d requests compared", objects.Load(), requests.Load()) })
	for _, c := range testkit.Cases(t, "*.txtar") {
		for _, parts := range [][2]string{{"old", "now"}, {"now", "old"}} {
			name := c.Name + "-" + parts[1]
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				old, now := parse(t, c.Part(parts[0])), parse(t, c.Part(parts[1]))
				if len(old.CRDs) == 0 || len(now.CRDs) == 0 {
					t.Skip("nothing to replace")
				}
				old.CRDs[0].Spec.Group, now.CRDs[0].Spec.Group = name+".example.org", name+".example.org"
				s := &liveServer{client: client, old: old.CRDs[0], now: now.CRDs[0]}
				s.compare(t, old, now)
				objects.Add(int64(len(s.objects)))
				requests.Add(int64(s.requests))
			})
		}
	}
}

// liveServer compares one pair of CRDs.
type liveServer struct {
	client   dynamic.Interface
	old, now *apiextensionsv1.CustomResourceDefinition
	objects  []*stored
	requests int
}

// stored is an object in the API server.
type stored struct {
	version string
	name    string
	object  map[string]any // as it was made
	read    map[string]any // as the old version gives it
}

func (s *liveServer) compare(t *testing.T, old, now *surface.Surface) {
	changes, err := report.New("the other", old, now, true)
	if err != nil {
		t.Fatal(err)
	}
	s.install(t)
	s.store(t, changes, old, now)
	refused, err := server.Replace(s.old, s.now)
	if err != nil {
		t.Fatal(err)
	}
	if s.replace(t, refused); len(refused) > 0 || len(s.objects) == 0 {
		return
	}
	for _, object := range s.objects {
		after := version(t, s.marked(), object.version)
		s.read(t, object, after)
		s.update(t, object, after)
		s.create(t, object, after)
	}
}

func version(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition, name string) *server.Version {
	t.Helper()
	generated, err := server.New(crd, name)
	if err != nil {
		t.Fatal(err)
	}
	return generated
}

// resource is that of the objects.
func (s *liveServer) resource(version string) dynamic.ResourceInterface {
	client := s.client.Resource(runtimeschema.GroupVersionResource{Group: s.old.Spec.Group, Version: version,
		Resource: s.old.Spec.Names.Plural})
	if s.old.Spec.Scope == apiextensionsv1.ClusterScoped {
		return client
	}
	return client.Namespace("default")
}

func (s *liveServer) definitions() dynamic.ResourceInterface {
	return s.client.Resource(apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions"))
}

func encode(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition) *unstructured.Unstructured {
	t.Helper()
	crd = crd.DeepCopy()
	crd.APIVersion, crd.Kind, crd.Name = apiextensionsv1.SchemeGroupVersion.String(), "CustomResourceDefinition",
		crd.Spec.Names.Plural+"."+crd.Spec.Group
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&crd.Spec)
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(crd)
	if err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: object}
}

// marked is the new CRD with a field by which one sees that the API server has it.
func (s *liveServer) marked() *apiextensionsv1.CustomResourceDefinition {
	crd := s.now.DeepCopy()
	for i := range crd.Spec.Versions {
		if v := crd.Spec.Versions[i].Schema; v != nil {
			v.OpenAPIV3Schema.Properties = maps.Clone(v.OpenAPIV3Schema.Properties)
			if v.OpenAPIV3Schema.Properties == nil {
				v.OpenAPIV3Schema.Properties = map[string]schema{}
			}
			v.OpenAPIV3Schema.Properties["replaced"] = apiextensionsv1.JSONSchemaProps{Type: "boolean",
				Default: &apiextensionsv1.JSON{Raw: []byte("true")}}
		}
	}
	return crd
}

func (s *liveServer) install(t *testing.T) {
	t.Helper()
	crd := encode(t, s.old)
	if _, err := s.definitions().Create(t.Context(), crd, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	name := crd.GetName()
	t.Cleanup(func() {
		if err := s.definitions().Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	})
	for _, v := range s.old.Spec.Versions {
		if v.Served {
			within(t, func() error { _, err := s.resource(v.Name).List(t.Context(), metav1.ListOptions{}); return err })
		}
	}
}

// within waits until try has no error.
func within(t *testing.T, try func() error) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(end) || t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
}

// store stores the witnesses, and random objects.
func (s *liveServer) store(t *testing.T, changes *report.Report, old, now *surface.Surface) {
	t.Helper()
	random := &sampler.Sampler{Rand: rand.New(rand.NewPCG(1, 2))}
	for _, v := range s.old.Spec.Versions {
		if !v.Served || !served(s.now, v.Name) || surface.Schema(s.now, v.Name) == nil ||
			surface.Schema(s.old, v.Name) == nil {
			continue
		}
		apiVersion := s.old.Spec.Group + "/" + v.Name
		var objects []map[string]any
		for _, change := range changes.Changes {
			if change.Witness != nil && change.Witness.Object["apiVersion"] == apiVersion {
				objects = append(objects, change.Witness.Object)
			}
			if change.Place.Version != v.Name || len(change.Steps) == 0 {
				continue
			}
			more, err := prove.Objects(random, change, old, now)
			if err != nil {
				t.Fatal(err)
			}
			objects = append(objects, more...)
		}
		for _, object := range objects {
			s.put(t, v.Name, object)
		}
	}
}

func served(crd *apiextensionsv1.CustomResourceDefinition, version string) bool {
	return slices.ContainsFunc(crd.Spec.Versions,
		func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == version && v.Served })
}

// put stores an object, if it is valid.
func (s *liveServer) put(t *testing.T, name string, object map[string]any) {
	t.Helper()
	valid := version(t, s.old, name)
	if pruned, errs := valid.Valid(object); len(pruned)+len(errs) > 0 {
		return
	}
	generated := &stored{name, fmt.Sprintf("object-%s-%d", name, len(s.objects)), object, nil}
	got, err := s.resource(name).Create(t.Context(), generated.named(), metav1.CreateOptions{FieldValidation: "Strict"})
	if err != nil {
		t.Errorf("the API server refuses what should be valid: %v\n%s", err, inline(object))
		return
	}
	if status, ok := object["status"]; ok && valid.Status() {
		got.Object["status"] = status
		if got, err = s.resource(name).UpdateStatus(t.Context(), got, metav1.UpdateOptions{}); err != nil {
			t.Errorf("the API server refuses what should be a valid status: %v\n%s", err, inline(object))
			return
		}
	}
	want, _ := valid.Read(object)
	generated.read = want
	if diff := cmp.Diff(bare(want), bare(got.Object)); diff != "" {
		t.Errorf("stored otherwise (-want +got):\n%s", diff)
		return
	}
	s.objects = append(s.objects, generated)
}

func (o *stored) named() *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(o.object)}
	object.SetName(o.name)
	return object
}

func inline(object map[string]any) string {
	out, err := json.Marshal(object)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// bare is an object without its metadata.
func bare(object map[string]any) map[string]any {
	object = runtime.DeepCopyJSON(object)
	delete(object, "metadata")
	return object
}

// replace replaces the CRD; refused is what the API server should say.
func (s *liveServer) replace(t *testing.T, refused field.ErrorList) {
	t.Helper()
	crd := encode(t, s.marked())
	old := s.old.Spec.Names.Plural + "." + s.old.Spec.Group
	if crd.GetName() != old {
		if len(refused) == 0 {
			t.Error("another resource, and Replace says nothing")
		}
		return
	}
	within(t, func() error {
		got, err := s.definitions().Get(t.Context(), old, metav1.GetOptions{})
		if err != nil {
			return err
		}
		crd.SetResourceVersion(got.GetResourceVersion())
		_, err = s.definitions().Update(t.Context(), crd, metav1.UpdateOptions{})
		if apierrors.IsConflict(err) {
			return err
		}
		s.same(t, "replacing the CRD", refused, err)
		return nil
	})
	if len(refused) > 0 || len(s.objects) == 0 {
		return
	}
	within(t, func() error {
		got, err := s.resource(s.objects[0].version).Get(t.Context(), s.objects[0].name, metav1.GetOptions{})
		if err == nil && got.Object["replaced"] != true {
			err = errors.New("the API server has the old CRD")
		}
		return err
	})
}
