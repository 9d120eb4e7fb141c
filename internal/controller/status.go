package controller

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// reasonCreating is that of a MiniCluster whose objects are being made.
const reasonCreating = "Creating"

// report puts into the status what the Job and the problem, which may be nil, tell. It sets all
// conditions, always in the same order.
func report(mc *api.MiniCluster, job *batchv1.Job, problem *refusal) {
	mc.Status.Selector = minicluster.Selector(mc)
	if job != nil {
		mc.Status.Size = *job.Spec.Parallelism
	}
	running := meta.IsStatusConditionTrue(mc.Status.Conditions, api.ConditionJobRunning)
	for _, c := range []metav1.Condition{
		condition(api.ConditionJobRequested, true, "Seen", "The operator has seen the MiniCluster."),
		waiting(job),
		ready(job, problem),
		runs(job, running),
		end(job),
	} {
		c.ObservedGeneration = mc.Generation
		meta.SetStatusCondition(&mc.Status.Conditions, c)
	}
}

func condition(kind string, is bool, reason, message string) metav1.Condition {
	status := metav1.ConditionFalse
	if is {
		status = metav1.ConditionTrue
	}
	return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message}
}

func ready(job *batchv1.Job, problem *refusal) metav1.Condition {
	const kind = api.ConditionJobReady
	switch {
	case problem != nil:
		return condition(kind, false, problem.reason, clip(problem.message, maxMessage))
	case job == nil:
		return condition(kind, false, reasonCreating, "The objects of the MiniCluster are being made.")
	}
	return condition(kind, true, "Created", "The Job and all that it needs exist.")
}

func waiting(job *batchv1.Job) metav1.Condition {
	const kind = api.ConditionJobWaiting
	switch {
	case job == nil:
		return condition(kind, false, "NoJob", "There is no Job yet.")
	case ending(job):
		return condition(kind, false, "Ended", "The Job has ended.")
	case job.Spec.Suspend != nil && *job.Spec.Suspend:
		return condition(kind, true, "Suspended", "The Job is suspended.")
	case !complete(job):
		return condition(kind, true, "PodsPending", "Not all pods are ready.")
	}
	return condition(kind, false, "PodsReady", "All pods are ready.")
}

// runs takes a Job for running when all pods are up, and then as long as one of them is.
func runs(job *batchv1.Job, before bool) metav1.Condition {
	const kind = api.ConditionJobRunning
	switch {
	case job == nil:
		return condition(kind, false, "NoJob", "There is no Job yet.")
	case ending(job):
		return condition(kind, false, "Ended", "The Job has ended.")
	case complete(job) || before && job.Status.Ready != nil && *job.Status.Ready > 0:
		return condition(kind, true, "PodsReady", "The pods run.")
	}
	return condition(kind, false, "PodsPending", "Not all pods are ready.")
}

func end(job *batchv1.Job) metav1.Condition {
	const kind = api.ConditionJobFinished
	if c := holds(job, batchv1.JobComplete); c != nil {
		return condition(kind, true, "Completed", "The Job has completed.")
	}
	if c := holds(job, batchv1.JobFailed); c != nil {
		return condition(kind, true, "Failed", clip(c.Reason+": "+c.Message, maxMessage))
	}
	return condition(kind, false, "NotFinished", "The Job has not ended.")
}

// complete says whether every pod of a Job is ready or has succeeded.
func complete(job *batchv1.Job) bool {
	up := job.Status.Succeeded
	if job.Status.Ready != nil {
		up += *job.Status.Ready
	}
	return up >= *job.Spec.Parallelism
}

// ending says whether the outcome of a Job is known. Its last pods may still be stopping.
func ending(job *batchv1.Job) bool {
	return ended(job) || holds(job, batchv1.JobSuccessCriteriaMet) != nil || holds(job, batchv1.JobFailureTarget) != nil
}

// ended says whether a Job is over.
func ended(job *batchv1.Job) bool {
	return holds(job, batchv1.JobComplete) != nil || holds(job, batchv1.JobFailed) != nil
}

// finished says whether the Job of a MiniCluster is known to be over.
func finished(mc *api.MiniCluster) bool {
	return meta.IsStatusConditionTrue(mc.Status.Conditions, api.ConditionJobFinished)
}

// holds returns a condition of a Job that is true.
func holds(job *batchv1.Job, kind batchv1.JobConditionType) *batchv1.JobCondition {
	if job == nil {
		return nil
	}
	for i := range job.Status.Conditions {
		if c := &job.Status.Conditions[i]; c.Type == kind && c.Status == corev1.ConditionTrue {
			return c
		}
	}
	return nil
}
