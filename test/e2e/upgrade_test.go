package e2e

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"

	"github.com/flux-framework/flux-operator/test/operator"
)

var upgrade = flag.Bool("upgrade", false, "run TestUpgrade, which needs a control plane that has no MiniClusters")

// upgradeCount is the number of MiniClusters that run during an upgrade, without those whose Jobs have finished.
const upgradeCount = 50

// runningSpecs are specs of MiniClusters that run during an upgrade; NAME stands for that of the MiniCluster.
var runningSpecs = []string{
	`{size: 2, maxSize: 6, interactive: true, containers: [{image: any}], PODS}`,
	`{size: 2, maxSize: 4, containers: [{image: any}], services: [{name: NAME-cache, image: any, ports: [6379]}], users: [{name: ada}], PODS}`,
	`{size: 2, containers: [{image: any, runFlux: true, command: a}, {name: NAME-web, image: any, ports: [80]}], PODS}`,
	`{size: 1, maxSize: 3, deadlineSeconds: 100000, network: {headlessName: other}, jobLabels: {a: b}, PODS,
	  containers: [{image: any, command: a, logs: /logs, environment: {A: b}, resources: {requests: {cpu: 1}}}]}`,
	`{size: 2, containers: [{image: any}], fluxRestful: {username: eve, token: given}, users: [{name: ada, password: given}, {name: bob}], PODS}`,
	withVolume,
}

// withVolume can be created only where volumes are allowed.
const withVolume = `{size: 2, containers: [{image: any, volumes: {v: {path: /v}}}], volumes: {v: {path: /mnt/e2e}}, PODS}`

// needEmpty is need on a control plane on which no operator is installed.
func needEmpty(t *testing.T) *suite {
	t.Helper()
	if !*upgrade {
		t.Skip("only with -upgrade, as in `make test-e2e ONLY=upgrade`")
	}
	s := connected(t)
	if crds := kubectl(t, "", "get", "customresourcedefinitions", "--output=name"); strings.Contains(crds,
		"flux-framework.org") {
		t.Fatalf("the control plane has %s: `make test-e2e ONLY=upgrade` starts one without", crds)
	}
	return s
}

// chartVersion returns the version of a chart.
func chartVersion(t *testing.T, v version) string {
	t.Helper()
	var chart struct{ Version string }
	data, err := os.ReadFile(v.chart() + "/Chart.yaml")
	if err == nil {
		err = yaml.Unmarshal(data, &chart)
	}
	if err != nil {
		t.Fatal(err)
	}
	return chart.Version
}

// values returns arguments of helm that set those values that a chart has.
func values(t *testing.T, v version, all ...string) []string {
	t.Helper()
	var known map[string]any
	data, err := os.ReadFile(v.chart() + "/values.yaml")
	if err == nil {
		err = yaml.Unmarshal(data, &known)
	}
	if err != nil {
		t.Fatal(err)
	}
	var args []string
	for _, value := range all {
		name, _, _ := strings.Cut(value, "=")
		if _, ok := known[name]; ok {
			args = append(args, "--set="+value)
		}
	}
	return args
}

// changes are the differences that an upgrade may make to MiniClusters and their objects, with the reason. All others
// are errors.
var changes = map[string]string{
	"PersistentVolume spec.persistentVolumeReclaimPolicy":        "0.1.0 had volumes deleted with their data",
	"PersistentVolume metadata.labels.flux-framework.org/delete": "says since 0.3.0 what 0.1.0 said by the reclaim policy",
}

