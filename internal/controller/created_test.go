package controller

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
)

// TestPredicate: only changes by other clients trigger a reconciliation.
func TestPredicate(t *testing.T) {
	before := &corev1.Service{ObjectMeta: labelled("s", "mc")}
	changed := func(change func(*corev1.Service)) event.UpdateEvent {
		after := before.DeepCopy()
		after.ResourceVersion = "2"
		change(after)
		return event.UpdateEvent{ObjectOld: before, ObjectNew: after}
	}
	p := new(createdTracker).Predicate()
	for name, test := range map[string]struct{ got, want bool }{
		"deleted": {p.Delete(event.DeleteEvent{Object: before}), true},
		"nothing": {p.Update(changed(func(*corev1.Service) {})), false},
		"owner": {p.Update(changed(func(s *corev1.Service) { s.OwnerReferences = []metav1.OwnerReference{{Name: "x"}} })),
			false},
		"label":    {p.Update(changed(func(s *corev1.Service) { s.Labels = nil })), true},
		"selector": {p.Update(changed(func(s *corev1.Service) { s.Spec.Selector = map[string]string{"a": "b"} })), true},
	} {
		if test.got != test.want {
			t.Errorf("%s: %t", name, test.got)
		}
	}
}

// TestCreatedTracker: objects that are new to the informer trigger a reconciliation, unless they are as
// the operator created them.
func TestCreatedTracker(t *testing.T) {
	w := newWorld(t, sample(t, "mc", plain))
	w.reconcile("mc")
	job := get(w, &batchv1.Job{}, "mc")
	p := w.created.Predicate()
	current := func(what string, o client.Object, want bool) {
		t.Helper()
		if got := p.Create(event.CreateEvent{Object: o}); got != want {
			t.Errorf("%s: %t", what, got)
		}
	}
	current("as created", job, false)
	current("listed again", job, true)
	current("of another client",
		&batchv1.Job{ObjectMeta: metav1.ObjectMeta{UID: "x", ResourceVersion: job.ResourceVersion}},
		true)

	w.created.Record(job)
	jobIs(batchv1.JobComplete)(&job.Status)
	w.saveStatus(job)
	current("changed since", get(w, &batchv1.Job{}, "mc"), true)

	var maps corev1.ConfigMapList
	if err := w.store.List(t.Context(), &maps); err != nil || len(maps.Items) == 0 {
		t.Fatalf("%d config maps, %v", len(maps.Items), err)
	}
	for i := range maps.Items {
		current("a config map", &maps.Items[i], false)
	}
	w.created.Record(job)
	for _, o := range []client.Object{job, get(w, &corev1.Service{}, "flux-service")} {
		p.Delete(event.DeleteEvent{Object: o})
	}
	w.created.versions.Range(func(uid, _ any) bool {
		t.Errorf("%s is still recorded", uid)
		return true
	})
}

// TestCreatedVolume: volumes are not recorded, as no event would remove them again.
func TestCreatedVolume(t *testing.T) {
	var tracker createdTracker
	volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "v", UID: "v"}}
	tracker.Record(volume)
	if _, ok := tracker.versions.Load(volume.UID); ok {
		t.Error("the volume is recorded")
	}
}
