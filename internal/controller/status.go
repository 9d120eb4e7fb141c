package controller

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// reasonCreating is the reason of JobMiniClusterReady before the Job exists.
const reasonCreating = "Creating"

// setStatus sets the status from the Job, from problem, which may be nil, and from the failures of its
// pods. It sets all conditions, always in the same order.
func setStatus(mc *api.MiniCluster, job *batchv1.Job, problem *unreadyError, failures string) {
	mc.Status.Selector = minicluster.Selector(mc)
	if job != nil {
		mc.Status.Size = *job.Spec.Parallelism
	}
	running := meta.IsStatusConditionTrue(mc.Status.Conditions, api.ConditionJobRunning)
	for _, c := range []metav1.Condition{
		condition(api.ConditionJobRequested, true, "Seen", "The operator has seen the MiniCluster."),
		waitingCondition(job),
		readyCondition(job, problem),
		runningCondition(job, running),
		finishedCondition(mc, job, failures),
	} {
		c.ObservedGeneration = mc.Generation
		meta.SetStatusCondition(&mc.Status.Conditions, c)
	}
}

func condition(conditionType string, ok bool, reason, message string) metav1.Condition {
	status := metav1.ConditionFalse
	if ok {
		status = metav1.ConditionTrue
	}
	return metav1.Condition{Type: conditionType, Status: status, Reason: reason, Message: message}
}

func readyCondition(job *batchv1.Job, problem *unreadyError) metav1.Condition {
	const ready = api.ConditionJobReady
	switch {
	case problem != nil:
		return condition(ready, false, problem.reason, truncate(problem.message, maxMessage))
	case job == nil:
		return condition(ready, false, reasonCreating, "The objects of the MiniCluster are being created.")
	}
	return condition(ready, true, "Created", "The Job and all objects that it needs exist.")
}

func waitingCondition(job *batchv1.Job) metav1.Condition {
	const waiting = api.ConditionJobWaiting
	switch {
	case job == nil:
		return condition(waiting, false, "NoJob", "The Job does not exist yet.")
	case decided(job):
		return condition(waiting, false, "Ended", "The Job has finished.")
	case job.Spec.Suspend != nil && *job.Spec.Suspend:
		return condition(waiting, true, "Suspended", "The Job is suspended.")
	case !allPodsUp(job):
		return condition(waiting, true, "PodsPending", "Not all pods are ready.")
	}
	return condition(waiting, false, "PodsReady", "All pods are ready.")
}

// runningCondition is true from when all pods are up, as long as one of them is.
func runningCondition(job *batchv1.Job, before bool) metav1.Condition {
	const running = api.ConditionJobRunning
	switch {
	case job == nil:
		return condition(running, false, "NoJob", "The Job does not exist yet.")
	case decided(job):
		return condition(running, false, "Ended", "The Job has finished.")
	case allPodsUp(job) || before && job.Status.Ready != nil && *job.Status.Ready > 0:
		return condition(running, true, "PodsReady", "The pods are running.")
	}
	return condition(running, false, "PodsPending", "Not all pods are ready.")
}

// finishedCondition does not change once it is true: the failures are read only once.
func finishedCondition(mc *api.MiniCluster, job *batchv1.Job, failures string) metav1.Condition {
	const finished = api.ConditionJobFinished
	if before := meta.FindStatusCondition(mc.Status.Conditions, finished); before != nil &&
		before.Status == metav1.ConditionTrue {
		return *before
	}
	if c := trueCondition(job, batchv1.JobComplete); c != nil {
		return condition(finished, true, "Completed", "The Job has completed.")
	}
	if c := trueCondition(job, batchv1.JobFailed); c != nil {
		message := c.Reason + ": " + c.Message
		if failures != "" {
			message += " (" + failures + ")"
		}
		return condition(finished, true, "Failed", truncate(message, maxMessage))
	}
	return condition(finished, false, "NotFinished", "The Job has not finished.")
}

// allPodsUp reports whether each pod of a Job is ready or has succeeded.
func allPodsUp(job *batchv1.Job) bool {
	up := job.Status.Succeeded
	if job.Status.Ready != nil {
		up += *job.Status.Ready
	}
	return up >= *job.Spec.Parallelism
}

// decided reports whether the outcome of a Job is known. Its last pods may still be terminating.
func decided(job *batchv1.Job) bool {
	return ended(job) || trueCondition(job, batchv1.JobSuccessCriteriaMet) != nil ||
		trueCondition(job, batchv1.JobFailureTarget) != nil
}

// ended reports whether a Job has completed or failed.
func ended(job *batchv1.Job) bool {
	return trueCondition(job, batchv1.JobComplete) != nil || trueCondition(job, batchv1.JobFailed) != nil
}

// finished reports whether the status of a MiniCluster says that its Job has finished.
func finished(mc *api.MiniCluster) bool {
	return meta.IsStatusConditionTrue(mc.Status.Conditions, api.ConditionJobFinished)
}

// trueCondition returns the condition of a Job if it is true, or nil.
func trueCondition(job *batchv1.Job, conditionType batchv1.JobConditionType) *batchv1.JobCondition {
	if job == nil {
		return nil
	}
	for i := range job.Status.Conditions {
		if c := &job.Status.Conditions[i]; c.Type == conditionType && c.Status == corev1.ConditionTrue {
			return c
		}
	}
	return nil
}
