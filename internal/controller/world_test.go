package controller

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/yaml"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// world is a cluster that stores objects and does nothing by itself.
type world struct {
	testing.TB
	*Reconciler
	store  client.WithWatch // the API server
	events *events.FakeRecorder
	cost
	hidden   func(client.Object, types.NamespacedName) bool // from the cache
	failing  func(verb string, o client.Object) error       // of patches and creations
	removing func(client.Object)                            // hears of what the operator is about to delete
	uids     int
	late     time.Duration // how far the operator's clock is ahead
}

// cost is what the last pass did.
type cost struct {
	cached, live, desired, keys int // reads, desired states computed, keys generated
	writes                      []string
}

func newWorld(t testing.TB, objects ...client.Object) *world {
	w := &world{TB: t, events: events.NewFakeRecorder(100)}
	w.store = fake.NewClientBuilder().WithScheme(Scheme()).WithStatusSubresource(&api.MiniCluster{}, &batchv1.Job{}).
		WithIndex(&corev1.Pod{}, "status.phase", func(o client.Object) []string {
			pod, ok := o.(*corev1.Pod)
			if !ok {
				return nil
			}
			return []string{string(pod.Status.Phase)}
		}).Build()
	w.add(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "lab"}})
	for _, o := range objects {
		w.add(o)
	}
	random := rand.NewChaCha8([32]byte{})
	live := w.counted(&w.live)
	w.Reconciler = &Reconciler{
		Client: interceptor.NewClient(w.store, w.spy()),
		Live:   interceptor.NewClient(w.store, live),
		Events: w.events,
		NewDesired: func(mc *api.MiniCluster) (*minicluster.Desired, field.ErrorList) {
			w.desired++
			return minicluster.NewDesired(mc)
		},
		Rand: readerFunc(func(p []byte) (int, error) {
			w.keys++
			return random.Read(p)
		}),
		Now:     func() time.Time { return time.Now().Add(w.late) },
		Volumes: minicluster.VolumePolicy{Allowed: true, HostPaths: []string{"/mnt"}, Drivers: []string{"csi.example.org"}},
	}
	return w
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// counted counts reads.
func (w *world) counted(n *int) interceptor.Funcs {
	return interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object,
			opts ...client.GetOption) error {
			*n++
			return c.Get(ctx, key, o, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			*n++
			return c.List(ctx, list, opts...)
		},
	}
}

// spy counts reads, hides from them what the cache is not to have, and records writes.
func (w *world) spy() interceptor.Funcs {
	record := func(verb string, o client.Object) {
		w.writes = append(w.writes, fmt.Sprintf("%s %s %s", verb, kindOf(o), o.GetName()))
	}
	funcs := w.counted(&w.cached)
	funcs.Get = func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object,
		opts ...client.GetOption) error {
		w.cached++
		if w.hidden != nil && w.hidden(o, key) {
			key.Name = "hidden"
		}
		return c.Get(ctx, key, o, opts...)
	}
	funcs.Create = func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
		record("create", o)
		if w.failing != nil {
			if err := w.failing("create", o); err != nil {
				return err
			}
		}
		w.identify(o)
		return c.Create(ctx, o, opts...)
	}
	funcs.Update = func(_ context.Context, _ client.WithWatch, o client.Object, _ ...client.UpdateOption) error {
		return fmt.Errorf("the operator may not update %T", o)
	}
	funcs.Patch = func(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch,
		opts ...client.PatchOption) error {
		record("patch", o)
		if w.failing != nil {
			if err := w.failing("patch", o); err != nil {
				return err
			}
		}
		return c.Patch(ctx, o, patch, opts...)
	}
	funcs.Delete = func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
		record("delete", o)
		if w.removing != nil {
			w.removing(o)
		}
		return c.Delete(ctx, o, opts...)
	}
	funcs.SubResourcePatch = func(ctx context.Context, c client.Client, sub string, o client.Object, patch client.Patch,
		opts ...client.SubResourcePatchOption) error {
		record("patch "+sub+" of", o)
		return c.SubResource(sub).Patch(ctx, o, patch, opts...)
	}
	return funcs
}

func (w *world) identify(o client.Object) {
	if o.GetUID() == "" {
		w.uids++
		o.SetUID(types.UID(fmt.Sprintf("uid-%d", w.uids)))
	}
}

func (w *world) add(o client.Object) {
	w.Helper()
	w.identify(o)
	if err := w.store.Create(w.Context(), o); err != nil {
		w.Fatal(err)
	}
}

