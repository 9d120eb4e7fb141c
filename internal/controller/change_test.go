package controller

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// edit changes the spec of a MiniCluster as a user would, and reconciles it.
func (w *world) edit(name string, change func(*api.MiniClusterSpec)) []string {
	w.Helper()
	mc := get(w, &api.MiniCluster{}, name)
	change(&mc.Spec)
	mc.Generation++
	w.save(mc)
	_, writes := w.reconcile(name)
	return writes
}

// TestScale: completions and parallelism change together, within the bounds.
func TestScale(t *testing.T) {
	w := newWorld(t, sample(t, "mc", plain))
	w.reconcile("mc")
	w.recorded()
	for _, test := range []struct{ ask, want int32 }{{4, 4}, {1, 1}, {9, 4}, {0, 1}} {
		w.edit("mc", func(s *api.MiniClusterSpec) { s.Size = test.ask })
		job := get(w, &batchv1.Job{}, "mc").Spec
		mc := get(w, &api.MiniCluster{}, "mc")
		if *job.Completions != test.want || *job.Parallelism != test.want || mc.Status.Size != test.want ||
			mc.Status.MaximumSize != 4 {
			t.Errorf("size %d: %d completions, %d in parallel, status %+v", test.ask, *job.Completions, *job.Parallelism,
				mc.Status)
		}
		if want := min(test.ask, 4); mc.Spec.Size != want {
			t.Errorf("size %d became %d, want %d", test.ask, mc.Spec.Size, want)
		}
	}
	events := strings.Join(w.recorded(), "\n")
	if strings.Count(events, "Normal Scaled") != 4 || strings.Count(events, "Warning SizeLimited") != 1 {
		t.Errorf("events\n%s", events)
	}
}

// TestNewerRule: a Job whose spec breaks a rule that is newer than the Job follows the size and the deadline.
func TestNewerRule(t *testing.T) {
	for name, spec := range map[string]string{
		"a limit": `{size: 2, maxSize: 4, flux: {connectTimeout: "` + strings.Repeat("1", 65) +
			`s"}, containers: [{command: hostname}]}`,
		"a size": large(),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, sample(t, "mc", plain))
			w.reconcile("mc")
			w.edit("mc", func(s *api.MiniClusterSpec) { *s = sample(t, "mc", spec).Spec })
			script := get(w, &corev1.ConfigMap{}, "mc-entrypoint")
			w.edit("mc", func(s *api.MiniClusterSpec) { s.Size, s.DeadlineSeconds = 3, 60 })
			job := get(w, &batchv1.Job{}, "mc").Spec
			if *job.Completions != 3 || *job.Parallelism != 3 || *job.ActiveDeadlineSeconds != 60 {
				t.Errorf("the Job does not follow the size and the deadline: %+v", job)
			}
			if c := w.ready("mc"); c.Status != metav1.ConditionFalse || c.Reason != reasonInvalid {
				t.Errorf("condition %+v", c)
			}
			w.edit("mc", func(s *api.MiniClusterSpec) { s.Size, s.DeadlineSeconds = 9, -1 })
			if job := get(w, &batchv1.Job{}, "mc").Spec; *job.Completions != 4 || *job.ActiveDeadlineSeconds != 60 {
				t.Errorf("the Job follows values that are out of bounds: %+v", job)
			}
			if d := cmp.Diff(script, get(w, &corev1.ConfigMap{}, "mc-entrypoint")); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestSpecChange: when the spec changes, the Job and its entrypoints stay the same, but still follow the
// size and the deadline.
func TestSpecChange(t *testing.T) {
	w := newWorld(t, sample(t, "mc", plain))
	w.reconcile("mc")
	job, script := get(w, &batchv1.Job{}, "mc"), get(w, &corev1.ConfigMap{}, "mc-entrypoint")
	w.recorded()
	writes := w.edit("mc", func(s *api.MiniClusterSpec) { s.Containers[0].Command = "other" })
	if d := cmp.Diff([]string{"patch status of MiniCluster mc"}, writes); d != "" {
		t.Error(d)
	}
	if c := w.ready("mc"); c.Status != metav1.ConditionFalse || c.Reason != reasonSpecChanged {
		t.Errorf("condition %+v", c)
	}
	if got := w.recorded(); len(got) != 1 || !strings.HasPrefix(got[0], "Warning SpecChanged") {
		t.Errorf("events %q", got)
	}
	if d := cmp.Diff(job, get(w, &batchv1.Job{}, "mc")) +
		cmp.Diff(script, get(w, &corev1.ConfigMap{}, "mc-entrypoint")); d != "" {
		t.Error(d)
	}
	w.edit("mc", func(s *api.MiniClusterSpec) { s.Size, s.DeadlineSeconds = 3, 60 })
	if spec := get(w, &batchv1.Job{}, "mc").Spec; *spec.Completions != 3 || *spec.ActiveDeadlineSeconds != 60 {
		t.Errorf("the Job does not follow the size and the deadline: %+v", spec)
	}
	w.edit("mc", func(s *api.MiniClusterSpec) { s.Containers[0].Command = "hostname" })
	if c := w.ready("mc"); c.Status != metav1.ConditionTrue {
		t.Errorf("condition %+v", c)
	}
}

// TestEarlyChange: every change of the spec is followed before the Job exists.
func TestEarlyChange(t *testing.T) {
	foreign := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "lab", Name: "mc"}}
	w := newWorld(t, sample(t, "mc", plain), foreign)
	w.reconcile("mc")
	before := string(keys(w, "mc", "curve").Data["curve.cert"])
	if c := w.ready("mc"); c.Reason != reasonConflict {
		t.Errorf("condition %+v", c)
	}
	if err := w.store.Delete(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	w.edit("mc", func(s *api.MiniClusterSpec) { s.Containers[0].Command = "elsewhere" })
	if text := get(w, &corev1.ConfigMap{}, "mc-entrypoint").Data["mc.sh"]; !strings.Contains(text, "elsewhere") {
		t.Errorf("the entrypoint has the old command:\n%s", text)
	}
	if w.ready("mc").Status != metav1.ConditionTrue || string(keys(w, "mc", "curve").Data["curve.cert"]) != before {
		t.Error("the MiniCluster is not ready, or has other keys")
	}
}

