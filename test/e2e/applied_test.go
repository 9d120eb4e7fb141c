package e2e

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	apply "github.com/flux-framework/flux-operator/sdk/go/applyconfiguration/api/v1alpha1"
)

// applied is a case of testdata/applied.json: what is applied, and the fields that its manager then has.
// test/e2e/python applies the same with the Python SDK.
type applied struct {
	Applied  any `json:"applied"`
	FieldsV1 any `json:"fieldsV1"`
}

// appliedCases are the cases by the name of their MiniCluster.
func appliedCases(namespace string) map[string]*apply.MiniClusterApplyConfiguration {
	container := apply.MiniClusterContainer().WithImage("any").WithRunFlux(true).WithPorts(80, 443).
		WithEnvironment(map[string]string{"A": "1"}).
		WithVolumes(map[string]apply.ContainerVolumeApplyConfiguration{"data": *apply.ContainerVolume().WithPath("/data")}).
		WithResources(apply.ContainerResources().WithLimits(map[string]intstr.IntOrString{"cpu": intstr.FromInt32(2),
			"memory": intstr.FromString("1Gi")}))
	sidecar := apply.MiniClusterContainer().WithName("other").WithImage("any").WithCommand("sleep 1")
	volume := apply.MiniClusterVolume().WithPath("/mnt/data").WithCapacity("1Gi")
	return map[string]*apply.MiniClusterApplyConfiguration{
		"labels-only": apply.MiniCluster("labels-only", namespace).WithLabels(map[string]string{"a": "b"}).
			WithSpec(apply.MiniClusterSpec().WithContainers(apply.MiniClusterContainer().WithImage("any"))),
		"rich": apply.MiniCluster("rich", namespace).
			WithLabels(map[string]string{"a": "b", "c.d/e": "f"}).WithAnnotations(map[string]string{"g": "h"}).
			WithSpec(apply.MiniClusterSpec().WithSize(2).WithMaxSize(4).WithInteractive(false).
				WithContainers(container, sidecar).
				WithVolumes(map[string]apply.MiniClusterVolumeApplyConfiguration{"data": *volume}).
				WithJobLabels(map[string]string{"i": "j"}).
				WithRestartPolicy("Never").
				WithPod(apply.PodSpec().WithLabels(map[string]string{"k": "l"})).
				WithFlux(apply.FluxSpec().WithOptionFlags("-v").WithLogLevel(7))),
	}
}

// TestAppliedFields: what is applied, and what the server then says that its manager owns.
func TestAppliedFields(t *testing.T) {
	s := need(t)
	clients, namespace := s.clientset(t)
	data, err := os.ReadFile("testdata/applied.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]applied
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	got := map[string]applied{}
	for name, c := range appliedCases(namespace) {
		stored, err := clients.FluxFrameworkV1alpha1().MiniClusters(namespace).Apply(t.Context(), c,
			metav1.ApplyOptions{FieldManager: "sdk"})
		if err != nil {
			t.Fatal(err)
		}
		applied := applied{Applied: decoded(t, c)}
		object := applied.Applied.(map[string]any)
		delete(object, "apiVersion")
		delete(object, "kind")
		metadata := object["metadata"].(map[string]any)
		delete(metadata, "name")
		delete(metadata, "namespace")
		for _, entry := range stored.ManagedFields {
			if entry.Manager == "sdk" {
				applied.FieldsV1 = decoded(t, entry.FieldsV1)
			}
		}
		got[name] = applied
	}
	if !reflect.DeepEqual(got, want) {
		text, err := json.MarshalIndent(got, "", "  ")
		t.Errorf("testdata/applied.json should be (%v):\n%s", err, text)
	}
}

// decoded is a value as JSON has it.
func decoded(t *testing.T, value any) any {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
