package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/internal/controller"
)

// generate returns the objects that fluxoperator-gen prints for a MiniCluster.
func (s *suite) generate(t *testing.T, mc *api.MiniCluster) []*unstructured.Unstructured {
	t.Helper()
	input := &api.MiniCluster{Spec: mc.Spec}
	input.SetGroupVersionKind(api.SchemeGroupVersion.WithKind("MiniCluster"))
	input.Name, input.Namespace = mc.Name, mc.Namespace
	text, err := yaml.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(filepath.Join(s.dir, "fluxoperator-gen"), "-f", "-", "-o", "json")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("fluxoperator-gen: %v\n%s", err, &stderr)
	}
	var list unstructured.UnstructuredList
	if err := list.UnmarshalJSON(stdout.Bytes()); err != nil {
		t.Fatal(err)
	}
	var found []*unstructured.Unstructured
	for i := range list.Items {
		found = append(found, &list.Items[i])
	}
	return found
}

func exampleFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(root + "/examples/minicluster/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	return files
}

// TestGenerate: the objects that fluxoperator-gen prints, created in one namespace, are the same on the
// server as those that the operator creates in another.
func TestGenerate(t *testing.T) {
	s := need(t)
	s.manager(t, s.kubeconfig)
	for _, file := range exampleFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			by, alone := s.namespace(t), s.namespace(t)
			printed := examples(t, file, alone)
			for i, mc := range examples(t, file, by) {
				if err := s.client.Create(t.Context(), mc); err != nil {
					t.Fatal(err)
				}
				s.await(t, mc, api.ConditionJobReady)
				objects := s.generate(t, printed[i])
				if got, want := len(objects), len(expected(t, mc)); got != want {
					t.Errorf("fluxoperator-gen prints %d objects, the operator creates %d", got, want)
				}
				for _, object := range objects {
					s.compare(t, object, by, alone)
				}
			}
		})
	}
}

// compare creates an object unless it exists, and compares it with the operator's in another namespace.
func (s *suite) compare(t *testing.T, object *unstructured.Unstructured, by, alone string) {
	t.Helper()
	err := s.client.Create(t.Context(), object)
	if apierrors.IsAlreadyExists(err) { // MiniClusters share it
		err = s.client.Get(t.Context(), client.ObjectKeyFromObject(object), object)
	}
	if err != nil {
		t.Fatal(err)
	}
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(object.GroupVersionKind())
	namespace := by
	if object.GetNamespace() == "" {
		namespace = ""
	}
	name := strings.ReplaceAll(object.GetName(), alone, by)
	if object.GetKind() == "Secret" {
		name = s.nameOfKeys(t, by, name)
	}
	live = get(t, s, live, namespace, name)
	if d := cmp.Diff(normal(t, object, alone), normal(t, live, by)); d != "" {
		t.Errorf("%s %s, fluxoperator-gen and operator: %s", object.GetKind(), object.GetName(), d)
	}
}

// normal encodes an object without fields that the server sets, the operator's annotations, generated
// keys and the name of the namespace.
func normal(t *testing.T, object *unstructured.Unstructured, namespace string) string {
	t.Helper()
	o := object.DeepCopy()
	delete(o.Object, "status")
	for _, field := range []string{"uid", "resourceVersion", "creationTimestamp", "generation", "managedFields",
		"ownerReferences", "finalizers"} {
		unstructured.RemoveNestedField(o.Object, "metadata", field)
	}
	annotations := o.GetAnnotations()
	for name := range annotations {
		if slices.Contains([]string{controller.AnnotationSpec, controller.AnnotationObjects,
			controller.AnnotationNamespaceUID}, name) || strings.Contains(name, "kubernetes.io/") {
			delete(annotations, name)
		}
	}
	if o.SetAnnotations(annotations); len(annotations) == 0 {
		o.SetAnnotations(nil)
	}
	for _, path := range [][]string{
		{"spec", "clusterIP"}, {"spec", "clusterIPs"}, // any free address
		{"spec", "selector", "matchLabels"}, {"spec", "template", "metadata", "labels", "batch.kubernetes.io/controller-uid"},
		{"spec", "template", "metadata", "labels", "controller-uid"},
		{"spec", "claimRef", "uid"}, {"spec", "claimRef", "resourceVersion"}, {"spec", "nodeName"},
	} {
		unstructured.RemoveNestedField(o.Object, path...)
	}
	if data, ok := o.Object["data"].(map[string]any); ok {
		for key := range data {
			if o.GetKind() == "Secret" {
				data[key] = "random"
			}
		}
	}
	text, err := yaml.Marshal(o.Object)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(oneToken(t, o, keyHash.ReplaceAllString(string(text), "$1")), namespace, "NAMESPACE")
}

// oneToken replaces the random name of the service account token's volume, which the server adds.
func oneToken(t *testing.T, o *unstructured.Unstructured, text string) string {
	t.Helper()
	volumes, _, err := unstructured.NestedSlice(o.Object, "spec", "volumes")
	if err != nil {
		t.Fatal(err)
	}
	for _, volume := range volumes {
		fields, ok := volume.(map[string]any)
		name := fmt.Sprint(fields["name"])
		if ok && strings.HasPrefix(name, "kube-api-access-") {
			text = strings.ReplaceAll(text, name, "kube-api-access")
		}
	}
	return text
}

// TestWithoutOperator: the objects that fluxoperator-gen prints run without an operator.
func TestWithoutOperator(t *testing.T) {
	s := need(t)
	ns := s.namespace(t)
	mc, err := cluster(ns, "mc", `
size: 3
containers: [{image: any, command: hostname, volumes: {v: {path: /v}}}]
services: [{name: cache, image: any, ports: [6379]}]
volumes: {v: {path: /mnt/e2e}}
`)
	if err != nil {
		t.Fatal(err)
	}
	var items []json.RawMessage
	for _, object := range s.generate(t, mc) {
		items = append(items, encode(t, object.Object))
	}
	list := encode(t, map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	kubectl(t, string(list), "apply", "--filename", "-")
	eventually(t, patience, func() string {
		job := get(t, s, &batchv1.Job{}, ns, "mc")
		if !slices.ContainsFunc(job.Status.Conditions,
			func(c batchv1.JobCondition) bool { return c.Type == batchv1.JobComplete }) {
			return fmt.Sprintf("the Job has not completed: %+v", job.Status)
		}
		return ""
	})
	if len(items) != len(expected(t, mc)) {
		t.Errorf("%d objects", len(items))
	}
	if again := kubectl(t, string(list), "apply", "--filename", "-"); strings.Contains(again, "configured") {
		t.Errorf("applying again changes objects:\n%s", again)
	}
}
