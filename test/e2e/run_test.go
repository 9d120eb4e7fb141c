package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// endless is a MiniCluster whose pods run until they are deleted.
const endless = `{size: 2, maxSize: 6, interactive: true, containers: [{image: any}], pod: {annotations: {"` + runFor +
	`": 24h}}}`

// TestRun follows a MiniCluster until its Job has finished.
func TestRun(t *testing.T) {
	s := need(t)
	s.manager(t, s.kubeconfig)
	ns := s.namespace(t)
	mc := s.create(t, ns, "lammps",
		`{size: 4, tasks: 2, deadlineSeconds: 31500000, containers: [{image: any, command: lmp, cores: 2, runFlux: true}]}`)
	s.await(t, mc, api.ConditionJobReady)
	job := get(t, s, &batchv1.Job{}, ns, "lammps")
	if *job.Spec.ActiveDeadlineSeconds != 31500000 || *job.Spec.Completions != 4 || *job.Spec.Parallelism != 4 {
		t.Errorf("the Job is %+v", job.Spec)
	}
	s.await(t, mc, api.ConditionJobFinished)
	for condition, want := range map[string]metav1.ConditionStatus{
		api.ConditionJobRequested: "True", api.ConditionJobReady: "True", api.ConditionJobFinished: "True",
		api.ConditionJobRunning: "False", api.ConditionJobWaiting: "False",
	} {
		if c := meta.FindStatusCondition(mc.Status.Conditions, condition); c == nil || c.Status != want {
			t.Errorf("%s: %+v, want %s", condition, c, want)
		}
	}
	if mc.Status.Size != 4 || mc.Status.MaximumSize != 4 || mc.Status.Selector != minicluster.Selector(mc) {
		t.Errorf("status %+v", mc.Status)
	}
	events := kubectl(t, "", "get", "events.events.k8s.io", "--namespace", ns, "--output",
		"jsonpath={range .items[?(@.regarding.kind=='MiniCluster')]}{.reason} {end}")
	if got := strings.Fields(events); !slices.Contains(got, "Created") || !slices.Contains(got, "Completed") {
		t.Errorf("events %q", got)
	}
	if row := kubectl(t, "", "get", "mc", "--namespace", ns, "--no-headers"); !cmp.Equal(strings.Fields(row)[:4],
		[]string{"lammps", "4", "True", "True"}) {
		t.Errorf("kubectl get: %s", row)
	}
}

// TestFailure: the status reports a failed Job.
func TestFailure(t *testing.T) {
	s := need(t)
	s.manager(t, s.kubeconfig)
	mc := s.create(t, s.namespace(t), "broken",
		`{containers: [{image: any, command: "false"}], pod: {annotations: {cluster.flux-framework.org/exit-code: "1"}}}`)
	s.awaitReason(t, mc, api.ConditionJobFinished, metav1.ConditionTrue, "Failed")
	if meta.IsStatusConditionTrue(mc.Status.Conditions, api.ConditionJobRunning) {
		t.Errorf("status %+v", mc.Status)
	}
}

// TestNeverRestart: with restartPolicy Never a lost pod fails the Job, and the status says which pod, but pods
// that are removed by scaling down do not. A sidecar does not keep the Job from finishing.
func TestNeverRestart(t *testing.T) {
	s := need(t)
	s.manager(t, s.kubeconfig)
	ns := s.namespace(t)
	const containers = `restartPolicy: Never, containers: [{image: any, runFlux: true, command: a}, {name: side, image: any}]`
	lost := s.create(t, ns, "lost", `{size: 2, `+containers+
		`, pod: {annotations: {cluster.flux-framework.org/exit-code: "143"}}}`)
	s.awaitReason(t, lost, api.ConditionJobFinished, metav1.ConditionTrue, "Failed")
	message := meta.FindStatusCondition(lost.Status.Conditions, api.ConditionJobFinished).Message
	if !strings.Contains(message, "BackoffLimitExceeded") ||
		!strings.Contains(message, "lost-0-") && !strings.Contains(message, "lost-1-") ||
		!strings.Contains(message, "exit code 143") {
		t.Errorf("the message is %q", message)
	}
	mc := s.create(t, ns, "scaled", `{size: 4, `+containers+`, pod: {annotations: {"`+runFor+`": 15s}}}`)
	s.await(t, mc, api.ConditionJobRunning)
	s.change(t, mc, func(spec *api.MiniClusterSpec) { spec.Size = 2 })
	s.awaitReason(t, mc, api.ConditionJobFinished, metav1.ConditionTrue, "Completed")
}

