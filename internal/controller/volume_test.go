package controller

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
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
	w.remove(get(w, &api.MiniCluster{}, "mc"))
	w.Volumes.Allowed = false
	if _, writes := w.reconcile("mc"); len(writes) > 0 {
		t.Errorf("without volumes: %q", writes)
	}
	w.Volumes.Allowed = true
	if _, writes := w.reconcile("other"); len(writes) > 0 {
		t.Errorf("of another MiniCluster: %q", writes)
	}
	_, writes := w.reconcile("mc")
	if d := cmp.Diff([]string{"delete PersistentVolume lab.mc.data"}, writes); d != "" {
		t.Error(d)
	}
}

// earlier gives the volumes of mc the form that an earlier version of the operator gave them.
func (w *world) earlier() {
	w.Helper()
	for name, policy := range map[string]corev1.PersistentVolumeReclaimPolicy{
		"lab.mc.data": corev1.PersistentVolumeReclaimDelete, "lab.mc.kept": corev1.PersistentVolumeReclaimRetain,
	} {
		volume := get(w, &corev1.PersistentVolume{}, name)
		volume.Spec.PersistentVolumeReclaimPolicy = policy
		delete(volume.Labels, minicluster.LabelDelete)
		volume.Annotations = nil
		w.save(volume)
	}
}

// TestDataStays: no volume is ever deleted while its reclaim policy would delete the data with it,
// also not one of an earlier version.
func TestDataStays(t *testing.T) {
	for name, prepare := range map[string]func(*world){
		"created":                       func(*world) {},
		"earlier version, seen before":  func(w *world) { w.earlier(); w.bind("mc"); w.reconcile("mc") },
		"earlier version, not seen":     (*world).earlier,
		"earlier version, not followed": func(w *world) { w.earlier(); w.Volumes.HostPaths = nil; w.reconcile("mc") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, sample(t, "mc", crowded))
			w.reconcile("mc")
			prepare(w)
			var deleted []corev1.PersistentVolume
			w.removing = func(o client.Object) {
				if volume, ok := o.(*corev1.PersistentVolume); ok {
					deleted = append(deleted, *get(w, &corev1.PersistentVolume{}, volume.Name))
				}
			}
			w.remove(get(w, &api.MiniCluster{}, "mc"))
			w.reconcile("mc")
			if len(deleted) != 1 || deleted[0].Name != "lab.mc.data" ||
				deleted[0].Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRetain {
				t.Errorf("deleted %+v", deleted)
			}
		})
	}
}

// bind binds the volumes of mc to their claims, as the controller of volumes would.
func (w *world) bind(cluster string) {
	w.Helper()
	for _, key := range []string{"data", "kept"} {
		volume := get(w, &corev1.PersistentVolume{}, "lab."+cluster+"."+key)
		volume.Spec.ClaimRef.UID = get(w, &corev1.PersistentVolumeClaim{}, cluster+"."+key).UID
		w.save(volume)
		volume.Status.Phase = corev1.VolumeBound
		w.saveStatus(volume)
	}
}

// release turns a volume into one whose claim is gone.
func (w *world) release(name string) {
	w.Helper()
	volume := get(w, &corev1.PersistentVolume{}, name)
	volume.Spec.ClaimRef.UID, volume.Spec.ClaimRef.ResourceVersion = "earlier", "7"
	w.save(volume)
	volume.Status.Phase = corev1.VolumeReleased
	w.saveStatus(volume)
}

// TestRetained: a retained volume is bound again in the same namespace, and rejected if it differs.
func TestRetained(t *testing.T) {
	w := newWorld(t, sample(t, "mc", crowded))
	w.reconcile("mc")
	w.release("lab.mc.kept")
	w.reconcile("mc")
	if ref := get(w, &corev1.PersistentVolume{}, "lab.mc.kept").Spec.ClaimRef; ref.UID != "" ||
		ref.ResourceVersion != "" || ref.Name != "mc.kept" {
		t.Errorf("claimRef %+v", ref)
	}
	volume := get(w, &corev1.PersistentVolume{}, "lab.mc.kept")
	volume.Spec.HostPath.Path = "/elsewhere"
	w.save(volume)
	w.reconcile("mc")
	if c := w.ready("mc"); c.Reason != reasonConflict {
		t.Errorf("condition %+v", c)
	}
}

// TestRecreatedNamespace: a volume of an earlier namespace of the same name is not touched, whether
// its claim is known to be gone or not yet, and neither is one that does not say whose it is.
func TestRecreatedNamespace(t *testing.T) {
	for name, prepare := range map[string]func(*world, *corev1.PersistentVolume){
		"released": func(w *world, v *corev1.PersistentVolume) { w.release(v.Name) },
		"bound, as the controller of volumes is late": func(
			_ *world, v *corev1.PersistentVolume) {
			v.Spec.ClaimRef.UID = "earlier"
		},
		"available":           func(_ *world, v *corev1.PersistentVolume) { v.Spec.ClaimRef.UID = "" },
		"of an older version": func(w *world, v *corev1.PersistentVolume) { v.Annotations = nil },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, sample(t, "mc", crowded))
			w.reconcile("mc")
			volume := get(w, &corev1.PersistentVolume{}, "lab.mc.kept")
			prepare(w, volume)
			if name != "released" {
				w.save(volume)
			}
			before := get(w, &corev1.PersistentVolume{}, "lab.mc.kept")
			namespace := get(w, &corev1.Namespace{}, "lab")
			w.remove(namespace)
			w.add(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "lab", UID: types.UID("new")}})
			for range 2 {
				w.reconcile("mc")
			}
			if c := w.ready("mc"); c.Reason != reasonConflict || !strings.Contains(c.Message, "earlier") {
				t.Errorf("condition %+v", c)
			}
			if d := cmp.Diff(before, get(w, &corev1.PersistentVolume{}, "lab.mc.kept")); d != "" {
				t.Errorf("the volume has changed: %s", d)
			}
		})
	}
}

// TestVolumesUpgrade: a running MiniCluster keeps the volumes that an earlier version of the operator
// created, also those that are not allowed any more, and still follows its size. None is created again.
func TestVolumesUpgrade(t *testing.T) {
	for name, policy := range map[string]minicluster.VolumePolicy{
		"disabled":   {},
		"other path": {Allowed: true, HostPaths: []string{"/srv"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, sample(t, "mc", crowded))
			w.reconcile("mc")
			w.earlier()
			w.bind("mc")
			w.Volumes = policy
			w.edit("mc", func(s *api.MiniClusterSpec) { s.Size = 1 })
			if c := w.ready("mc"); c.Status != metav1.ConditionTrue {
				t.Errorf("condition %+v", c)
			}
			if size := get(w, &api.MiniCluster{}, "mc").Status.Size; size != 1 {
				t.Errorf("size %d", size)
			}
			w.remove(get(w, &corev1.PersistentVolume{}, "lab.mc.data"))
			if _, writes := w.reconcile("mc"); len(writes) > 0 {
				t.Errorf("writes %q", writes)
			}
		})
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
		if got := (&Reconciler{Namespaces: test.namespaces}).requestsForVolume(t.Context(),
			test.volume); len(got) != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
