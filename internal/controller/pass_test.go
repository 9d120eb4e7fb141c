package controller

import (
	"fmt"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// set changes a spec without reconciling it.
func (w *world) set(change func(*api.MiniClusterSpec)) {
	w.Helper()
	mc := get(w, &api.MiniCluster{}, "mc")
	change(&mc.Spec)
	mc.Generation++
	w.save(mc)
}

// remove deletes an object as another client would.
func (w *world) remove(o client.Object) {
	w.Helper()
	if err := w.store.Delete(w.Context(), o); err != nil {
		w.Fatal(err)
	}
}

// after reconciles a MiniCluster before a change.
func after(change func(*world)) func(*world) {
	return func(w *world) {
		w.Helper()
		w.reconcile("mc")
		change(w)
	}
}

// passCosts are the costs of a pass in each state of a MiniCluster, and of the pass after it, in which
// nothing has changed.
var passCosts = []struct {
	name, spec   string
	prepare      func(*world)
	want, steady string // by cost.String
}{
	{"created", plain, func(*world) {}, "6 cached, 7 writes, 1 desired, 1 keys", "5 cached, 1 desired"},
	{"created with everything", crowded, func(*world) {}, "13 cached, 1 live, 15 writes, 1 desired, 3 keys",
		"12 cached, 1 live, 1 desired"},
	{"volumes are bound", crowded, after(func(w *world) { w.bind("mc") }), "14 cached, 1 desired", "14 cached, 1 desired"},
	{"scaled", plain, after(func(w *world) { w.set(func(s *api.MiniClusterSpec) { s.Size = 3 }) }),
		"5 cached, 3 writes, 1 desired", "5 cached, 1 desired"},
	{"scaled too far", plain, after(func(w *world) { w.set(func(s *api.MiniClusterSpec) { s.Size = 9 }) }),
		"5 cached, 4 writes, 1 desired", "5 cached, 1 desired"},
	{"pods are ready", plain, after(func(w *world) {
		w.setJob("mc", func(s *batchv1.JobStatus) { s.Ready = new(int32(2)) })
	}), "5 cached, 1 writes, 1 desired", "5 cached, 1 desired"},
	{"finished", plain, after(func(w *world) { w.setJob("mc", jobIs(batchv1.JobComplete)) }), "2 cached, 1 writes",
		"2 cached"},
	{"failed", plain, after(func(w *world) { w.setJob("mc", jobIs(batchv1.JobFailed)) }), "2 cached, 1 live, 1 writes",
		"2 cached"},
	{"finished, Job deleted", plain, after(func(w *world) {
		w.setJob("mc", jobIs(batchv1.JobComplete))
		w.reconcile("mc")
		w.remove(get(w, &batchv1.Job{}, "mc"))
	}), "2 cached", "2 cached"},
	{"finished, cleanup", "{cleanup: true, containers: [{command: a}]}", after(func(w *world) {
		w.setJob("mc", jobIs(batchv1.JobComplete))
	}), "2 cached, 2 writes", "2 cached"},
	{"deleted", plain, after(func(w *world) { w.remove(get(w, &api.MiniCluster{}, "mc")) }), "2 cached", "2 cached"},
	{"deleted, volumes left", crowded, after(func(w *world) { w.remove(get(w, &api.MiniCluster{}, "mc")) }),
		"2 cached, 1 live, 1 writes", "2 cached"},
	{"being deleted", plain, after(func(w *world) {
		mc := get(w, &api.MiniCluster{}, "mc")
		mc.Finalizers = []string{"example.org/wait"}
		w.save(mc)
		w.remove(mc)
	}), "1 cached", "1 cached"},
	{"invalid", "{containers: []}", func(*world) {}, "2 cached, 1 writes, 1 desired", "2 cached, 1 desired"},
	{"volumes disabled", crowded, func(w *world) { w.Volumes.Allowed = false }, "2 cached, 1 writes, 1 desired",
		"2 cached, 1 desired"},
	{"spec changed", plain, after(func(w *world) {
		w.set(func(s *api.MiniClusterSpec) { s.Containers[0].Command = "other" })
	}), "2 cached, 1 writes, 1 desired", "2 cached, 1 desired"},
	{"other version of the operator", plain, after(func(w *world) {
		job := get(w, &batchv1.Job{}, "mc")
		job.Annotations[AnnotationObjects] = "other"
		w.save(job)
	}), "5 cached, 1 desired", "5 cached, 1 desired"},
	{"keys lost", plain, after(func(w *world) { w.remove(keys(w, "mc", "curve")) }), "5 cached, 1 desired",
		"5 cached, 1 desired"},
	{"Job lost", plain, after(func(w *world) { w.remove(get(w, &batchv1.Job{}, "mc")) }),
		"6 cached, 2 writes, 1 desired, 1 keys", "5 cached, 1 desired"},
	{"Job of an operator with a checksum of secrets", withPassword, after(func(w *world) {
		w.annotate(AnnotationSpec, checksum(immutableSpec(get(w, &api.MiniCluster{}, "mc"))))
	}), "5 cached, 1 writes, 1 desired", "5 cached, 1 desired"},
	{"drift", plain, after(func(w *world) {
		configMap := get(w, &corev1.ConfigMap{}, "mc-entrypoint")
		configMap.Data = nil
		w.save(configMap)
	}), "5 cached, 1 writes, 1 desired", "5 cached, 1 desired"},
	{"conflict", plain, func(w *world) {
		w.add(&corev1.ConfigMap{ObjectMeta: labelled("mc-entrypoint", "other")})
		w.late = time.Hour
	}, "3 cached, 2 writes, 1 desired, requeue 30s", "3 cached, 1 desired, requeue 30s"},
}

// TestPassCost counts reads, writes, requeues, desired states and keys. A steady pass computes the desired
// state at most once, generates no key and writes nothing.
func TestPassCost(t *testing.T) {
	for _, test := range passCosts {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, sample(t, "mc", test.spec))
			test.prepare(w)
			if got := w.pass(); got != test.want {
				t.Errorf("the pass cost %s, want %s; it wrote %q", got, test.want, w.writes)
			}
			if got := w.pass(); got != test.steady {
				t.Errorf("the pass after it cost %s, want %s; it wrote %q", got, test.steady, w.writes)
			}
			if len(w.writes) > 0 || w.keys > 0 || w.desired > 1 {
				t.Error("the pass after it is not steady")
			}
		})
	}
}