// TestExamples: each example has its objects, owns them, becomes ready, and leaves nothing when deleted.
func TestExamples(t *testing.T) {
	s := need(t)
	s.manager(t, s.kubeconfig)
	for _, file := range exampleFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			ns := s.namespace(t)
			for _, mc := range examples(t, file, ns) {
				if err := s.client.Create(t.Context(), mc); err != nil {
					t.Fatal(err)
				}
				s.await(t, mc, api.ConditionJobReady)
				s.checkOwned(t, mc)
				if err := s.client.Delete(t.Context(), mc); err != nil {
					t.Fatal(err)
				}
			}
			s.awaitEmpty(t, ns)
		})
	}
}

// examples reads the MiniClusters of a file, and sets their namespace.
func examples(t *testing.T, file, namespace string) []*api.MiniCluster {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var found []*api.MiniCluster
	for part := range strings.SplitSeq("\n"+string(data), "\n---") {
		mc := &api.MiniCluster{}
		if err := yaml.UnmarshalStrict([]byte(part), mc); err != nil {
			t.Fatal(err)
		}
		if mc.Name != "" {
			for key, volume := range mc.Spec.Volumes {
				if volume.SecretNamespace == mc.Namespace {
					volume.SecretNamespace = namespace
					mc.Spec.Volumes[key] = volume
				}
			}
			mc.Namespace = namespace
			found = append(found, mc)
		}
	}
	return found
}

// checkOwned checks that all expected objects of a MiniCluster exist, and that it owns them.
func (s *suite) checkOwned(t *testing.T, mc *api.MiniCluster) {
	t.Helper()
	for _, want := range expected(t, mc) {
		live, ok := want.DeepCopyObject().(client.Object)
		if !ok {
			t.Fatalf("%T is not a client.Object", want)
		}
		live = get(t, s, live, want.GetNamespace(), want.GetName())
		owners := live.GetOwnerReferences()
		switch {
		case want.GetNamespace() == "":
			if len(owners) > 0 {
				t.Errorf("%T %s has owners: %+v", live, live.GetName(), owners)
			}
		case want.GetLabels()[minicluster.LabelInstance] == "":
			if !slices.ContainsFunc(owners, func(o metav1.OwnerReference) bool { return o.UID == mc.UID }) {
				t.Errorf("%T %s: owners %+v", live, live.GetName(), owners)
			}
		case !metav1.IsControlledBy(live, mc):
			t.Errorf("%T %s: owners %+v", live, live.GetName(), owners)
		}
	}
}

// TestScale uses the scale subresource, as kubectl and autoscalers do. A size over the maximum is reset.
func TestScale(t *testing.T) {
	s := need(t)
	s.manager(t, s.kubeconfig)
	ns := s.namespace(t)
	mc := s.create(t, ns, "elastic", endless)
	s.await(t, mc, api.ConditionJobRunning)
	for _, step := range []struct{ ask, want string }{{"5", "5"}, {"1", "1"}, {"9", "6"}, {"2", "2"}} {
		kubectl(t, "", "scale", "minicluster/elastic", "--namespace", ns, "--replicas="+step.ask)
		eventually(t, patience, func() string {
			got := kubectl(t, "", "get", "job/elastic", "--namespace", ns, "--output",
				"jsonpath={.spec.completions} {.spec.parallelism} {.status.ready}")
			if want := strings.Join([]string{step.want, step.want, step.want}, " "); got != want {
				return "the Job has " + got + ", want " + want
			}
			scale := kubectl(t, "", "get", "minicluster/elastic", "--namespace", ns, "--subresource=scale", "--output",
				"jsonpath={.spec.replicas} {.status.replicas}")
			if want := step.want + " " + step.want; scale != want {
				return "the scale is " + scale + ", want " + want
			}
			return ""
		})
	}
	s.await(t, mc, api.ConditionJobRunning)
	pods := kubectl(t, "", "get", "pods", "--namespace", ns, "--selector", mc.Status.Selector, "--no-headers")
	if n := strings.Count(pods, "Running"); n != 2 {
		t.Errorf("status.selector selects %d pods:\n%s", n, pods)
	}
}

