package e2e

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	apply "github.com/flux-framework/flux-operator/sdk/go/applyconfiguration/api/v1alpha1"
	"github.com/flux-framework/flux-operator/sdk/go/clientset/versioned"
	typed "github.com/flux-framework/flux-operator/sdk/go/clientset/versioned/typed/api/v1alpha1"
	"github.com/flux-framework/flux-operator/sdk/go/informers/externalversions"
)

// clientset returns a clientset, and the name of a new namespace.
func (s *suite) clientset(t *testing.T) (versioned.Interface, string) {
	t.Helper()
	clients, err := versioned.NewForConfig(s.config)
	if err != nil {
		t.Fatal(err)
	}
	return clients, s.namespace(t)
}

// nobody returns the config of a user without permissions.
func (s *suite) nobody() *rest.Config {
	config := rest.CopyConfig(s.config)
	config.Impersonate = rest.ImpersonationConfig{UserName: "nobody", Groups: []string{"system:authenticated"}}
	return config
}

// small is a MiniCluster of two pods.
func small(namespace, name string) *api.MiniCluster {
	return &api.MiniCluster{
		ObjectMeta: named(namespace, name),
		Spec:       api.MiniClusterSpec{Size: 2, Containers: []api.MiniClusterContainer{{Image: "any", Command: "true"}}},
	}
}