// TestStaleCost counts what a pass costs whose cache lacks objects that exist.
func TestStaleCost(t *testing.T) {
	w := newWorld(t, sample(t, "mc", plain))
	w.reconcile("mc")
	w.hidden = func(o client.Object, _ types.NamespacedName) bool { return kindOf(o) == "ConfigMap" }
	if got, want := w.pass(), "3 cached, 1 live, 1 writes, 1 desired, requeue 200ms"; got != want {
		t.Errorf("the pass cost %s, want %s; it wrote %q", got, want, w.writes)
	}
}

// pass reconciles the MiniCluster mc, and returns what that cost.
func (w *world) pass() string {
	w.Helper()
	result, _ := w.reconcile("mc")
	if result != (ctrl.Result{RequeueAfter: result.RequeueAfter}) {
		w.Errorf("requeued by %+v", result)
	}
	if result.RequeueAfter > 0 {
		return fmt.Sprintf("%s, requeue %s", w.cost, result.RequeueAfter)
	}
	return w.String()
}

// String lists the counts that are not 0.
func (c cost) String() string {
	var all []string
	for _, count := range []struct {
		n    int
		what string
	}{{c.cached, "cached"}, {c.live, "live"}, {len(c.writes), "writes"}, {c.desired, "desired"}, {c.keys, "keys"}} {
		if count.n > 0 {
			all = append(all, fmt.Sprintf("%d %s", count.n, count.what))
		}
	}
	return strings.Join(all, ", ")
}

// TestChecksumOf: the checksum of objects that are encoded one by one is that of their list, which running
// Jobs have.
func TestChecksumOf(t *testing.T) {
	desired, errs := minicluster.NewDesired(sample(t, "mc", crowded))
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	objects, err := desired.Objects()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := checksumOf(objects), checksum(objects.All()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
