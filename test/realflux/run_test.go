package realflux

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// run is one MiniCluster on the node.
type run struct {
	*testing.T
	*suite
	image     string
	namespace string
	mc        *api.MiniCluster
	began     time.Time
	logs      *recorder
}

// newRun makes a namespace for MiniClusters with an image.
func (s *suite) newRun(t *testing.T, image string) *run {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "flux-"}}
	if err := s.client.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	r := &run{T: t, suite: s, image: image, namespace: ns.Name}
	r.logs = s.record(t, ns.Name)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(r.describe())
		}
		// The pods of a finished Job are deleted at once, so that their processors are free for others.
		for _, args := range [][]string{
			{"delete", "--wait=false", "miniclusters", "--all"},
			{"delete", "--grace-period=1", "pods", "--all"},
			{"delete", "--wait=false", "namespace", ns.Name},
		} {
			if out, err := kubectl(context.Background(), append(args, "--namespace", ns.Name)...); err != nil {
				t.Log(err, out)
			}
		}
	})
	return r
}

// start creates a MiniCluster named fx with a spec in YAML. The image of containers that have none is that of the run.
func (r *run) start(spec string) {
	r.Helper()
	r.startNamed("fx", spec)
}

func (r *run) startNamed(name, spec string) {
	r.Helper()
	mc := &api.MiniCluster{ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace, Name: name}}
	if err := yaml.UnmarshalStrict([]byte(spec), &mc.Spec); err != nil {
		r.Fatal(err)
	}
	r.startObject(mc)
}

func (r *run) startObject(mc *api.MiniCluster) {
	r.Helper()
	if len(mc.Spec.Containers) == 0 {
		mc.Spec.Containers = make([]api.MiniClusterContainer, 1)
	}
	for _, containers := range [][]api.MiniClusterContainer{mc.Spec.Containers, mc.Spec.Services} {
		for i := range containers {
			if containers[i].Image == "" {
				containers[i].Image = r.image
			}
		}
	}
	r.mc, r.began = mc, time.Now()
	if err := r.client.Create(r.Context(), mc); err != nil {
		r.Fatal(err)
	}
}

// until waits until a condition holds.
func (r *run) until(within time.Duration, what string, done func() bool) {
	r.Helper()
	for deadline := time.Now().Add(within); !done(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.Fatalf("after %s: %s", within, what)
		}
	}
}

// finish waits until the Job has finished and all its pods have ended, and returns the message of the condition.
func (r *run) finish(within time.Duration) (completed bool, message string) {
	r.Helper()
	r.until(within, "the Job has not finished", func() bool {
		err := r.client.Get(r.Context(), client.ObjectKeyFromObject(r.mc), r.mc)
		if apierrors.IsNotFound(err) && r.mc.Spec.Cleanup { // the operator has deleted it, as its Job had finished
			completed = true
			return true
		}
		if err != nil {
			r.Fatal(err)
		}
		c := meta.FindStatusCondition(r.mc.Status.Conditions, api.ConditionJobFinished)
		if c == nil || c.Status != metav1.ConditionTrue {
			return false
		}
		completed, message = c.Reason == "Completed", c.Message
		return true
	})
	r.logs.settle()
	if took := r.lingered(); took > 20*time.Second {
		r.Errorf("the Job finished %s after its lead", took)
	}
	return completed, message
}

// lingered returns how long the other pods kept the Job from finishing, where the lead's pod is still there.
func (r *run) lingered() time.Duration {
	pod := r.find(0)
	finished := meta.FindStatusCondition(r.mc.Status.Conditions, api.ConditionJobFinished)
	if pod == nil || finished == nil {
		return 0
	}
	for _, c := range pod.Status.ContainerStatuses {
		if c.Name == r.mc.Name && c.State.Terminated != nil {
			return finished.LastTransitionTime.Sub(c.State.Terminated.FinishedAt.Time)
		}
	}
	return 0
}

// completes fails the test unless the Job completes.
func (r *run) completes(within time.Duration) {
	r.Helper()
	if completed, message := r.finish(within); !completed {
		r.Fatalf("the Job failed: %s", message)
	}
}

