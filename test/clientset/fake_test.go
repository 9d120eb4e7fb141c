// Package clients tests the clientset of sdk/go without an API server: the fake one, on which its
// users test their own code, listers, informers and apply configurations.
package clientset

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	apply "github.com/flux-framework/flux-operator/sdk/go/applyconfiguration/api/v1alpha1"
	"github.com/flux-framework/flux-operator/sdk/go/clientset/versioned"
	"github.com/flux-framework/flux-operator/sdk/go/clientset/versioned/fake"
)

const namespace = "flux"

func miniCluster(name string) *api.MiniCluster {
	return &api.MiniCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"app": name}},
		Spec:       api.MiniClusterSpec{Size: 4, Containers: []api.MiniClusterContainer{{Image: "lammps", Command: "lmp"}}},
	}
}

// TestFakeTracker goes through the verbs.
func TestFakeTracker(t *testing.T) {
	ctx := t.Context()
	clients := fake.NewClientset(miniCluster("there"))
	var _ versioned.Interface = clients
	miniClusters := clients.FluxFrameworkV1alpha1().MiniClusters(namespace)

	watched, err := miniClusters.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer watched.Stop()
	generated, err := miniClusters.Create(ctx, miniCluster("new"), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"there", "new"} { // as on the server, a watch from nowhere begins with what there is
		if event := <-watched.ResultChan(); event.Type != watch.Added || event.Object.(*api.MiniCluster).Name != want {
			t.Errorf("watched %s %+v, want %s", event.Type, event.Object, want)
		}
	}
	if _, err := miniClusters.Create(ctx, miniCluster("new"), metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		t.Errorf("creating it again: %v", err)
	}
	generated.Spec.Size = 5
	if _, err := miniClusters.Update(ctx, generated, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := miniClusters.Patch(ctx, "new", types.MergePatchType, []byte(`{"spec":{"tasks":2}}`),
		metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	got, err := miniClusters.Get(ctx, "new", metav1.GetOptions{})
	if err != nil || got.Spec.Size != 5 || got.Spec.Tasks != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
	list, err := miniClusters.List(ctx, metav1.ListOptions{LabelSelector: "app=there"})
	if err != nil || len(list.Items) != 1 || list.Items[0].Name != "there" {
		t.Errorf("by label: %+v, %v", list, err)
	}
	elsewhere, err := clients.FluxFrameworkV1alpha1().MiniClusters("other").List(ctx, metav1.ListOptions{})
	if err != nil || len(elsewhere.Items) != 0 {
		t.Errorf("in another namespace: %+v, %v", elsewhere, err)
	}
	if err := miniClusters.Delete(ctx, "new", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := miniClusters.Get(ctx, "new", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("getting what was deleted: %v", err)
	}
}

// TestFakeApply: two managers, a conflict, and what each of them has applied.
func TestFakeApply(t *testing.T) {
	ctx := t.Context()
	miniClusters := fake.NewClientset().FluxFrameworkV1alpha1().MiniClusters(namespace)
	ours := apply.MiniCluster("mc", namespace).WithSpec(apply.MiniClusterSpec().WithSize(2).
		WithContainers(apply.MiniClusterContainer().WithImage("lammps")))
	if _, err := miniClusters.Apply(ctx, ours, metav1.ApplyOptions{FieldManager: "ours"}); err != nil {
		t.Fatal(err)
	}
	theirs := apply.MiniCluster("mc", namespace).WithSpec(apply.MiniClusterSpec().WithSize(3))
	if _, err := miniClusters.Apply(ctx, theirs, metav1.ApplyOptions{FieldManager: "theirs"}); !apierrors.IsConflict(err) {
		t.Fatalf("applying another size: %v", err)
	}
	got, err := miniClusters.Apply(ctx, theirs, metav1.ApplyOptions{FieldManager: "theirs", Force: true})
	if err != nil {
		t.Fatal(err)
	}
	if got.Spec.Size != 3 || got.Spec.Containers[0].Image != "lammps" {
		t.Errorf("forced: %+v", got.Spec)
	}
	left, err := apply.ExtractMiniCluster(got, "ours")
	if err != nil {
		t.Fatal(err)
	}
	want := apply.MiniCluster("mc", namespace).WithSpec(apply.MiniClusterSpec().
		WithContainers(apply.MiniClusterContainer().WithImage("lammps")))
	if d := cmp.Diff(want, left); d != "" {
		t.Errorf("what is left to the first manager (-want +got):\n%s", d)
	}
	status := apply.MiniCluster("mc",
		namespace).WithStatus(apply.MiniClusterStatus().WithSize(3).WithMaximumSize(3).WithSelector("a=b").WithJobid(""))
	got, err = miniClusters.ApplyStatus(ctx, status, metav1.ApplyOptions{FieldManager: "operator"})
	if err != nil || got.Status.Selector != "a=b" || got.Spec.Size != 3 {
		t.Errorf("status: %+v, %v", got, err)
	}
}

// TestFakeScale: like those of client-go, the fake keeps no scales; a reactor gives them.
func TestFakeScale(t *testing.T) {
	ctx := t.Context()
	clients := fake.NewClientset(miniCluster("mc"))
	scale := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "mc"}, Spec: autoscalingv1.ScaleSpec{Replicas: 4}}
	clients.PrependReactor("get", "miniclusters/scale",
		func(clienttesting.Action) (bool, runtime.Object, error) { return true, scale, nil })
	clients.PrependReactor("update", "miniclusters/scale",
		func(action clienttesting.Action) (bool, runtime.Object, error) {
			scale = action.(clienttesting.UpdateAction).GetObject().(*autoscalingv1.Scale)
			return true, scale, nil
		})
	miniClusters := clients.FluxFrameworkV1alpha1().MiniClusters(namespace)
	got, err := miniClusters.GetScale(ctx, "mc", metav1.GetOptions{})
	if err != nil || got.Spec.Replicas != 4 {
		t.Fatalf("got %+v, %v", got, err)
	}
	got.Spec.Replicas = 7
	if got, err = miniClusters.UpdateScale(ctx, "mc", got, metav1.UpdateOptions{}); err != nil || got.Spec.Replicas != 7 ||
		scale.Spec.Replicas != 7 {
		t.Errorf("updated to %+v, %v", got, err)
	}
}

// TestApplyConfiguration: only what was set is sent, zeros that were set too.
func TestApplyConfiguration(t *testing.T) {
	got, err := json.Marshal(apply.MiniCluster("mc", namespace).WithSpec(apply.MiniClusterSpec().WithInteractive(false)))
	want := `{"kind":"MiniCluster","apiVersion":"flux-framework.org/v1alpha1","metadata":{"name":"mc","namespace":"flux"},"spec":{"interactive":false}}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// TestGroup: what the generated code and its users name the API by.
func TestGroup(t *testing.T) {
	for got, want := range map[string]string{
		api.SchemeGroupVersion.String():               "flux-framework.org/v1alpha1",
		api.GroupVersion.String():                     "flux-framework.org/v1alpha1",
		api.Kind("MiniCluster").String():              "MiniCluster.flux-framework.org",
		api.Resource("miniclusters").String():         "miniclusters.flux-framework.org",
		api.SchemeGroupVersion.WithKind("X").String(): "flux-framework.org/v1alpha1, Kind=X",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	scheme := runtime.NewScheme()
	if err := api.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"MiniCluster", "MiniClusterList"} {
		if !scheme.Recognizes(api.SchemeGroupVersion.WithKind(kind)) {
			t.Errorf("the scheme does not know %s", kind)
		}
	}
}
