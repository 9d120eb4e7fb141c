package controller

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// TestDeleteVolumes: the volumes of a MiniCluster that is gone are deleted, but not those to retain, those
// of others, and those of a MiniCluster that the cache lacks.
func TestDeleteVolumes(t *testing.T) {
	w := newWorld(t, sample(t, "mc", crowded))
	w.reconcile("mc")
	w.hidden = func(o client.Object, _ client.ObjectKey) bool { return kindOf(o) == "MiniCluster" }
	if _, writes := w.reconcile("mc"); len(writes) > 0 {
		t.Errorf("while the MiniCluster exists: %q", writes)
	}
	w.hidden = nil
	if err := w.store.Delete(t.Context(), get(w, &api.MiniCluster{}, "mc")); err != nil {
		t.Fatal(err)
	}
	w.Volumes = false
	if _, writes := w.reconcile("mc"); len(writes) > 0 {
		t.Errorf("without volumes: %q", writes)
	}
	w.Volumes = true
	if _, writes := w.reconcile("other"); len(writes) > 0 {
		t.Errorf("of another MiniCluster: %q", writes)
	}
	_, writes := w.reconcile("mc")
	if d := cmp.Diff([]string{"delete PersistentVolume lab.mc.data"}, writes); d != "" {
		t.Error(d)
	}
}

// TestRetained: a retained volume is bound again, and rejected if it differs.
func TestRetained(t *testing.T) {
	w := newWorld(t, sample(t, "mc", crowded))
	w.reconcile("mc")
	volume := get(w, &corev1.PersistentVolume{}, "lab.mc.kept")
	volume.Spec.ClaimRef.UID, volume.Spec.ClaimRef.ResourceVersion = "earlier", "7"
	w.save(volume)
	volume.Status.Phase = corev1.VolumeReleased
	w.saveStatus(volume)
	w.reconcile("mc")
	if ref := get(w, &corev1.PersistentVolume{}, "lab.mc.kept").Spec.ClaimRef; ref.UID != "" || ref.ResourceVersion != "" || ref.Name != "mc.kept" {
		t.Errorf("claimRef %+v", ref)
	}
	volume = get(w, &corev1.PersistentVolume{}, "lab.mc.kept")
	volume.Spec.HostPath.Path = "/elsewhere"
	w.save(volume)
	w.reconcile("mc")
	if c := w.ready("mc"); c.Reason != reasonConflict {
		t.Errorf("condition %+v", c)
	}
}

// TestRequestsForVolume: only volumes of watched namespaces are mapped to MiniClusters.
func TestRequestsForVolume(t *testing.T) {
	volume := func(labels map[string]string) client.Object {
		return &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Labels: labels}}
	}
	full := volume(map[string]string{"flux-framework.org/namespace": "lab", "app.kubernetes.io/instance": "mc"})
	for name, test := range map[string]struct {
		namespaces []string
		volume     client.Object
		want       int
	}{
		"everywhere":   {nil, full, 1},
		"own":          {[]string{"a", "lab"}, full, 1},
		"of others":    {[]string{"a"}, full, 0},
		"no labels":    {nil, volume(nil), 0},
		"no namespace": {nil, volume(map[string]string{"app.kubernetes.io/instance": "mc"}), 0},
	} {
		if got := (&Reconciler{Namespaces: test.namespaces}).requestsForVolume(t.Context(), test.volume); len(got) != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
