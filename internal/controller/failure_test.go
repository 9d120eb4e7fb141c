package controller

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// TestFailures: the condition and the event say why the last pods of a failed Job failed, also after the
// pods are gone.
func TestFailures(t *testing.T) {
	const rule = "PodFailurePolicy: Container mc for pod lab/mc-0-b failed with exit code 1 matching FailJob rule at " +
		"index 1"
	terminated := func(code int32, reason, message string) corev1.PodStatus {
		return corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{
			{Name: "side", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 3}}},
			{Name: "mc",
				State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason,
					Message: message}}},
		}}
	}
	for name, test := range map[string]struct {
		job  string // condition
		pods map[string]corev1.PodStatus
		want string
	}{
		"a command": {rule, map[string]corev1.PodStatus{
			"mc-0-a": terminated(143, "Error", "lost earlier"),
			"mc-0-b": terminated(1, "Error", "cores is 4,\nbut the node has 2\n"),
			"mc-1-c": terminated(137, "Error", ""),
		}, " (mc-0-b: cores is 4, but the node has 2)"},
		"lost pods": {"BackoffLimitExceeded: Job has reached the specified backoff limit", map[string]corev1.PodStatus{
			"mc-0-a": terminated(143, "Error", "lost earlier"),
			"mc-1-b": terminated(137, "OOMKilled", ""),
			"mc-0-c": terminated(143, "Error", "the command failed as pods were lost under it: ranks 1"),
		}, " (mc-1-b: OOMKilled, exit code 137; mc-0-c: the command failed as pods were lost under it: ranks 1)"},
		"evicted": {"BackoffLimitExceeded: limit", map[string]corev1.PodStatus{
			"mc-0-a": {Reason: "Evicted", Message: "The node was low on resource: memory."},
		}, " (mc-0-a: Evicted, The node was low on resource: memory.)"},
		"no pods": {"DeadlineExceeded: Job was active longer than specified deadline", nil, ""},
		"long": {rule, map[string]corev1.PodStatus{"mc-0-b": terminated(1, "Error", strings.Repeat("x", 5000))},
			" (mc-0-b: " + strings.Repeat("x", maxReason-3) + "…)"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, sample(t, "mc", plain))
			w.reconcile("mc")
			w.recorded()
			w.addFailed(test.pods)
			reason, message, _ := strings.Cut(test.job, ": ")
			w.setJob("mc", func(s *batchv1.JobStatus) {
				jobIs(batchv1.JobFailed)(s)
				s.Conditions[0].Reason, s.Conditions[0].Message = reason, message
			})
			w.reconcile("mc")
			if got := w.recorded(); len(got) != 1 || !strings.HasPrefix(got[0], "Warning Failed "+test.job) {
				t.Errorf("events %q", got)
			}
			for name := range test.pods {
				w.remove(get(w, &corev1.Pod{}, name))
			}
			w.edit("mc", func(s *api.MiniClusterSpec) { s.Size = 3 })
			c := meta.FindStatusCondition(get(w, &api.MiniCluster{}, "mc").Status.Conditions, api.ConditionJobFinished)
			if want := test.job + test.want; c.Reason != "Failed" || c.Message != want || c.ObservedGeneration != 2 {
				t.Errorf("condition %+v, want the message %q", c, want)
			}
		})
	}
}

// TestFailuresPaged: few pods are read at once, and all of them are looked at.
func TestFailuresPaged(t *testing.T) {
	w := newWorld(t, sample(t, "mc", plain))
	w.reconcile("mc")
	pods := map[string]corev1.PodStatus{}
	for i := range 2*podsPerList + 1 {
		pods["mc-0-"+string(rune('A'+i))] = corev1.PodStatus{Reason: "Evicted", Message: fmt.Sprint("number ", i)}
	}
	w.addFailed(pods)
	w.setJob("mc", jobIs(batchv1.JobFailed))
	pages := 0
	w.Live = interceptor.NewClient(w.store, interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			options := (&client.ListOptions{}).ApplyOptions(opts)
			if options.Limit == 0 {
				t.Error("a list without a limit")
			}
			if err := c.List(ctx, list, opts...); err != nil {
				return err
			}
			all := list.(*corev1.PodList) //nolint:forcetypeassert // the operator lists nothing else
			from, _ := strconv.Atoi(options.Continue)
			to := min(from+int(options.Limit), len(all.Items))
			if to < len(all.Items) {
				all.Continue = strconv.Itoa(to)
			}
			all.Items = all.Items[from:to]
			pages++
			return nil
		},
	})
	w.reconcile("mc")
	c := meta.FindStatusCondition(get(w, &api.MiniCluster{}, "mc").Status.Conditions, api.ConditionJobFinished)
	if want := "mc-0-U: Evicted, number 20"; pages != 3 || !strings.Contains(c.Message, want) {
		t.Errorf("%d pages, message %q, want %q", pages, c.Message, want)
	}
}

// addFailed adds failed pods of the Job mc, in the order of the last letters of their names, and one of
// another Job.
func (w *world) addFailed(pods map[string]corev1.PodStatus) {
	w.Helper()
	job := get(w, &batchv1.Job{}, "mc")
	for name, status := range pods {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "lab", Name: name,
			Labels: map[string]string{batchv1.JobNameLabel: "mc"}}, Status: status}
		pod.Status.Phase = corev1.PodFailed
		for i := range pod.Status.ContainerStatuses {
			pod.Status.ContainerStatuses[i].State.Terminated.FinishedAt = metav1.Unix(int64(time.Hour/time.Second)+
				int64(name[len(name)-1]), 0)
		}
		if err := controllerutil.SetControllerReference(job, pod, w.Client.Scheme()); err != nil {
			w.Fatal(err)
		}
		w.add(pod)
	}
	other := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "lab", Name: fmt.Sprintf("mc-0-z%d", len(pods)),
		Labels: map[string]string{batchv1.JobNameLabel: "mc"}}}
	other.Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted"}
	w.add(other)
}
