package controller

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// TestCreate: objects are created in order, and the status is written before the first and after the
// last of them.
func TestCreate(t *testing.T) {
	w := newWorld(t, sample(t, "mc", crowded))
	result, writes := w.reconcile("mc")
	want := []string{
		"patch status of MiniCluster mc",
		"create ConfigMap mc-entrypoint", "create ConfigMap mc-flux-config",
		"create PersistentVolume lab.mc.data", "create PersistentVolume lab.mc.kept",
		"create PersistentVolumeClaim mc.data", "create PersistentVolumeClaim mc.kept",
		"create Service flux-service", "create Service db", "create Pod mc-services",
		"create Secret mc-curve", "create Secret mc-munge", "create Secret mc-flux-restful", "create Job mc",
		"patch status of MiniCluster mc",
	}
	for i := range writes {
		writes[i] = keyHash.ReplaceAllString(writes[i], "")
	}
	if d := cmp.Diff(want, writes); d != "" || !result.IsZero() {
		t.Errorf("%+v %s", result, d)
	}
	got := w.recorded()
	if len(got) != 1 || !strings.HasPrefix(got[0], "Normal Created ") {
		t.Errorf("events %q", got)
	}
}

// TestOwners: the MiniCluster is the controller of each object, except volumes and the shared Service.
func TestOwners(t *testing.T) {
	w := newWorld(t, sample(t, "mc", crowded), sample(t, "other", plain))
	w.reconcile("mc")
	w.reconcile("other")
	mc := get(w, &api.MiniCluster{}, "mc")
	for _, o := range []client.Object{
		get(w, &corev1.ConfigMap{}, "mc-entrypoint"), get(w, &corev1.Service{}, "db"), get(w, &corev1.Pod{}, "mc-services"),
		get(w, &batchv1.Job{}, "mc"), get(w, &corev1.PersistentVolumeClaim{}, "mc.data"), keys(w, "mc", "curve"),
	} {
		if !metav1.IsControlledBy(o, mc) || !*o.GetOwnerReferences()[0].BlockOwnerDeletion {
			t.Errorf("%s: owners %+v", o.GetName(), o.GetOwnerReferences())
		}
	}
	if owners := get(w, &corev1.PersistentVolume{}, "lab.mc.data").OwnerReferences; len(owners) > 0 {
		t.Errorf("the volume has owners: %+v", owners)
	}
	var names []string
	for _, owner := range get(w, &corev1.Service{}, "flux-service").OwnerReferences {
		names = append(names, owner.Name)
		if owner.Controller != nil && *owner.Controller {
			t.Errorf("%s is the controller of the shared Service", owner.Name)
		}
	}
	slices.Sort(names)
	if d := cmp.Diff([]string{"mc", "other"}, names); d != "" {
		t.Error(d)
	}
}

// TestUnready: the reason is in the condition and in one event; no object is created, and nothing is
// requeued.
func TestUnready(t *testing.T) {
	for name, test := range map[string]struct {
		spec, reason, message string
		prepare               func(*world)
	}{
		"invalid":      {"{containers: []}", reasonInvalid, "spec.containers", nil},
		"invalid name": {plain, reasonInvalid, "metadata.name", func(w *world) { w.rename("Mc.1") }},
		"too large": {large(), reasonInvalid, "spec.containers: Too long: the ConfigMap mc-entrypoint would have ",
			nil},
		"without volumes": {crowded, reasonNoVolumes, "spec.volumes", func(w *world) { w.Volumes.Allowed = false }},
		"other path": {crowded, reasonVolume, "spec.volumes[data].path: Forbidden: must be in or below /srv", func(
			w *world) {
			w.Volumes.HostPaths = []string{"/srv"}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, sample(t, "mc", test.spec))
			cluster := "mc"
			if test.prepare != nil {
				test.prepare(w)
			}
			if name == "invalid name" {
				cluster = "Mc.1"
			}
			for range 2 {
				if result, _ := w.reconcile(cluster); result.RequeueAfter != 0 {
					t.Errorf("requeue %+v", result)
				}
			}
			c := w.ready(cluster)
			if c.Status != metav1.ConditionFalse || c.Reason != test.reason || !strings.Contains(c.Message, test.message) {
				t.Errorf("condition %+v", c)
			}
			if got := w.recorded(); len(got) != 1 || !strings.HasPrefix(got[0], "Warning "+test.reason) {
				t.Errorf("events %q", got)
			}
			if all := w.everything(); len(all) > 0 {
				t.Errorf("objects %q", all)
			}
		})
	}
}