// TestSpecChange: a running Job survives a change of the spec that would need another one.
func TestSpecChange(t *testing.T) {
	s := need(t)
	s.manager(t, s.kubeconfig)
	ns := s.namespace(t)
	mc := s.create(t, ns, "mc", endless)
	s.await(t, mc, api.ConditionJobRunning)
	before := get(t, s, &batchv1.Job{}, ns, "mc")
	s.change(t, mc, func(spec *api.MiniClusterSpec) { spec.Containers[0].Image = "other" })
	s.awaitReason(t, mc, api.ConditionJobReady, metav1.ConditionFalse, "SpecChanged")
	after := get(t, s, &batchv1.Job{}, ns, "mc")
	if after.UID != before.UID || after.Generation != before.Generation ||
		!meta.IsStatusConditionTrue(mc.Status.Conditions, api.ConditionJobRunning) {
		t.Errorf("the Job was changed: %+v", after.Spec)
	}
	s.change(t, mc, func(spec *api.MiniClusterSpec) { spec.Containers[0].Image, spec.DeadlineSeconds = "any", 7200 })
	s.await(t, mc, api.ConditionJobReady)
	if after = get(t, s, &batchv1.Job{}, ns, "mc"); *after.Spec.ActiveDeadlineSeconds != 7200 || after.UID != before.UID {
		t.Errorf("the deadline is %d", *after.Spec.ActiveDeadlineSeconds)
	}
}

// TestInvalid: a condition reports what the schema cannot validate.
func TestInvalid(t *testing.T) {
	s := need(t)
	p := s.manager(t, s.kubeconfig)
	ns := s.namespace(t)
	mc := s.create(t, ns, "two-fluxes", `{containers: [{runFlux: true}, {name: b, runFlux: true}]}`)
	s.awaitReason(t, mc, api.ConditionJobReady, metav1.ConditionFalse, "Invalid")
	if left := s.objects(t, ns); len(left) > 0 {
		t.Errorf("objects %q", titles(left))
	}
	s.change(t, mc, func(spec *api.MiniClusterSpec) { spec.Containers[1].RunFlux, spec.Size, spec.MaxSize = false, 2, 3 })
	s.await(t, mc, api.ConditionJobReady)
	if mc.Status.MaximumSize != 3 {
		t.Errorf("status %+v", mc.Status)
	}
	if strings.Contains(p.Tail(1000), `"level":"error"`) {
		t.Error("the operator logs an invalid MiniCluster as an error")
	}
}

// TestQuota: a condition reports what the API server rejects, and the operator retries.
func TestQuota(t *testing.T) {
	s := need(t)
	s.manager(t, s.kubeconfig)
	ns := s.namespace(t)
	quota := "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: none}\nspec: {hard: {count/jobs.batch: 0}}\n"
	kubectl(t, quota, "apply", "--namespace", ns, "--filename", "-")
	eventually(t, patience, func() string {
		if kubectl(t, "", "get", "quota/none", "--namespace", ns, "--output", "jsonpath={.status.hard}") == "" {
			return "the quota is not in force"
		}
		return ""
	})
	mc := s.create(t, ns, "mc", endless)
	s.awaitReason(t, mc, api.ConditionJobReady, metav1.ConditionFalse, "Rejected")
	kubectl(t, "", "delete", "quota/none", "--namespace", ns)
	s.await(t, mc, api.ConditionJobReady)
}