// TestClientset uses each verb.
func TestClientset(t *testing.T) {
	s := need(t)
	clients, namespace := s.clientset(t)
	miniClusters := clients.FluxFrameworkV1alpha1().MiniClusters(namespace)
	ctx := t.Context()

	generated, err := miniClusters.Create(ctx, small(namespace, "mc"), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if generated.UID == "" || generated.Spec.Tasks != 1 || generated.Spec.DeadlineSeconds != 31500000 {
		t.Errorf("the server's defaults are missing: %+v", generated.Spec)
	}
	generated.Labels = map[string]string{"client": "typed"}
	updated, err := miniClusters.Update(ctx, generated, metav1.UpdateOptions{})
	if err != nil || updated.Generation != generated.Generation || updated.ResourceVersion == generated.ResourceVersion {
		t.Errorf("a label: %+v, %v", updated, err)
	}
	updated.Status = api.MiniClusterStatus{Size: 2, MaximumSize: 2, Selector: "a=b"}
	if updated, err = miniClusters.UpdateStatus(ctx, updated, metav1.UpdateOptions{}); err != nil ||
		updated.Status.Selector != "a=b" {
		t.Errorf("the status: %+v, %v", updated, err)
	}
	patched, err := miniClusters.Patch(ctx, "mc", types.MergePatchType, []byte(`{"spec":{"tasks":3}}`),
		metav1.PatchOptions{})
	if err != nil || patched.Spec.Tasks != 3 {
		t.Errorf("a patch: %+v, %v", patched, err)
	}
	list, err := miniClusters.List(ctx, metav1.ListOptions{LabelSelector: "client=typed", Limit: 1})
	if err != nil || len(list.Items) != 1 || list.ResourceVersion == "" {
		t.Errorf("the list: %+v, %v", list, err)
	}
	scale, err := miniClusters.GetScale(ctx, "mc", metav1.GetOptions{})
	if err != nil || scale.Spec.Replicas != 2 || scale.Status.Selector != "a=b" {
		t.Fatalf("the scale: %+v, %v", scale, err)
	}
	scale.Spec.Replicas = 1
	if scale, err = miniClusters.UpdateScale(ctx, "mc", scale, metav1.UpdateOptions{}); err != nil ||
		scale.Spec.Replicas != 1 {
		t.Errorf("scaling: %+v, %v", scale, err)
	}
	if got, err := miniClusters.Get(ctx, "mc", metav1.GetOptions{}); err != nil || got.Spec.Size != 1 {
		t.Errorf("scaled: %+v, %v", got, err)
	}
	if err := miniClusters.DeleteCollection(ctx, metav1.DeleteOptions{},
		metav1.ListOptions{LabelSelector: "client=typed"}); err != nil {
		t.Fatal(err)
	}
	if _, err := miniClusters.Get(ctx, "mc", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("deleted: %v", err)
	}
}

// TestClientsetErrors: errors have their types, and the field if the server names one.
func TestClientsetErrors(t *testing.T) {
	s := need(t)
	clients, namespace := s.clientset(t)
	miniClusters := clients.FluxFrameworkV1alpha1().MiniClusters(namespace)
	ctx := t.Context()
	generated, err := miniClusters.Create(ctx, small(namespace, "mc"), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	generated.Labels = map[string]string{"a": "b"}
	if _, err := miniClusters.Update(ctx, generated.DeepCopy(), metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	generated.Labels["a"] = "c"
	invalid := small(namespace, "invalid")
	invalid.Spec.Containers = nil
	foreign, err := typed.NewForConfig(s.nobody())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		is func(error) bool
		do func() error
	}{
		"not found": {apierrors.IsNotFound, func() error {
			_, err := miniClusters.Get(ctx, "none",
				metav1.GetOptions{})
			return err
		}},
		"already exists": {apierrors.IsAlreadyExists, func() error {
			_, err := miniClusters.Create(ctx, small(namespace, "mc"), metav1.CreateOptions{})
			return err
		}},
		"conflict": {apierrors.IsConflict, func() error {
			_, err := miniClusters.Update(ctx, generated,
				metav1.UpdateOptions{})
			return err
		}},
		"invalid": {apierrors.IsInvalid, func() error {
			_, err := miniClusters.Create(ctx, invalid,
				metav1.CreateOptions{})
			return err
		}},
		"forbidden": {apierrors.IsForbidden, func() error {
			_, err := foreign.MiniClusters(namespace).List(ctx,
				metav1.ListOptions{})
			return err
		}},
	} {
		if err := c.do(); !c.is(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err = miniClusters.Create(ctx, invalid, metav1.CreateOptions{})
	if status := apierrors.APIStatus(nil); !errors.As(err, &status) ||
		status.Status().Details.Causes[0].Field != "spec.containers" {
		t.Errorf("the error does not name the field: %v", err)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := miniClusters.List(done, metav1.ListOptions{}); err == nil || done.Err() == nil {
		t.Error("a list ignores the cancellation of its context")
	}
}

// TestClientsetApply: two field managers, a conflict, force, and the fields that each has applied.
func TestClientsetApply(t *testing.T) {
	s := need(t)
	clients, namespace := s.clientset(t)
	miniClusters := clients.FluxFrameworkV1alpha1().MiniClusters(namespace)
	ctx := t.Context()
	ours := apply.MiniCluster("mc", namespace).WithSpec(apply.MiniClusterSpec().WithSize(2).
		WithContainers(apply.MiniClusterContainer().WithImage("any")))
	if _, err := miniClusters.Apply(ctx, ours, metav1.ApplyOptions{FieldManager: "ours"}); err != nil {
		t.Fatal(err)
	}
	theirs := apply.MiniCluster("mc", namespace).WithSpec(apply.MiniClusterSpec().WithSize(1))
	_, err := miniClusters.Apply(ctx, theirs, metav1.ApplyOptions{FieldManager: "theirs"})
	if cause, ok := apierrors.StatusCause(err, metav1.CauseTypeFieldManagerConflict); !apierrors.IsConflict(err) || !ok ||
		cause.Field != ".spec.size" {
		t.Fatalf("another size: %v", err)
	}
	got, err := miniClusters.Apply(ctx, theirs, metav1.ApplyOptions{FieldManager: "theirs", Force: true})
	if err != nil || got.Spec.Size != 1 {
		t.Fatalf("forced: %+v, %v", got, err)
	}
	left, err := apply.ExtractMiniCluster(got, "ours")
	if err != nil || left.Spec.Size != nil || len(left.Spec.Containers) != 1 {
		t.Errorf("fields of the first manager: %+v, %v", left, err)
	}
	left.WithLabels(map[string]string{"a": "b"})
	if got, err = miniClusters.Apply(ctx, left, metav1.ApplyOptions{FieldManager: "ours"}); err != nil ||
		got.Labels["a"] != "b" || got.Spec.Size != 1 {
		t.Errorf("applied again: %+v, %v", got, err)
	}
	status := apply.MiniCluster("mc", namespace).WithStatus(apply.MiniClusterStatus().
		WithSize(1).WithMaximumSize(2).WithSelector("").WithJobid(""))
	got, err = miniClusters.ApplyStatus(ctx, status, metav1.ApplyOptions{FieldManager: "operator"})
	if err != nil || got.Status.MaximumSize != 2 {
		t.Fatalf("the status: %+v, %v", got, err)
	}
	if kept, err := apply.ExtractMiniClusterStatus(got, "operator"); err != nil || *kept.Status.MaximumSize != 2 ||
		kept.Spec != nil {
		t.Errorf("the status that was applied: %+v, %v", kept, err)
	}
}

// TestClientsetWatch: a watch ends when the API server restarts, and the client has to list and watch
// again; an informer does so by itself.
func TestClientsetWatch(t *testing.T) {
	s := need(t)
	clients, namespace := s.clientset(t)
	miniClusters := clients.FluxFrameworkV1alpha1().MiniClusters(namespace)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()

	factory := externalversions.NewSharedInformerFactoryWithOptions(clients, 0, externalversions.WithNamespace(namespace))
	defer factory.Shutdown()
	informed, stop := context.WithCancel(ctx)
	defer stop()
	informer := factory.FluxFramework().V1alpha1().MiniClusters()
	handled := handle(t, informer.Informer())
	factory.StartWithContext(informed)
	if !cache.WaitForCacheSync(ctx.Done(), informer.Informer().HasSynced) {
		t.Fatal("the informer has not synced")
	}
	list, err := miniClusters.List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	before, err := miniClusters.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	generated, err := miniClusters.Create(ctx, small(namespace, "before"), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if event := next(ctx, t, before); event.Type != watch.Added || event.Object.(*api.MiniCluster).UID != generated.UID {
		t.Errorf("watched %+v", event)
	}
	await(ctx, t, handled, "added before")

	restartServer(t, before, func() error {
		_, err := miniClusters.Create(ctx, small(namespace, "after"), metav1.CreateOptions{})
		return err
	})
	if list, err = miniClusters.List(ctx, metav1.ListOptions{}); err != nil || len(list.Items) != 2 {
		t.Fatalf("listed after the restart: %+v, %v", list, err)
	}
	// The server may have dropped old resource versions: list again, as the informer does.
	after, err := miniClusters.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	defer after.Stop()
	await(ctx, t, handled, "added after")
	if err := miniClusters.Delete(ctx, "before", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if event := next(ctx, t, after); event.Type != watch.Deleted || event.Object.(*api.MiniCluster).UID != generated.UID {
		t.Errorf("watched after the restart: %+v", event)
	}
	await(ctx, t, handled, "deleted before")
	if _, err := informer.Lister().MiniClusters(namespace).Get("after"); err != nil {
		t.Errorf("the lister: %v", err)
	}
}

// handle returns a channel of the events of an informer.
func handle(t *testing.T, informer interface {
	AddEventHandler(cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error)
}) <-chan string {
	t.Helper()
	handled := make(chan string, 16)
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { handled <- "added " + object.(*api.MiniCluster).Name },
		DeleteFunc: func(object any) { handled <- "deleted " + object.(*api.MiniCluster).Name },
	}); err != nil {
		t.Fatal(err)
	}
	return handled
}

// restartServer restarts the API server, waits until a watch is closed, and creates an object.
func restartServer(t *testing.T, events watch.Interface, create func() error) {
	t.Helper()
	restart(t, "kube-apiserver")
	for range events.ResultChan() { // closed with the connection
	}
	eventually(t, patience, func() string {
		if err := create(); err != nil && !apierrors.IsAlreadyExists(err) {
			return err.Error()
		}
		return ""
	})
}

// next returns the next event of a watch.
func next(ctx context.Context, t *testing.T, events watch.Interface) watch.Event {
	t.Helper()
	select {
	case event, open := <-events.ResultChan():
		if !open {
			t.Fatal("the watch has ended")
		}
		return event
	case <-ctx.Done():
		t.Fatal("no event")
	}
	return watch.Event{}
}

// await waits for a message of an event handler.
func await(ctx context.Context, t *testing.T, handled <-chan string, want string) {
	t.Helper()
	for {
		select {
		case got := <-handled:
			if got == want {
				return
			}
			t.Logf("got %q before %q", got, want)
		case <-ctx.Done():
			t.Fatalf("no %q", want)
		}
	}
}
