package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"
)

const (
	manifests = "../../config/"
	chart     = "../../charts/flux-operator"
)

// documents decodes the documents of a kind.
func documents[T any](t *testing.T, text []byte, kind string) []T {
	t.Helper()
	var all []T
	for part := range strings.SplitSeq("\n"+string(text), "\n---") {
		var head struct{ Kind string }
		if err := yaml.Unmarshal([]byte(part), &head); err != nil {
			t.Fatal(err)
		}
		if head.Kind != kind {
			continue
		}
		var one T
		if err := yaml.UnmarshalStrict([]byte(part), &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// checkDeployment checks that the manager accepts the flags, that probes and metrics use its ports, and
// that it runs unprivileged.
func checkDeployment(t *testing.T, d appsv1.Deployment) *options {
	t.Helper()
	c := d.Spec.Template.Spec.Containers[0]
	o, err := parse(c.Args, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	ports := map[string]int32{}
	for _, p := range c.Ports {
		ports[p.Name] = p.ContainerPort
	}
	health := intstr.FromInt32(ports["health"])
	if o.probeAddress != ":"+health.String() || c.LivenessProbe.HTTPGet.Path != "/healthz" ||
		c.ReadinessProbe.HTTPGet.Path != "/readyz" {
		t.Errorf("probes: %s, %+v, %+v", o.probeAddress, c.LivenessProbe.HTTPGet, c.ReadinessProbe.HTTPGet)
	}
	metrics := intstr.FromInt32(ports["metrics"])
	if o.metricsAddress != "0" && (o.metricsAddress != ":"+metrics.String() || !o.metricsSecure) {
		t.Errorf("metrics: %s, port %s, secure %t", o.metricsAddress, metrics.String(), o.metricsSecure)
	}
	if !o.leaderElect {
		t.Error("leader election is disabled")
	}
	s := c.SecurityContext
	if !*d.Spec.Template.Spec.SecurityContext.RunAsNonRoot || *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem {
		t.Errorf("privileges: %+v", s)
	}
	return o
}

// TestDeployment checks the Deployment of config/.
func TestDeployment(t *testing.T) {
	all := documents[appsv1.Deployment](t, read(t, manifests+"manager/deployment.yaml"), "Deployment")
	if len(all) != 1 {
		t.Fatalf("%d deployments", len(all))
	}
	checkDeployment(t, all[0])
}

// TestChartFiles: the chart has copies of the manifests of config/, and its schema covers all values.
func TestChartFiles(t *testing.T) {
	for file, origin := range map[string]string{
		"/crds/flux-framework.org_miniclusters.yaml": "crd/bases/flux-framework.org_miniclusters.yaml",
		"/files/role.yaml":                           "rbac/role.yaml",
		"/files/volumes_policy.yaml":                 "policy/volumes_policy.yaml",
		"/files/operator_policy.yaml":                "policy/operator_policy.yaml",
		"/files/minicluster_editor_role.yaml":        "rbac/minicluster_editor_role.yaml",
		"/files/minicluster_viewer_role.yaml":        "rbac/minicluster_viewer_role.yaml",
	} {
		if d := cmp.Diff(string(read(t, manifests+origin)), string(read(t, chart+file))); d != "" {
			t.Errorf("%s%s differs from config/%s:\n%s", chart, file, origin, d)
		}
	}
	var values map[string]any
	var schema struct{ Properties map[string]any }
	if err := yaml.Unmarshal(read(t, chart+"/values.yaml"), &values); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(read(t, chart+"/values.schema.json"), &schema); err != nil {
		t.Fatal(err)
	}
	delete(schema.Properties, "global") // Helm's own
	if d := cmp.Diff(slices.Sorted(maps.Keys(values)), slices.Sorted(maps.Keys(schema.Properties))); d != "" {
		t.Error(d)
	}
}

// TestImage: the chart and the kustomization install the image of this version.
func TestImage(t *testing.T) {
	var project struct{ Version string }
	var chartFile struct{ Version, AppVersion string }
	var kustomization struct{ Images []struct{ NewTag string } }
	for file, into := range map[string]any{
		"../../sdkgen.yaml":                      &project,
		chart + "/Chart.yaml":                    &chartFile,
		manifests + "manager/kustomization.yaml": &kustomization,
	} {
		if err := yaml.Unmarshal(read(t, file), into); err != nil {
			t.Fatal(err)
		}
	}
	for _, version := range []string{chartFile.Version, chartFile.AppVersion, kustomization.Images[0].NewTag} {
		if version == "" || version != project.Version {
			t.Errorf("version %q, sdkgen.yaml has %q", version, project.Version)
		}
	}
}

// template renders the chart.
func template(t *testing.T, values ...string) ([]byte, error) {
	t.Helper()
	helm, err := exec.LookPath("helm")
	if err != nil {
		const reason = "helm is not in PATH: the chart is not rendered; `make bin/helm` builds one"
		if os.Getenv("CI") == "true" {
			t.Fatal(reason)
		}
		t.Skip(reason)
	}
	args := []string{"template", "test", chart, "--namespace", "ops"}
	for _, value := range values {
		args = append(args, "--set", value)
	}
	cmd := exec.Command(helm, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, &stderr)
	}
	return stdout.Bytes(), nil
}

// TestChartNamespaces: the chart has no default for the namespaces to watch.
func TestChartNamespaces(t *testing.T) {
	for want, values := range map[string][]string{
		"set watchNamespaces to the namespaces of MiniClusters": nil,
		"set either watchNamespaces or clusterWide":             {"watchNamespaces={a}", "clusterWide=true"},
	} {
		if _, err := template(t, values...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", values, err, want)
		}
	}
}

// permissions lists the rules, one verb and resource each.
func permissions(rules []rbacv1.PolicyRule) []string {
	var all []string
	for _, rule := range rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					all = append(all, verb+" "+group+"/"+resource)
				}
			}
		}
	}
	slices.Sort(all)
	return all
}