// large returns a spec whose entrypoints have 1.2 MB.
func large() string {
	spec := "{containers: [{runFlux: true}"
	for i := range 20 {
		spec += fmt.Sprintf(", {name: c%d, command: %s}", i, strings.Repeat("x", 60000))
	}
	return spec + "]}"
}

func (w *world) rename(name string) {
	mc := get(w, &api.MiniCluster{}, "mc")
	mc.Name, mc.ResourceVersion, mc.UID = name, "", ""
	w.add(mc)
}

// TestForeign: objects of other owners are left alone, and orphans are adopted.
func TestForeign(t *testing.T) {
	other := labelled("mc-entrypoint", "mc")
	other.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "x", UID: "x",
		Controller: new(true)}}
	earlier := labelled("mc-entrypoint", "mc")
	earlier.OwnerReferences = []metav1.OwnerReference{{APIVersion: "flux-framework.org/v1alpha1", Kind: "MiniCluster",
		Name: "mc", UID: "earlier", Controller: new(true)}}
	for name, test := range map[string]struct {
		meta   metav1.ObjectMeta
		reason string
	}{
		"unlabelled":  {metav1.ObjectMeta{Namespace: "lab", Name: "mc-entrypoint"}, reasonConflict},
		"of another":  {labelled("mc-entrypoint", "another"), reasonConflict},
		"controlled":  {other, reasonConflict},
		"left behind": {earlier, reasonWaiting},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, sample(t, "mc", plain), &corev1.ConfigMap{ObjectMeta: test.meta, Data: map[string]string{"a": "b"}})
			w.hidden = func(o client.Object, key types.NamespacedName) bool {
				return name == "unlabelled" && kindOf(o) == "ConfigMap"
			}
			for late, want := range map[time.Duration]time.Duration{0: retryMin, 25 * time.Second: 25 * time.Second,
				time.Hour: retryMax} {
				w.late = late
				result, _ := w.reconcile("mc")
				if c := w.ready("mc"); c.Reason != test.reason || result.RequeueAfter < want ||
					result.RequeueAfter > want+5*time.Second {
					t.Errorf("after %s: %+v, %+v", late, c, result)
				}
			}
			left := get(w, &corev1.ConfigMap{}, "mc-entrypoint")
			if d := cmp.Diff(map[string]string{"a": "b"}, left.Data); d != "" ||
				!cmp.Equal(test.meta.OwnerReferences, left.OwnerReferences) {
				t.Errorf("the object changed: %s %+v", d, left.OwnerReferences)
			}
		})
	}
	t.Run("orphaned", func(t *testing.T) {
		w := newWorld(t, sample(t, "mc", plain), &corev1.ConfigMap{ObjectMeta: labelled("mc-entrypoint", "mc"),
			Data: map[string]string{"a": "b"}})
		w.reconcile("mc")
		adopted := get(w, &corev1.ConfigMap{}, "mc-entrypoint")
		if !metav1.IsControlledBy(adopted, get(w, &api.MiniCluster{}, "mc")) || adopted.Data["a"] != "" ||
			w.ready("mc").Status != metav1.ConditionTrue {
			t.Errorf("not adopted: %+v", adopted)
		}
	})
}

// TestShared: MiniClusters that disagree on their shared Service have the reason Conflict.
func TestShared(t *testing.T) {
	w := newWorld(t, sample(t, "one", plain), sample(t, "two",
		"{flux: {minimalService: true}, containers: [{command: a}]}"))
	w.reconcile("one")
	w.reconcile("two")
	if c := w.ready("two"); c.Reason != reasonConflict || !strings.Contains(c.Message, "headlessName") {
		t.Errorf("condition %+v", c)
	}
	if _, writes := w.reconcile("one"); len(writes) > 0 {
		t.Errorf("the first one wrote %q", writes)
	}
	service := get(w, &corev1.Service{}, "flux-service")
	want := service.Spec.DeepCopy()
	service.Spec.Selector = map[string]string{"a": "b"}
	w.save(service)
	w.reconcile("one")
	if d := cmp.Diff(*want, get(w, &corev1.Service{}, "flux-service").Spec); d != "" {
		t.Errorf("its only owner does not correct drift: %s", d)
	}
}
