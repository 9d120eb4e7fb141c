package e2e

import (
	"context"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	apply "github.com/flux-framework/flux-operator/sdk/go/applyconfiguration/api/v1alpha1"
)

// TestRuntimeClient uses each verb of controller-runtime's client with the API's types.
func TestRuntimeClient(t *testing.T) {
	s := need(t)
	namespace, ctx := s.namespace(t), t.Context()
	mc := small(namespace, "mc")
	if err := s.client.Create(ctx, mc); err != nil {
		t.Fatal(err)
	}
	if mc.UID == "" || mc.Spec.Tasks != 1 {
		t.Errorf("the server's defaults are missing: %+v", mc.Spec)
	}
	before := mc.DeepCopy()
	mc.Spec.Tasks, mc.Labels = 3, map[string]string{"client": "runtime"}
	if err := s.client.Patch(ctx, mc, client.MergeFrom(before)); err != nil || mc.Spec.Tasks != 3 {
		t.Errorf("a patch: %+v, %v", mc.Spec, err)
	}
	mc.Status = api.MiniClusterStatus{Size: 2, MaximumSize: 2, Selector: "a=b"}
	if err := s.client.Status().Update(ctx, mc); err != nil || mc.Status.Selector != "a=b" {
		t.Errorf("the status: %+v, %v", mc.Status, err)
	}
	var list api.MiniClusterList
	if err := s.client.List(ctx, &list, client.InNamespace(namespace),
		client.MatchingLabels{"client": "runtime"}); err != nil || len(list.Items) != 1 {
		t.Errorf("the list: %+v, %v", list, err)
	}
	scale := &autoscalingv1.Scale{}
	if err := s.client.SubResource("scale").Get(ctx, mc, scale); err != nil || scale.Spec.Replicas != 2 {
		t.Fatalf("the scale: %+v, %v", scale, err)
	}
	scale.Spec.Replicas = 1
	if err := s.client.SubResource("scale").Update(ctx, mc, client.WithSubResourceBody(scale)); err != nil {
		t.Fatal(err)
	}
	if got := get(t, s, &api.MiniCluster{}, namespace, "mc"); got.Spec.Size != 1 {
		t.Errorf("scaled to %d", got.Spec.Size)
	}
	if err := s.client.Delete(ctx, mc); err != nil {
		t.Fatal(err)
	}
	if err := s.client.Get(ctx, client.ObjectKeyFromObject(mc), mc); !apierrors.IsNotFound(err) {
		t.Errorf("deleted: %v", err)
	}
}

// TestRuntimeClientErrors: errors have their types.
func TestRuntimeClientErrors(t *testing.T) {
	s := need(t)
	namespace, ctx := s.namespace(t), t.Context()
	mc := s.create(t, namespace, "mc", "{containers: [{image: any}]}")
	stale := mc.DeepCopy()
	mc.Labels = map[string]string{"a": "b"}
	if err := s.client.Update(ctx, mc); err != nil {
		t.Fatal(err)
	}
	stale.Labels = map[string]string{"a": "c"}
	invalid := small(namespace, "invalid")
	invalid.Spec.Containers = nil
	foreign, err := client.New(s.nobody(), client.Options{Scheme: s.client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		is  func(error) bool
		err error
	}{
		"not found": {apierrors.IsNotFound, s.client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "none"},
			&api.MiniCluster{})},
		"already exists": {apierrors.IsAlreadyExists, s.client.Create(ctx, small(namespace, "mc"))},
		"conflict":       {apierrors.IsConflict, s.client.Update(ctx, stale)},
		"invalid":        {apierrors.IsInvalid, s.client.Create(ctx, invalid)},
		"forbidden":      {apierrors.IsForbidden, foreign.List(ctx, &api.MiniClusterList{}, client.InNamespace(namespace))},
	} {
		if !c.is(c.err) {
			t.Errorf("%s: %v", name, c.err)
		}
	}
}

// TestRuntimeClientApply: controller-runtime's Apply accepts the apply configurations of sdk/go.
func TestRuntimeClientApply(t *testing.T) {
	s := need(t)
	namespace, ctx := s.namespace(t), t.Context()
	ours := apply.MiniCluster("mc", namespace).WithSpec(apply.MiniClusterSpec().WithSize(2).
		WithContainers(apply.MiniClusterContainer().WithImage("any")))
	if err := s.client.Apply(ctx, ours, client.FieldOwner("ours")); err != nil {
		t.Fatal(err)
	}
	theirs := apply.MiniCluster("mc", namespace).WithSpec(apply.MiniClusterSpec().WithSize(1))
	if err := s.client.Apply(ctx, theirs, client.FieldOwner("theirs")); !apierrors.IsConflict(err) {
		t.Fatalf("another size: %v", err)
	}
	if err := s.client.Apply(ctx, theirs, client.FieldOwner("theirs"), client.ForceOwnership); err != nil {
		t.Fatal(err)
	}
	got := get(t, s, &api.MiniCluster{}, namespace, "mc")
	if got.Spec.Size != 1 || got.Spec.Containers[0].Image != "any" {
		t.Errorf("forced: %+v", got.Spec)
	}
	if left, err := apply.ExtractMiniCluster(got, "ours"); err != nil || left.Spec.Size != nil ||
		len(left.Spec.Containers) != 1 {
		t.Errorf("fields of the first manager: %+v, %v", left, err)
	}
}

// TestRuntimeClientWatch: a watch ends when the API server restarts, a cache does not.
func TestRuntimeClientWatch(t *testing.T) {
	s := need(t)
	namespace := s.namespace(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	objects, err := cache.New(s.config, cache.Options{Scheme: s.client.Scheme(),
		DefaultNamespaces: map[string]cache.Config{namespace: {}}})
	if err != nil {
		t.Fatal(err)
	}
	informer, err := objects.GetInformer(ctx, &api.MiniCluster{})
	if err != nil {
		t.Fatal(err)
	}
	handled := handle(t, informer)
	ended := make(chan error, 1)
	cached, stop := context.WithCancel(ctx)
	go func() { ended <- objects.Start(cached) }()
	defer func() { stop(); <-ended }()

	watcher, err := client.NewWithWatch(s.config, client.Options{Scheme: s.client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	events, err := watcher.Watch(ctx, &api.MiniClusterList{}, client.InNamespace(namespace))
	if err != nil {
		t.Fatal(err)
	}
	generated := small(namespace, "before")
	if err := s.client.Create(ctx, generated); err != nil {
		t.Fatal(err)
	}
	if event := next(ctx, t, events); event.Type != watch.Added || event.Object.(*api.MiniCluster).UID != generated.UID {
		t.Errorf("watched %+v", event)
	}
	await(ctx, t, handled, "added before")

	restartServer(t, events, func() error { return s.client.Create(ctx, small(namespace, "after")) })
	await(ctx, t, handled, "added after")
	var list api.MiniClusterList
	if err := watcher.List(ctx, &list, client.InNamespace(namespace)); err != nil || len(list.Items) != 2 {
		t.Fatalf("listed after the restart: %+v, %v", list, err)
	}
	events, err = watcher.Watch(ctx, &list, client.InNamespace(namespace),
		&client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: list.ResourceVersion}})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()
	if err := s.client.Delete(ctx, generated); err != nil {
		t.Fatal(err)
	}
	if event := next(ctx, t, events); event.Type != watch.Deleted || event.Object.(*api.MiniCluster).UID != generated.UID {
		t.Errorf("watched after the restart: %+v", event)
	}
	if err := objects.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "after"}, &api.MiniCluster{}); err != nil {
		t.Errorf("the cache: %v", err)
	}
}
