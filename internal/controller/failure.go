package controller

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

const (
	maxFailures = 2   // pods in the message of a failed MiniCluster
	maxReason   = 512 // bytes of a termination message in it
	podsPerList = 10  // of those that are read at once: each may have 900 kB
)

// failures returns why the last pods of a failed Job failed, once: when the status does not say yet that
// it has finished. The caches leave out the brokers' pods.
func (r *Reconciler) failures(ctx context.Context, mc *api.MiniCluster, job *batchv1.Job) (string, error) {
	failed := trueCondition(job, batchv1.JobFailed)
	if failed == nil || finished(mc) {
		return "", nil
	}
	ends, err := r.podEnds(ctx, job)
	if err != nil {
		return "", err
	}
	// The Job controller names the pod that failed the Job, if it was one.
	if named := slices.DeleteFunc(slices.Clone(ends),
		func(e podEnd) bool { return !strings.Contains(failed.Message, e.pod) }); len(named) > 0 {
		ends = named
	}
	slices.SortFunc(ends, func(a, b podEnd) int {
		return cmp.Or(a.at.Compare(b.at.Time), strings.Compare(a.pod, b.pod))
	})
	var all []string
	for _, end := range ends[max(0, len(ends)-maxFailures):] {
		all = append(all, end.pod+": "+end.why)
	}
	return strings.Join(all, "; "), nil
}

// podEnd is how a pod of a Job ended.
type podEnd struct {
	pod, why string
	at       metav1.Time
}

// podEnds returns the ends of all failed pods of a Job.
func (r *Reconciler) podEnds(ctx context.Context, job *batchv1.Job) ([]podEnd, error) {
	var ends []podEnd
	for next := client.Continue(""); ; {
		var pods corev1.PodList
		err := r.Live.List(ctx, &pods, client.InNamespace(job.Namespace),
			client.MatchingLabels{batchv1.JobNameLabel: job.Name},
			client.MatchingFields{"status.phase": string(corev1.PodFailed)}, client.Limit(podsPerList), next)
		if err != nil {
			return nil, err
		}
		for i := range pods.Items {
			pod := &pods.Items[i]
			if metav1.IsControlledBy(pod, job) {
				ends = append(ends, endOf(pod, job.Name)...)
			}
		}
		if pods.Continue == "" {
			return ends, nil
		}
		next = client.Continue(pods.Continue)
	}
}

// endOf returns the end of a failed pod, from its container that runs Flux or else, such as for a pod
// that was evicted, from the pod. There is none if neither says.
func endOf(pod *corev1.Pod, container string) []podEnd {
	for _, status := range pod.Status.ContainerStatuses {
		end := status.State.Terminated
		if status.Name != container || end == nil || end.ExitCode == 0 {
			continue
		}
		why := strings.Join(strings.Fields(end.Message), " ")
		if why == "" {
			why = fmt.Sprintf("exit code %d", end.ExitCode)
		}
		if end.Reason != "" && end.Reason != "Error" {
			why = end.Reason + ", " + why
		}
		return []podEnd{{pod.Name, truncate(why, maxReason), end.FinishedAt}}
	}
	if pod.Status.Reason == "" {
		return nil
	}
	return []podEnd{{pod.Name, truncate(pod.Status.Reason+", "+pod.Status.Message, maxReason), pod.CreationTimestamp}}
}