// TestUpgrade: the objects of a Job stay as another version of the operator created them, while the
// version that created the Job reverts edits.
func TestUpgrade(t *testing.T) {
	w := newWorld(t, sample(t, "mc", plain))
	w.reconcile("mc")
	script := get(w, &corev1.ConfigMap{}, "mc-entrypoint")
	generated := script.Data["mc.sh"]
	script.Data["mc.sh"] = "edited"
	w.save(script)
	w.reconcile("mc")
	if get(w, &corev1.ConfigMap{}, "mc-entrypoint").Data["mc.sh"] != generated {
		t.Error("the edit was not reverted")
	}

	job := get(w, &batchv1.Job{}, "mc")
	job.Annotations[AnnotationObjects] = "of another version"
	w.save(job)
	script = get(w, &corev1.ConfigMap{}, "mc-entrypoint")
	script.Data["mc.sh"] = "of another version"
	w.save(script)
	if _, writes := w.reconcile("mc"); len(writes) > 0 || w.ready("mc").Status != metav1.ConditionTrue {
		t.Errorf("writes %q", writes)
	}
	if err := w.store.Delete(t.Context(), script); err != nil {
		t.Fatal(err)
	}
	if _, writes := w.reconcile("mc"); !slices.Contains(writes, "create ConfigMap mc-entrypoint") {
		t.Errorf("writes %q", writes)
	}
	w.edit("mc", func(s *api.MiniClusterSpec) { s.Size = 3 })
	if *get(w, &batchv1.Job{}, "mc").Spec.Completions != 3 {
		t.Error("the Job does not follow the size")
	}
}

