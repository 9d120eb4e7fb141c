package e2e

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// TestDelete: only a retained volume is left of a deleted MiniCluster, and the next MiniCluster of the
// same name uses it.
func TestDelete(t *testing.T) {
	s := need(t)
	s.manager(t, s.kubeconfig)
	ns := s.namespace(t)
	spec := `
containers: [{image: any, command: a, volumes: {scratch: {path: /a}, kept: {path: /b}}}]
services: [{name: cache, image: any, ports: [6379]}]
volumes: {scratch: {path: /mnt/e2e}, kept: {path: /mnt/e2e-kept, delete: false}}
`
	for range 2 {
		mc := s.create(t, ns, "mc", spec)
		s.await(t, mc, api.ConditionJobFinished)
		for _, claim := range []string{"mc.scratch", "mc.kept"} {
			if phase := get(t, s, &corev1.PersistentVolumeClaim{}, ns, claim).Status.Phase; phase != corev1.ClaimBound {
				t.Errorf("%s is %s", claim, phase)
			}
		}
		if err := s.client.Delete(t.Context(), mc); err != nil {
			t.Fatal(err)
		}
		s.awaitEmpty(t, ns)
	}
	get(t, s, &corev1.PersistentVolume{}, "", ns+".mc.kept")
}

// TestOffline: the volumes of a MiniCluster that was deleted while no operator ran are deleted.
func TestOffline(t *testing.T) {
	s := need(t)
	p := s.manager(t, s.kubeconfig)
	ns := s.namespace(t)
	mc := s.create(t, ns, "mc",
		`{containers: [{image: any, command: a, volumes: {v: {path: /a}}}], volumes: {v: {path: /mnt/e2e}}}`)
	s.await(t, mc, api.ConditionJobFinished)
	if err := p.Stop(); err != nil {
		t.Fatalf("stopping the operator: %v", err)
	}
	if err := s.client.Delete(t.Context(), mc); err != nil {
		t.Fatal(err)
	}
	eventually(t, patience, func() string {
		if left := s.objects(t, ns); len(left) != 1 {
			return strings.Join(titles(left), ", ") + " are left"
		}
		return ""
	})
	s.manager(t, s.kubeconfig)
	s.awaitEmpty(t, ns)
}

// TestCleanup: with cleanup a finished MiniCluster is deleted, with all of its objects.
func TestCleanup(t *testing.T) {
	s := need(t)
	s.manager(t, s.kubeconfig)
	ns := s.namespace(t)
	mc := s.create(t, ns, "mc", `{cleanup: true, containers: [{image: any, command: a}]}`)
	eventually(t, patience, func() string {
		if err := s.client.Get(t.Context(), client.ObjectKeyFromObject(mc), mc); !apierrors.IsNotFound(err) {
			return "the MiniCluster still exists"
		}
		return ""
	})
	s.awaitEmpty(t, ns)
}