// get reads an object into one of its type.
func get[T client.Object](w *world, o T, name string) T {
	w.Helper()
	key := types.NamespacedName{Namespace: "lab", Name: name}
	switch any(o).(type) {
	case *corev1.PersistentVolume, *corev1.Namespace:
		key.Namespace = ""
	}
	if err := w.store.Get(w.Context(), key, o); err != nil {
		w.Fatal(err)
	}
	return o
}

// save writes an object as another client would.
func (w *world) save(o client.Object) {
	w.Helper()
	if err := w.store.Update(w.Context(), o); err != nil {
		w.Fatal(err)
	}
}

// saveStatus writes the status of an object as its controller would.
func (w *world) saveStatus(o client.Object) {
	w.Helper()
	if err := w.store.Status().Update(w.Context(), o); err != nil {
		w.Fatal(err)
	}
}

// reconcile runs one pass, and returns its writes.
func (w *world) reconcile(name string) (ctrl.Result, []string) {
	w.Helper()
	w.cost = cost{}
	result, err := w.Reconcile(w.Context(),
		ctrl.Request{NamespacedName: types.NamespacedName{Namespace: "lab", Name: name}})
	if err != nil {
		w.Fatal(err)
	}
	return result, w.writes
}

// setJob changes the status of a Job as the Job controller would.
func (w *world) setJob(name string, change func(*batchv1.JobStatus)) {
	w.Helper()
	job := get(w, &batchv1.Job{}, name)
	change(&job.Status)
	w.saveStatus(job)
}

func jobIs(kind batchv1.JobConditionType) func(*batchv1.JobStatus) {
	return func(s *batchv1.JobStatus) {
		s.Conditions = append(s.Conditions, batchv1.JobCondition{Type: kind, Status: corev1.ConditionTrue, Reason: "Test"})
	}
}

// ready returns the condition JobMiniClusterReady.
func (w *world) ready(name string) metav1.Condition {
	w.Helper()
	c := meta.FindStatusCondition(get(w, &api.MiniCluster{}, name).Status.Conditions, api.ConditionJobReady)
	if c == nil {
		w.Fatal("no condition " + api.ConditionJobReady)
	}
	return *c
}

// recorded returns the events since the last call.
func (w *world) recorded() []string {
	var all []string
	for len(w.events.Events) > 0 {
		all = append(all, <-w.events.Events)
	}
	return all
}

func kindOf(o client.Object) string {
	return strings.TrimPrefix(fmt.Sprintf("%T", o)[strings.Index(fmt.Sprintf("%T", o), ".")+1:], "*")
}

// sample returns a MiniCluster in the namespace lab.
func sample(t testing.TB, name, spec string) *api.MiniCluster {
	t.Helper()
	mc := &api.MiniCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "lab", Name: name, Generation: 1}}
	if err := yaml.UnmarshalStrict([]byte(spec), &mc.Spec); err != nil {
		t.Fatal(err)
	}
	return mc
}

const (
	fixed   = "{size: 2, containers: [{command: hostname}]}"
	plain   = "{size: 2, maxSize: 4, containers: [{command: hostname}]}"
	crowded = `
size: 2
containers: [{command: hostname, volumes: {data: {path: /data}, kept: {path: /kept}}}]
services: [{name: db, image: db, ports: [5432]}]
users: [{name: ada}]
volumes:
  data: {path: /mnt/data, delete: true}
  kept: {path: /mnt/kept, delete: false}
`
)

// everything lists the objects of the namespace lab, and volumes, by kind and name.
func (w *world) everything() []string {
	w.Helper()
	all := map[string]bool{}
	for _, list := range []client.ObjectList{
		&batchv1.JobList{}, &corev1.ConfigMapList{}, &corev1.SecretList{}, &corev1.ServiceList{}, &corev1.PodList{},
		&corev1.PersistentVolumeClaimList{}, &corev1.PersistentVolumeList{},
	} {
		if err := w.store.List(w.Context(), list); err != nil {
			w.Fatal(err)
		}
		if err := meta.EachListItem(list, func(o runtime.Object) error {
			if o, ok := o.(client.Object); ok {
				all[kindOf(o)+" "+o.GetName()] = true
			}
			return nil
		}); err != nil {
			w.Fatal(err)
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// labelled returns metadata with the labels of the objects of a MiniCluster.
func labelled(name, cluster string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "lab", Name: name,
		Labels: minicluster.Labels(&api.MiniCluster{ObjectMeta: metav1.ObjectMeta{Name: cluster}})}
}