// fails fails the test unless the Job fails with a message that matches a pattern.
func (r *run) fails(within time.Duration, pattern string) {
	r.Helper()
	completed, message := r.finish(within)
	if completed {
		r.Fatal("the Job completed")
	}
	if !regexp.MustCompile(pattern).MatchString(message) {
		r.Errorf("the Job failed with %q, want %q", message, pattern)
	}
}

// has fails the test unless the log of the Flux container of an index has so many lines that match a pattern; at least
// one if count is negative.
func (r *run) has(index, count int, pattern string) {
	r.Helper()
	text := r.logs.text(r.mc.Name, index)
	n := len(regexp.MustCompile("(?m)"+pattern).FindAllString(text, -1))
	if n != count && (count >= 0 || n == 0) {
		r.Errorf("index %d: %q is in the log %d times, want %d", index, pattern, n, count)
	}
}

// wrote waits until the log of an index matches a pattern.
func (r *run) wrote(within time.Duration, index int, pattern string) {
	r.Helper()
	p := regexp.MustCompile("(?m)" + pattern)
	r.until(within, fmt.Sprintf("index %d has not written %q", index, pattern), func() bool {
		return p.MatchString(r.logs.text(r.mc.Name, index))
	})
}

// pod returns the newest pod of an index.
func (r *run) pod(index int) *corev1.Pod {
	r.Helper()
	var newest *corev1.Pod
	r.until(time.Minute, fmt.Sprintf("there is no pod of index %d", index), func() bool {
		newest = r.find(index)
		return newest != nil
	})
	return newest
}

func (r *run) find(index int) *corev1.Pod {
	var pods corev1.PodList
	err := r.client.List(r.Context(), &pods, client.InNamespace(r.namespace), client.MatchingLabels{
		"batch.kubernetes.io/job-name":             r.mc.Name,
		"batch.kubernetes.io/job-completion-index": strconv.Itoa(index),
	})
	if err != nil {
		r.Fatal(err)
	}
	var newest *corev1.Pod
	for i := range pods.Items {
		if pod := &pods.Items[i]; newest == nil || newest.CreationTimestamp.Before(&pod.CreationTimestamp) {
			newest = pod
		}
	}
	return newest
}

// running waits until the Flux container of an index runs, and returns its pod.
func (r *run) running(index int) *corev1.Pod {
	r.Helper()
	var pod *corev1.Pod
	r.until(time.Minute, fmt.Sprintf("the pod of index %d does not run", index), func() bool {
		pod = r.find(index)
		return pod != nil && pod.DeletionTimestamp == nil && pod.Status.Phase == corev1.PodRunning && slices.ContainsFunc(
			pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool {
				return c.Name == r.mc.Name &&
					c.State.Running != nil
			})
	})
	return pod
}

// exec runs a command in the Flux container of the lead broker, as kubectl exec does.
func (r *run) exec(command ...string) (string, error) {
	pod := r.find(0)
	if pod == nil {
		return "", fmt.Errorf("there is no lead broker")
	}
	ctx, cancel := context.WithTimeout(r.Context(), time.Minute)
	defer cancel()
	return kubectl(ctx, append([]string{"exec", "--namespace", r.namespace, pod.Name, "--container", r.mc.Name, "--"},
		command...)...)
}

// flux runs a command of Flux as a user, in the way of the Python client.
func (r *run) flux(user string, args ...string) (string, error) {
	const command = `export FLUX_URI=local:///run/flux/local; exec flux "$@"`
	return r.exec(append([]string{"sudo", "-E", "-H", "-u", user, "sh", "-c", command, "sh"}, args...)...)
}

