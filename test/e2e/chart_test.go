package e2e

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"

	"github.com/flux-framework/flux-operator/test/operator"
)

// TestChart installs the chart for one namespace, with volumes, and runs the operator as the service account of
// the chart: it has what it needs, and nothing in other namespaces.
func TestChart(t *testing.T) {
	s := need(t)
	helm, err := exec.LookPath("helm")
	if err != nil {
		const reason = "helm is not in PATH: the chart is not installed; `make bin/helm` builds one"
		if os.Getenv("CI") == "true" {
			t.Fatal(reason)
		}
		t.Skip(reason)
	}
	ops, ns, other := s.namespace(t), s.namespace(t), s.namespace(t)
	s.label(t, ns) // the chart has a policy of its own
	render := exec.Command(helm, "template", ops, root+"/charts/flux-operator", "--namespace", ops, "--set", "watchNamespaces={"+ns+"}",
		"--set", "replicas=0", "--set", "allowVolumes=true", "--set", "allowHostPaths={/mnt}")
	var stderr strings.Builder
	render.Stderr = &stderr
	objects, err := render.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	kubectl(t, string(objects), "apply", "--server-side", "--filename=-")
	t.Cleanup(func() { kubectl(t, string(objects), "delete", "--wait=false", "--filename=-") })

	account := operator.ServiceAccount(ops, ops+"-flux-operator")
	kubeconfig, err := operator.Impersonate(s.dir+"/"+ops+".kubeconfig", ops, ops+"-flux-operator")
	if err != nil {
		t.Fatal(err)
	}
	p := s.manager(t, kubeconfig, "--watch-namespaces="+ns, "--leader-elect", "--leader-election-namespace="+ops)
	s.policyUsed(t, ns)
	mc := s.create(t, ns, "mc", `
containers: [{image: any, command: a, volumes: {v: {path: /a}}}]
volumes: {v: {path: /mnt/e2e}}
`)
	s.await(t, mc, api.ConditionJobFinished)
	if err := s.client.Delete(t.Context(), mc); err != nil {
		t.Fatal(err)
	}
	s.awaitEmpty(t, ns)
	if log := p.Tail(100000); strings.Contains(log, "forbidden") {
		t.Errorf("the operator lacks a permission:\n%s", log)
	}
	operator := s.as(t, account)
	for _, elsewhere := range []string{other, metav1.NamespaceSystem, ops} {
		configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: elsewhere, Name: "e2e"}}
		patch := client.RawPatch("application/merge-patch+json", []byte(`{"data":{"a":"b"}}`))
		if err := operator.Patch(t.Context(), configMap, patch); !apierrors.IsForbidden(err) {
			t.Errorf("patching a ConfigMap in %s: %v", elsewhere, err)
		}
	}
}