// checkUpgrade checks what has changed since before, and what the process wrote. It returns the writes of objects.
func (i *installation) checkUpgrade(t *testing.T, before, after snapshot, when string) string {
	t.Helper()
	allowed, found := map[string]int{"create events": 1, "create events.k8s.io/events": upgradeCount}, []string{}
	for _, d := range after.since(before) {
		if changes[d.what] == "" {
			t.Errorf("%s: %s", when, d)
		} else { // the same patch is sent again if the cache has not seen it yet; the server then changes nothing
			t.Logf("%s: %s", when, d)
			allowed["patch persistentvolumes"] = 2 * d.objects
		}
	}
	for what, n := range i.writes() {
		t.Logf("%s: %s: %d", when, what, n)
		if n > allowed[what] {
			t.Errorf("%s: the operator sent %s %d times, may %d times", when, what, n, allowed[what])
		}
		if !strings.Contains(what, "events") {
			found = append(found, fmt.Sprintf("%d: `%s`", n, what))
		}
	}
	slices.Sort(found)
	return cmp.Or(strings.Join(found, ", "), "0")
}

// restart starts the same manager again, which has nothing to write.
func (i *installation) restart(t *testing.T, programs, namespace string) {
	t.Helper()
	i.start(t, programs)
	i.settle(t, namespace)
	for what, n := range i.writes() {
		if !strings.Contains(what, "events") {
			t.Errorf("after a restart, the operator sent %s %d times", what, n)
		}
	}
}

// wipe removes all that a test of upgrades has left, for the next one.
func (s *suite) wipe(t *testing.T, namespaces ...string) {
	t.Helper()
	for _, p := range s.processes {
		p.Kill()
	}
	kubectl(t, "", "delete", "customresourcedefinition", "miniclusters.flux-framework.org", "--ignore-not-found",
		"--timeout=60s")
	kubectl(t, "", "delete", "persistentvolumes", "--all", "--wait=false")
	kubectl(t, "", append([]string{"delete", "namespace", "--ignore-not-found", "--timeout=120s"}, namespaces...)...)
}

// TestUpgradeHelm upgrades the chart from the previous version while MiniClusters run, rolls it back, upgrades it again
// and uninstalls it.
func TestUpgradeHelm(t *testing.T) {
	s := needEmpty(t)
	earlier, after := previous(t), version{root: root, programs: s.dir}
	const release, ops, ns = "flux-operator", "upgrade-helm", "upgrade-helm-jobs"
	t.Cleanup(func() { s.wipe(t, ops, ns) })
	kubectl(t, "", "create", "namespace", ns)
	set := []string{"watchNamespaces={" + ns + "}", "allowVolumes=true", "allowHostPaths={/mnt}"}
	here := []string{"--namespace=" + ops, "--wait"}
	helm(t, slices.Concat([]string{"install", release, earlier.chart(), "--create-namespace"}, here,
		values(t, earlier, set...))...)
	i := &installation{suite: s, namespace: ops, deployment: release}
	i.start(t, earlier.programs)
	all := i.populate(t, ns, runningSpecs)
	before := s.snapshot(t, ns)
	if before.count("PersistentVolume") == 0 {
		t.Error("there are no PersistentVolumes")
	}

	const warning = "WARNING: the CustomResourceDefinition in the cluster is not the one of this chart"
	args := slices.Concat([]string{"upgrade", release, after.chart(), "--reset-then-reuse-values"}, here,
		values(t, after, set...))
	crd, crdOfPrevious := helm(t, "show", "crds", after.chart()), helm(t, "show", "crds", earlier.chart())
	if notes := helm(t, append(args, "--dry-run=server")...); strings.Contains(notes, warning) != (crd != crdOfPrevious) {
		t.Errorf("before the CRD is upgraded, the chart says\n%s", notes)
	}
	began := time.Now()
	kubectl(t, crd, "apply", "--server-side", "--force-conflicts", "--filename=-")
	if notes := helm(t, args...); strings.Contains(notes, warning) {
		t.Errorf("after the CRD was upgraded, the chart says\n%s", notes)
	}
	i.upgraded(t, "`helm upgrade` from "+chartVersion(t, earlier), after, before, all, began)
	i.operates(t, ns, "new", all[0], all[5], 4)
	i.restart(t, after.programs, ns)

	helm(t, slices.Concat([]string{"rollback", release, "1"}, here)...)
	i.rollback(t, earlier, ns)
	i.operates(t, ns, "again", all[0], all[11], 2)
	helm(t, args...)
	i.start(t, after.programs)
	i.settle(t, ns)

	current := s.snapshot(t, ns)
	if err := i.process.Stop(); err != nil {
		t.Error(err)
	}
	helm(t, slices.Concat([]string{"uninstall", release}, here)...)
	kubectl(t, "", "get", "customresourcedefinition", "miniclusters.flux-framework.org")
	for _, d := range s.snapshot(t, ns).since(current) {
		t.Errorf("uninstalled: %s", d)
	}
}

