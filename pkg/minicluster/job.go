package minicluster

import (
	"cmp"
	"maps"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// maxLost is how many pods may be lost over the life of a MiniCluster for reasons other than the command.
const maxLost = 100

// The exit codes of a process that was terminated by SIGKILL and SIGTERM.
const (
	exitKilled     = 137
	exitTerminated = 143
)

// job returns the Job that runs the brokers. When the size changes, only completions, parallelism and the
// entrypoint ConfigMap change.
func job(mc *api.MiniCluster) *batchv1.Job {
	spec := mc.Spec
	return &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: meta(mc, mc.Name, merged(spec.JobLabels, Labels(mc))),
		Spec: batchv1.JobSpec{
			CompletionMode:        new(batchv1.IndexedCompletion),
			Completions:           new(Size(mc)),
			Parallelism:           new(Size(mc)),
			ActiveDeadlineSeconds: new(spec.DeadlineSeconds),
			BackoffLimit:          new(backoffLimit(mc)),
			PodFailurePolicy:      failurePolicy(mc),
			SuccessPolicy:         successPolicy(mc),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{
					Labels:      podLabels(mc, ComponentBroker),
					Annotations: maps.Clone(spec.Pod.Annotations),
				},
				Spec: corev1.PodSpec{
					InitContainers:        sidecars(mc),
					Containers:            []corev1.Container{container(script{mc, fluxContainer(mc), false})},
					Volumes:               podVolumes(mc, spec.Containers, false),
					RestartPolicy:         corev1.RestartPolicyNever,
					Subdomain:             spec.Network.HeadlessName,
					ShareProcessNamespace: shared(mc),
					ImagePullSecrets:      pullSecrets(spec.Containers),
					SecurityContext:       podSecurity(mc, false),
					ServiceAccountName:    spec.Pod.ServiceAccountName,
					NodeSelector:          spec.Pod.NodeSelector,
					Affinity:              affinity(mc),
				},
			},
		},
	}
}

// Resize returns a Job with the size and the deadline of a MiniCluster, whose spec may be invalid otherwise.
func Resize(old *batchv1.Job, mc *api.MiniCluster) *batchv1.Job {
	job := old.DeepCopy()
	job.TypeMeta = metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}
	job.Spec.Completions, job.Spec.Parallelism = new(Size(mc)), new(Size(mc))
	if seconds := cmp.Or(mc.Spec.DeadlineSeconds, defaultDeadline); seconds > 0 {
		job.Spec.ActiveDeadlineSeconds = new(seconds)
	}
	return job
}

// backoffLimit is how many pods are replaced. Pods that are removed by scaling down never count.
func backoffLimit(mc *api.MiniCluster) int32 {
	if mc.Spec.RestartPolicy == restartNever {
		return 0
	}
	return maxLost
}

// failurePolicy fails the Job when Flux exits with an error, as it does if the command fails. The exit
// codes of a pod that was stopped or lost only count towards the backoff limit, and disruptions by
// Kubernetes do so only if no pod is to be replaced.
func failurePolicy(mc *api.MiniCluster) *batchv1.PodFailurePolicy {
	disrupted := batchv1.PodFailurePolicyRule{
		Action: batchv1.PodFailurePolicyActionIgnore,
		OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{
			{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue},
		},
	}
	if mc.Spec.RestartPolicy == restartNever {
		disrupted.Action = batchv1.PodFailurePolicyActionCount
	}
	return &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{
		disrupted,
		{
			Action: batchv1.PodFailurePolicyActionFailJob,
			OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
				ContainerName: new(mc.Name),
				Operator:      batchv1.PodFailurePolicyOnExitCodesOpNotIn,
				Values:        []int32{exitKilled, exitTerminated},
			},
		},
	}}
}

// successPolicy completes the Job when the lead broker succeeds, whatever the other pods do. If that is
// in another cluster, all pods have to succeed.
func successPolicy(mc *api.MiniCluster) *batchv1.SuccessPolicy {
	if mc.Spec.Flux.Bursting.LeadBroker != nil {
		return nil
	}
	return &batchv1.SuccessPolicy{Rules: []batchv1.SuccessPolicyRule{{SucceededIndexes: new("0")}}}
}

// affinity prefers one pod per node, and all pods in one zone.
func affinity(mc *api.MiniCluster) *corev1.Affinity {
	term := func(topology string) []corev1.WeightedPodAffinityTerm {
		return []corev1.WeightedPodAffinityTerm{{Weight: 100, PodAffinityTerm: corev1.PodAffinityTerm{
			LabelSelector: &metav1.LabelSelector{MatchLabels: podSelector(mc, ComponentBroker)},
			TopologyKey:   topology,
		}}}
	}
	return &corev1.Affinity{
		PodAffinity: &corev1.PodAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: term(corev1.LabelTopologyZone),
		},
		PodAntiAffinity: &corev1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: term(corev1.LabelHostname),
		},
	}
}

func shared(mc *api.MiniCluster) *bool {
	if !mc.Spec.ShareProcessNamespace {
		return nil
	}
	return new(true)
}

// pullSecrets returns the image pull secrets without duplicates.
func pullSecrets(from []api.MiniClusterContainer) []corev1.LocalObjectReference {
	var all []corev1.LocalObjectReference
	seen := map[string]bool{"": true}
	for _, c := range from {
		if name := c.ImagePullSecret; !seen[name] {
			seen[name] = true
			all = append(all, corev1.LocalObjectReference{Name: name})
		}
	}
	return all
}
