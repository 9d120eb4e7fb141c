// Package chart tests what the chart and the kustomizations of config/ install, without a cluster: the objects, the
// values and their schema. `go test -update` rewrites testdata and the table of values in the chart's README.
package chart

import (
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

const (
	root = "../.."
	dir  = root + "/charts/flux-operator"
)

var update = flag.Bool("update", false, "rewrite testdata and the table in the chart's README.md")

// sets are the sets of values for which the chart is rendered, as files of values.
var sets = map[string]string{
	"namespaces":  `watchNamespaces: [team-a, team-b]`,
	"clusterwide": `clusterWide: true`,
	"volumes": `
clusterWide: true
allowVolumes: true
allowHostPaths: [/data, /scratch]
allowCSIDrivers: [gcs.csi.ofek.dev]
`,
	"minimal": `
watchNamespaces: [team-a]
admissionPolicies: false
metrics: {enabled: false}
userRoles: false
serviceAccount: {create: false, name: existing}
`,
	"full": `
watchNamespaces: [team-a]
nameOverride: flux
commonLabels: {team: hpc}
image: {repository: registry.example.org/flux-operator, digest: "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", pullPolicy: Always}
imagePullSecrets: [{name: registry}]
replicas: 2
maxConcurrentReconciles: 20
metrics: {port: 9443}
serviceAccount: {name: operator, annotations: {example.org/role: operator}}
resources: {requests: {cpu: 1, memory: 1Gi}, limits: {memory: 1Gi}}
extraArgs: [--zap-log-level=debug]
deploymentAnnotations: {example.org/owner: hpc}
podAnnotations: {example.org/scrape: "true"}
podLabels: {example.org/tier: control}
podDisruptionBudget: {enabled: true, maxUnavailable: 50%}
nodeSelector: {kubernetes.io/os: linux}
tolerations: [{key: node-role.kubernetes.io/control-plane, operator: Exists, effect: NoSchedule}]
affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]}]}}}
topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app.kubernetes.io/name: flux}}}]
priorityClassName: system-cluster-critical
`,
}

// kustomizations are those that docs/operate/operator.md names.
var kustomizations = []string{"default", "namespaced"}

// helm runs helm, and returns what it prints on stdout and on stderr.
func helm(t *testing.T, args ...string) (out, messages string, err error) {
	t.Helper()
	program, err := exec.LookPath("helm")
	if err != nil {
		const reason = "helm is not in PATH: the chart is not rendered; `make bin/helm` builds one"
		if os.Getenv("CI") == "true" {
			t.Fatal(reason)
		}
		t.Skip(reason)
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	return stdout.String(), stderr.String(), err
}

// valuesFile writes values to a file.
func valuesFile(t *testing.T, values string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "values.yaml")
	if err := os.WriteFile(file, []byte(values), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// render renders the chart with values, with its CustomResourceDefinition.
func render(t *testing.T, values string) string {
	t.Helper()
	out, messages, err := helm(t, "template", "flux-operator", dir, "--namespace", "flux-operator-system",
		"--include-crds", "--values", valuesFile(t, values))
	if err != nil {
		t.Fatalf("%v\n%s", err, messages)
	}
	return out
}

// build builds a kustomization of config/.
func build(t *testing.T, name string) string {
	t.Helper()
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), root+"/config/"+name)
	if err != nil {
		t.Fatal(err)
	}
	out, err := built.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// renderings are all of the above by name.
func renderings(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, values := range sets {
		all["chart-"+name] = render(t, values)
	}
	for _, name := range kustomizations {
		all["config-"+name] = build(t, name)
	}
	return all
}

// documents splits a stream of YAML documents, and leaves out those that have only comments.
func documents(stream string) []string {
	parts := regexp.MustCompile(`(?m)^---.*\n`).Split(stream, -1)
	content := regexp.MustCompile(`(?m)^[^#\s]`)
	return slices.DeleteFunc(parts, func(part string) bool { return !content.MatchString(part) })
}

// object is what the tests read of an object.
type object struct {
	APIVersion, Kind string
	Metadata         struct{ Name, Namespace string }
}

func parse[T any](t *testing.T, document string) T {
	t.Helper()
	var into T
	if err := yaml.Unmarshal([]byte(document), &into); err != nil {
		t.Fatalf("%v in\n%s", err, document)
	}
	return into
}

// version is the version of the chart, which a golden file has as VERSION.
func version(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(dir + "/Chart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return parse[struct{ Version string }](t, string(data)).Version
}

// TestRenderings compares all objects with golden files. The CustomResourceDefinition has a test of its own.
func TestRenderings(t *testing.T) {
	crd, err := os.ReadFile(root + "/config/crd/bases/flux-framework.org_miniclusters.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all := renderings(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		var rest []string
		crds := 0
		for _, document := range documents(all[name]) {
			if parse[object](t, document).Kind == "CustomResourceDefinition" {
				crds++
				if d := cmp.Diff(parse[map[string]any](t, string(crd))["spec"],
					parse[map[string]any](t, document)["spec"]); d != "" {
					t.Errorf("%s has another CustomResourceDefinition:\n%s", name, d)
				}
				continue
			}
			rest = append(rest, document)
		}
		if crds != 1 {
			t.Errorf("%s has %d CustomResourceDefinitions", name, crds)
		}
		golden(t, filepath.Join("testdata", name+".yaml"),
			strings.ReplaceAll(strings.Join(rest, "---\n"), version(t), "VERSION"))
	}
}

// golden compares a text with a file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got; go test -update rewrites it):\n%s", file, d)
	}
}

// TestLint: helm has nothing to say about the chart.
func TestLint(t *testing.T) {
	for name, values := range sets {
		if out, messages, err := helm(t, "lint", "--strict", dir, "--values", valuesFile(t, values)); err != nil ||
			strings.Contains(out, "[WARNING]") || strings.Contains(out, "[ERROR]") {
			t.Errorf("%s: %v\n%s%s", name, err, out, messages)
		}
	}
}