// upgraded starts the new version, and checks and reports what it does.
func (i *installation) upgraded(
	t *testing.T, how string, after version, before snapshot, all []*api.MiniCluster, began time.Time,
) {
	t.Helper()
	ns := all[0].Namespace
	for _, kind := range []string{"MiniCluster", "Job", "Pod", "ConfigMap", "Service"} {
		if n := before.count(kind); n < upgradeCount/len(runningSpecs) {
			t.Errorf("only %d objects of the kind %s exist", n, kind)
		}
	}
	changed := i.snapshot(t, ns).since(before)
	if len(changed) > 0 {
		t.Errorf("before the new operator runs: %s", changed)
	}
	leads := i.start(t, after.programs)
	settled := i.settle(t, ns).Sub(began)
	n := i.checkUpgrade(t, before, i.snapshot(t, ns), how)
	if !t.Failed() {
		row := fmt.Sprintf("| %s | %d | 0 | %s | %s | %s |", how, upgradeCount, n, seconds(leads), seconds(settled))
		t.Log(row)
		i.report.upgrades = append(i.report.upgrades, row)
	}
}

// rollback starts the previous version again. It may undo what the new one changed, but no Job, pod,
// Secret, Service or claim changes.
func (i *installation) rollback(t *testing.T, earlier version, namespace string) {
	t.Helper()
	before := i.snapshot(t, namespace)
	i.start(t, earlier.programs)
	i.settle(t, namespace)
	for _, d := range i.snapshot(t, namespace).since(before) {
		kind, what, _ := strings.Cut(d.what, " ")
		if what == "created" || what == "deleted" ||
			!slices.Contains([]string{"PersistentVolume", "MiniCluster", "ConfigMap"}, kind) {
			t.Errorf("rollback: %s", d)
		} else {
			t.Logf("rollback: %s", d)
		}
	}
}

// TestUpgradeKustomize upgrades config/default from the previous version while MiniClusters run.
func TestUpgradeKustomize(t *testing.T) {
	s := needEmpty(t)
	earlier, after := previous(t), version{root: root, programs: s.dir}
	const ns = "upgrade-kustomize"
	t.Cleanup(func() { s.wipe(t, operator.Namespace, ns) })
	kubectl(t, "", "create", "namespace", ns)
	kubectl(t, "", "apply", "--server-side", "--kustomize", earlier.root+"/config/default")
	i := &installation{suite: s, namespace: operator.Namespace, deployment: operator.Name}
	i.start(t, earlier.programs)
	specs := slices.Clone(runningSpecs)
	if _, err := os.Stat(earlier.root + "/config/policy/volumes_policy.yaml"); err == nil { // since 0.3.0
		specs = slices.DeleteFunc(specs, func(spec string) bool { return spec == withVolume })
	}
	all := i.populate(t, ns, specs)
	before := s.snapshot(t, ns)
	began := time.Now()
	kubectl(t, "", "apply", "--server-side", "--kustomize", after.root+"/config/default")
	i.upgraded(t, "`kubectl apply --kustomize` from "+chartVersion(t, earlier), after, before, all, began)
	i.operates(t, ns, "new", all[0], all[5], 4)
	i.restart(t, after.programs, ns)
}