// mustFlux is flux as the Flux user, for commands that succeed.
func (r *run) mustFlux(args ...string) string {
	r.Helper()
	out, err := r.flux("flux", args...)
	if err != nil {
		r.Fatalf("flux %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// online waits until so many brokers are up and free.
func (r *run) online(within time.Duration, brokers int) {
	r.Helper()
	last := ""
	r.until(within, fmt.Sprintf("%d brokers are not online", brokers), func() bool {
		out, err := r.flux("flux", "resource", "list", "-s", "free", "-no", "{nnodes}")
		last = strings.TrimSpace(out)
		return err == nil && last == strconv.Itoa(brokers)
	})
}

// kill sends a signal to the first process of the Flux container of an index, from outside of the container.
func (r *run) kill(index int, signal syscall.Signal) {
	r.Helper()
	pod := r.running(index)
	pid, err := containerInit(pod.UID, r.mc.Name)
	if err == nil {
		err = syscall.Kill(pid, signal)
	}
	if err != nil {
		r.Fatalf("killing the container of index %d: %v", index, err)
	}
}

// containerInit finds the first process of a container: the process with PID 1 in a PID namespace of its own, whose
// volumes are those of the pod.
func containerInit(pod types.UID, container string) (int, error) {
	statuses, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		return 0, err
	}
	for _, file := range statuses {
		status, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		_, pids, found := strings.Cut(string(status), "NSpid:")
		pids, _, _ = strings.Cut(pids, "\n")
		numbers := strings.Fields(pids)
		if !found || len(numbers) < 2 || numbers[len(numbers)-1] != "1" {
			continue
		}
		mounts, err := os.ReadFile(filepath.Join(filepath.Dir(file), "mountinfo"))
		if err != nil || !strings.Contains(string(mounts), "pods/"+string(pod)+"/containers/"+container+"/") {
			continue
		}
		return strconv.Atoi(numbers[0])
	}
	return 0, fmt.Errorf("container %s of pod %s has no process", container, pod)
}

// remove deletes the pod of an index, with the pod's own grace period if grace is negative, and returns it.
func (r *run) remove(index int, grace int64) *corev1.Pod {
	r.Helper()
	pod := r.running(index)
	var options []client.DeleteOption
	if grace >= 0 {
		options = append(options, client.GracePeriodSeconds(grace))
	}
	if err := r.client.Delete(r.Context(), pod, options...); err != nil {
		r.Fatal(err)
	}
	return pod
}

// evict evicts the pod of an index, as a drain of its node does, and returns it.
func (r *run) evict(index int) *corev1.Pod {
	r.Helper()
	pod := r.running(index)
	if err := r.tryEvict(pod); err != nil {
		r.Fatal(err)
	}
	return pod
}

func (r *run) tryEvict(pod *corev1.Pod) error {
	return r.pods.PolicyV1().Evictions(r.namespace).Evict(r.Context(), &policyv1.Eviction{ObjectMeta: r.named(pod.Name)})
}

// gone waits until a pod has ended, and returns how long that took.
func (r *run) gone(within time.Duration, pod *corev1.Pod) time.Duration {
	r.Helper()
	began := time.Now()
	r.until(within, "pod "+pod.Name+" has not ended", func() bool {
		now := &corev1.Pod{}
		err := r.client.Get(r.Context(), client.ObjectKeyFromObject(pod), now)
		return client.IgnoreNotFound(err) == nil && (err != nil || now.UID != pod.UID ||
			now.Status.Phase == corev1.PodSucceeded || now.Status.Phase == corev1.PodFailed)
	})
	return time.Since(began)
}

// describe returns what is known about a run that failed.
func (r *run) describe() string {
	var b strings.Builder
	for _, args := range [][]string{
		{"get", "pods", "--output=wide"}, {"get", "events", "--sort-by=.lastTimestamp"},
		{"get", "jobs,miniclusters", "--output=yaml"},
	} {
		out, err := kubectl(context.Background(), append(args, "--namespace", r.namespace)...)
		if err != nil {
			out += err.Error()
		}
		if args[1] == "jobs,miniclusters" {
			_, out, _ = strings.Cut(out, "\n  status:\n")
		}
		fmt.Fprintf(&b, "kubectl %s\n%s\n", strings.Join(args, " "), out)
	}
	b.WriteString(r.logs.all())
	return b.String()
}

func kubectl(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "kubectl", args...).CombinedOutput()
	return string(out), err
}