// checkPolicies checks that the admission policies say the same as the operator's flags.
func checkPolicies(t *testing.T, text []byte, o *options) {
	t.Helper()
	policies := map[string]admissionv1.ValidatingAdmissionPolicy{}
	for _, policy := range documents[admissionv1.ValidatingAdmissionPolicy](t, text, "ValidatingAdmissionPolicy") {
		policies[policy.Name] = policy
	}
	variables := map[string]string{}
	for _, v := range policies["test-flux-operator-volumes"].Spec.Variables {
		variables[v.Name] = v.Expression
	}
	list := func(all []string) string {
		text, err := json.Marshal(append([]string{}, all...))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if variables["allowVolumes"] != strconv.FormatBool(o.volumes) || variables["hostPaths"] != list(o.hostPaths) ||
		variables["csiDrivers"] != list(o.drivers) {
		t.Errorf("the policy of volumes has %q", variables)
	}
	if user := policies["test-flux-operator-objects"].Spec.MatchConditions[0].Expression; user != "request.userInfo.username == 'system:serviceaccount:ops:test-flux-operator'" {
		t.Errorf("the policy of objects is for %s", user)
	}
	for _, binding := range documents[admissionv1.ValidatingAdmissionPolicyBinding](t, text,
		"ValidatingAdmissionPolicyBinding") {
		if _, ok := policies[binding.Spec.PolicyName]; !ok || binding.Name != binding.Spec.PolicyName {
			t.Errorf("%s is of no policy: %q", binding.Name, binding.Spec.PolicyName)
		}
		if m := binding.Spec.MatchResources; strings.HasSuffix(binding.Name, "-volumes") &&
			(m == nil) != (len(o.namespaces) == 0) ||
			m != nil && !slices.Equal(m.NamespaceSelector.MatchExpressions[0].Values, o.namespaces) {
			t.Errorf("%s is for %+v", binding.Name, m)
		}
	}
}

// TestChart renders the chart for all namespaces and for two, without and with volumes, and compares the
// operator's RBAC with what controller-gen generates.
func TestChart(t *testing.T) {
	generated := documents[rbacv1.ClusterRole](t, read(t, manifests+"rbac/role.yaml"), "ClusterRole")
	manager, volumes := permissions(generated[0].Rules), permissions(generated[1].Rules)
	ofNamespaces := []string{"get /namespaces"}
	persistent := slices.DeleteFunc(slices.Clone(volumes), func(p string) bool { return slices.Contains(ofNamespaces, p) })
	sorted := func(all ...[]string) []string { return slices.Sorted(slices.Values(slices.Concat(all...))) }
	allowed := []string{"allowVolumes=true", "allowHostPaths={/data,/scratch}", "allowCSIDrivers={a.b}"}
	two := "watchNamespaces={a,b}"
	for name, test := range map[string]struct {
		values           []string
		cluster, inEach  []string
		namespaces       []string
		volumes, metrics bool
	}{
		"everywhere": {[]string{"clusterWide=true"}, manager, nil, nil, false, true},
		"everywhere with volumes": {slices.Concat(allowed, []string{"clusterWide=true"}), sorted(manager, volumes), nil, nil,
			true, true},
		"two": {[]string{two, "metrics.enabled=false"}, nil, manager, []string{"a", "b"}, false, false},
		"two with volumes": {slices.Concat(allowed, []string{two}), persistent, sorted(manager, ofNamespaces),
			[]string{"a", "b"}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := template(t, test.values...)
			if err != nil {
				t.Fatal(err)
			}
			var cluster []string
			in := map[string][]string{}
			for _, role := range documents[rbacv1.ClusterRole](t, text, "ClusterRole") {
				if strings.HasSuffix(role.Name, "-manager") {
					cluster = permissions(role.Rules)
				}
			}
			for _, role := range documents[rbacv1.Role](t, text, "Role") {
				in[role.Namespace] = permissions(role.Rules)
			}
			if d := cmp.Diff(test.cluster, cluster); d != "" {
				t.Error(d)
			}
			for _, namespace := range test.namespaces {
				if d := cmp.Diff(test.inEach, in[namespace]); d != "" {
					t.Errorf("%s: %s", namespace, d)
				}
			}
			if len(in) != len(test.namespaces)+1 || len(in["ops"]) == 0 {
				t.Errorf("Roles in %v", slices.Sorted(maps.Keys(in)))
			}
			o := checkDeployment(t, documents[appsv1.Deployment](t, text, "Deployment")[0])
			if !slices.Equal(o.namespaces, test.namespaces) || o.volumes != test.volumes ||
				(o.metricsAddress != "0") != test.metrics {
				t.Errorf("options %+v", o)
			}
			if test.volumes != slices.Equal(o.hostPaths, []string{"/data", "/scratch"}) ||
				test.volumes != slices.Equal(o.drivers, []string{"a.b"}) {
				t.Errorf("volumes: %q, %q", o.hostPaths, o.drivers)
			}
			checkPolicies(t, text, o)
		})
	}
}
