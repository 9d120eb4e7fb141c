package e2e

import (
	"path/filepath"
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
	ops, ns, other := s.namespace(t), s.namespace(t), s.namespace(t)
	s.label(t, ns) // the chart has a policy of its own
	objects := helm(t, "template", ops, root+"/charts/flux-operator", "--namespace", ops, "--set",
		"watchNamespaces={"+ns+"}",
		"--set", "replicas=0", "--set", "allowVolumes=true", "--set", "allowHostPaths={/mnt}")
	kubectl(t, objects, "apply", "--server-side", "--filename=-")
	t.Cleanup(func() { kubectl(t, objects, "delete", "--wait=false", "--filename=-") })

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

// TestChartAccepted: the API server accepts what the chart and config/ install, with no field that it does not know and
// no warning.
func TestChartAccepted(t *testing.T) {
	need(t)
	for _, namespace := range []string{"team-a", "team-b", "flux-jobs"} { // a dry run does not create them
		kubectl(t, "", "create", "namespace", namespace)
		t.Cleanup(func() { kubectl(t, "", "delete", "namespace", namespace, "--wait=false") })
	}
	files, err := filepath.Glob(root + "/test/chart/testdata/*.yaml")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files in test/chart/testdata: %v", len(files), err)
	}
	input := []string{"--kustomize=" + root + "/config/default", "--kustomize=" + root + "/config/namespaced"}
	for _, file := range files {
		input = append(input, "--filename="+file)
	}
	for _, what := range input {
		out := kubectl(t, "", "apply", "--server-side", "--force-conflicts", "--field-manager=e2e", "--validate=strict",
			"--dry-run=server", what)
		if strings.Contains(out, "Warning") {
			t.Errorf("%s:\n%s", what, out)
		}
	}
	unknown := "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {port: [{port: 1}]}\n"
	out, err := kubectlOutput(unknown, "apply", "--server-side", "--validate=strict", "--dry-run=server", "--filename=-")
	if err == nil || !strings.Contains(out, ".spec.port: field not declared in schema") {
		t.Errorf("an unknown field: %v\n%s", err, out)
	}
}
