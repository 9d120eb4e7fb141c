package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// TestRejected: an object that the API server finds invalid is not sent again until the spec changes.
func TestRejected(t *testing.T) {
	s := need(t)
	p := s.manager(t, s.kubeconfig)
	var annotations []string
	for i := range 5 { // all annotations of an object have at most 256 KiB
		annotations = append(annotations, fmt.Sprintf("a%d: %s", i, strings.Repeat("x", 65536)))
	}
	mc := s.create(t, s.namespace(t), "mc", "{containers: [{command: hostname}], pod: {annotations: {"+
		strings.Join(annotations, ", ")+"}}}")
	s.awaitReason(t, mc, api.ConditionJobReady, metav1.ConditionFalse, "Rejected")
	time.Sleep(time.Second) // for its event
	before := s.requests(t, p)[http.MethodPost]
	time.Sleep(4 * time.Second) // a retry would come after 1 s, and after 2 s
	if after := s.requests(t, p)[http.MethodPost]; after != before {
		t.Errorf("%v POST requests afterwards", after-before)
	}
	s.change(t, mc, func(spec *api.MiniClusterSpec) { spec.Pod.Annotations = nil })
	s.await(t, mc, api.ConditionJobReady)
}

// TestNoStatus: a MiniCluster that is too large for a status gets an event.
func TestNoStatus(t *testing.T) {
	s := need(t)
	p := s.manager(t, s.kubeconfig)
	namespace := s.namespace(t)
	var err error
	for size := 1536 << 10; size > 1500<<10; size -= 500 { // etcd takes 1.5 MiB
		containers := []any{map[string]any{"runFlux": true}}
		for left := size; left > 0; left -= 60000 {
			containers = append(containers, map[string]any{"name": fmt.Sprintf("c%d", left),
				"command": strings.Repeat("x", min(left, 60000))})
		}
		if err = s.client.Create(t.Context(), manifest(namespace,
			map[string]any{"spec": map[string]any{"containers": containers}})); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, patience, func() string {
		events := kubectl(t, "", "get", "events.events.k8s.io", "--namespace", namespace, "--output",
			"jsonpath={.items[*].note}")
		if !strings.Contains(events, "too large") {
			return "no event: " + events
		}
		return ""
	})
	if log := p.Tail(1000); strings.Contains(log, `"level":"error"`) {
		t.Errorf("the operator logs errors: %s", log)
	}
}