// TestEnd: a finished Job is neither scaled nor created again, and cleanup deletes the MiniCluster.
func TestEnd(t *testing.T) {
	w := newWorld(t, sample(t, "mc", plain))
	w.reconcile("mc")
	w.recorded()
	w.setJob("mc", jobIs(batchv1.JobComplete))
	w.reconcile("mc")
	if got := w.recorded(); len(got) != 1 || !strings.HasPrefix(got[0], "Normal Completed") {
		t.Errorf("events %q", got)
	}
	w.edit("mc", func(s *api.MiniClusterSpec) { s.Size = 4 })
	if *get(w, &batchv1.Job{}, "mc").Spec.Completions != 2 {
		t.Error("the finished Job was scaled")
	}
	if err := w.store.Delete(t.Context(), get(w, &batchv1.Job{}, "mc")); err != nil {
		t.Fatal(err)
	}
	if _, writes := w.reconcile("mc"); len(writes) > 0 {
		t.Errorf("writes after the Job was deleted: %q", writes)
	}
	w.edit("mc", func(s *api.MiniClusterSpec) { s.Cleanup = true })
	if err := w.store.Get(t.Context(), client.ObjectKey{Namespace: "lab", Name: "mc"},
		&api.MiniCluster{}); !apierrors.IsNotFound(err) {
		t.Errorf("the MiniCluster still exists: %v", err)
	}
}

// TestServicePod: a pod that has terminated is replaced.
func TestServicePod(t *testing.T) {
	w := newWorld(t, sample(t, "mc", crowded))
	w.reconcile("mc")
	pod := get(w, &corev1.Pod{}, "mc-services")
	pod.Status.Phase = corev1.PodFailed
	w.saveStatus(pod)
	w.reconcile("mc")
	if c := w.ready("mc"); c.Reason != reasonWaiting {
		t.Errorf("condition %+v", c)
	}
	w.reconcile("mc")
	if again := get(w, &corev1.Pod{}, "mc-services"); again.UID == pod.UID ||
		w.ready("mc").Status != metav1.ConditionTrue {
		t.Error("the pod was not replaced")
	}
}

// TestLabels: an object that lost the labels that the caches select it by gets them back.
func TestLabels(t *testing.T) {
	w := newWorld(t, sample(t, "mc", plain))
	w.reconcile("mc")
	script := get(w, &corev1.ConfigMap{}, "mc-entrypoint")
	want := script.Labels
	script.Labels = nil
	w.save(script)
	w.hidden = func(o client.Object, key client.ObjectKey) bool { return key.Name == "mc-entrypoint" }
	if result, _ := w.reconcile("mc"); result.RequeueAfter != retryStale {
		t.Errorf("requeue %+v, want after %s", result, retryStale)
	}
	if d := cmp.Diff(want, get(w, &corev1.ConfigMap{}, "mc-entrypoint").Labels); d != "" {
		t.Error(d)
	}
}

// TestLost: after a write of an object that was not found, attempts become rarer. They are rare if the
// namespace is gone.
func TestLost(t *testing.T) {
	w := newWorld(t, sample(t, "one", plain), sample(t, "two", plain))
	w.reconcile("one")
	for _, test := range []struct {
		lost schema.GroupResource
		late time.Duration
		want time.Duration
	}{
		{schema.GroupResource{Resource: "services"}, 0, retryMin},
		{schema.GroupResource{Resource: "services"}, time.Hour, retryMax},
		{schema.GroupResource{Resource: "namespaces"}, 0, retryMax},
		{api.Resource("miniclusters"), 0, 0},
	} {
		w.late = test.late
		w.failing = func(verb string, o client.Object) error { return apierrors.NewNotFound(test.lost, o.GetName()) }
		if result, _ := w.reconcile("two"); result.RequeueAfter != test.want {
			t.Errorf("without %s: %+v, want %s", test.lost, result, test.want)
		}
	}
}

// TestStale: a reconciliation of a stale MiniCluster writes no status.
func TestStale(t *testing.T) {
	w := newWorld(t, sample(t, "mc", plain))
	stale := get(w, &api.MiniCluster{}, "mc")
	w.reconcile("mc")
	err := w.updateStatus(t.Context(), stale, func() { setStatus(stale, nil, nil, "") })
	if !apierrors.IsConflict(err) {
		t.Errorf("writing over a newer status: error %v, want a conflict", err)
	}
}
