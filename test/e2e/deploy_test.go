package e2e

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"

	"github.com/flux-framework/flux-operator/test/operator"
)

// TestDeploy: pod security admits the pod of config/default, and the API server accepts the samples.
func TestDeploy(t *testing.T) {
	s := need(t)
	deployment := "deployment/" + operator.Name
	kubectl(t, "", "scale", "--namespace", operator.Namespace, deployment, "--replicas=1")
	t.Cleanup(func() { kubectl(t, "", "scale", "--namespace", operator.Namespace, deployment, "--replicas=0") })
	kubectl(t, "", "rollout", "status", "--namespace", operator.Namespace, deployment, "--timeout=60s")
	kubectl(t, "", "apply", "--namespace", s.namespace(t), "--kustomize", root+"/config/samples", "--dry-run=server")
}

// TestMetrics: metrics need authentication and authorization.
func TestMetrics(t *testing.T) {
	s := need(t)
	p := s.manager(t, s.kubeconfig, "--metrics-secure=true")
	ns := s.namespace(t)
	for _, account := range []string{"reader", "other"} {
		kubectl(t, "", "create", "serviceaccount", account, "--namespace", ns)
	}
	binding := "e2e-" + ns
	kubectl(t, "", "create", "clusterrolebinding", binding, "--clusterrole=flux-operator-metrics-reader",
		"--serviceaccount="+ns+":reader")
	t.Cleanup(func() { kubectl(t, "", "delete", "clusterrolebinding", binding) })
	// The certificate is self-signed.
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer transport.CloseIdleConnections()
	for account, want := range map[string]int{"": http.StatusUnauthorized, "other": http.StatusForbidden,
		"reader": http.StatusOK} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+p.Metrics+"/metrics", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if account != "" {
			request.Header.Set("Authorization", "Bearer "+
				strings.TrimSpace(kubectl(t, "", "create", "token", account, "--namespace", ns)))
		}
		eventually(t, patience, func() string { // a new binding takes a moment
			answer, err := transport.RoundTrip(request)
			if err != nil {
				return err.Error()
			}
			defer answer.Body.Close()
			if answer.StatusCode != want {
				return fmt.Sprintf("%q gets %s, want %d", account, answer.Status, want)
			}
			return ""
		})
	}
}

// TestStop: SIGTERM stops the operator gracefully, and a restarted one writes nothing.
func TestStop(t *testing.T) {
	s := need(t)
	ns := s.namespace(t)
	p := s.manager(t, s.kubeconfig, "--watch-namespaces="+ns)
	mc := s.create(t, ns, "mc", endless)
	s.await(t, mc, api.ConditionJobRunning)
	began := time.Now()
	if err := p.Stop(); err != nil {
		t.Fatalf("the operator exited: %v\n%s", err, p.Tail(10))
	}
	t.Logf("the operator exited after %s", time.Since(began))
	again := s.manager(t, s.kubeconfig, "--watch-namespaces="+ns)
	c := &crowd{suite: s, namespace: ns, all: []*api.MiniCluster{mc}}
	c.quiet(t, again)
	writes := s.requests(t, again)
	for _, method := range []string{"POST", "PATCH", "PUT", "DELETE"} {
		if writes[method] > 0 {
			t.Errorf("%v requests: %s", writes[method], method)
		}
	}
}
