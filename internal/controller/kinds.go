package controller

import (
	"context"
	"encoding/json"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// setMutable copies the fields that the API server lets change from want to live. All others of
// these kinds are immutable.
func setMutable(live, want client.Object) {
	switch want := want.(type) {
	case *corev1.ConfigMap:
		if live, ok := live.(*corev1.ConfigMap); ok {
			live.Data = want.Data
		}
	case *corev1.Service:
		if live, ok := live.(*corev1.Service); ok {
			live.Spec.Selector, live.Spec.Ports = want.Spec.Selector, want.Spec.Ports
			live.Spec.PublishNotReadyAddresses = want.Spec.PublishNotReadyAddresses
		}
	case *corev1.PersistentVolume:
		if live, ok := live.(*corev1.PersistentVolume); ok {
			live.Spec.PersistentVolumeReclaimPolicy = want.Spec.PersistentVolumeReclaimPolicy
			unbind(live)
		}
	case *batchv1.Job:
		if live, ok := live.(*batchv1.Job); ok {
			// An elastic indexed Job needs both to change together.
			live.Spec.Completions, live.Spec.Parallelism = want.Spec.Completions, want.Spec.Parallelism
			live.Spec.ActiveDeadlineSeconds = want.Spec.ActiveDeadlineSeconds
		}
	}
}

// terminated reports whether a pod has terminated for good, such as after an eviction.
func terminated(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
}

// replace deletes a pod that has terminated. The deletion triggers the reconciliation that creates it
// again.
func (p *pass) replace(ctx context.Context, pod *corev1.Pod) error {
	err := p.Client.Delete(ctx, pod, client.Preconditions{UID: &pod.UID})
	if client.IgnoreNotFound(err) != nil {
		return explain(err, "Pod "+pod.Name)
	}
	p.event(p.mc, corev1.EventTypeWarning, "ServicesRestarted", "Replace", "Pod %s has terminated and is being replaced",
		pod.Name)
	return unready(reasonWaiting, again, "Pod %s has terminated and is being replaced", pod.Name)
}

// share adds the MiniCluster to the owners of the headless Service. Drift is corrected only if there is
// no other owner.
func (p *pass) share(ctx context.Context, live *corev1.Service, want client.Object) error {
	expected, ok := want.(*corev1.Service)
	if !ok {
		return unready(reasonConflict, onEvent, "%s is not a Service", kindAndName(want))
	}
	soleOwner := !slices.ContainsFunc(live.OwnerReferences,
		func(o metav1.OwnerReference) bool { return o.UID != p.mc.UID })
	if soleOwner {
		_, err := p.update(ctx, live, want, true)
		return err
	}
	if !equality.Semantic.DeepEqual(live.Spec.Selector, expected.Spec.Selector) {
		return unready(reasonConflict, again, "%s is shared with MiniClusters that differ in flux.minimalService: "+
			"set network.headlessName to another name", kindAndName(want))
	}
	if p.owns(live) {
		return nil
	}
	if err := p.setOwner(expected); err != nil {
		return err
	}
	// A strategic merge patch merges owners by UID, so MiniClusters do not conflict with each other.
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": live.UID, "ownerReferences": expected.OwnerReferences,
	}})
	if err != nil {
		return err
	}
	return explain(p.Client.Patch(ctx, live, client.RawPatch(types.StrategicMergePatchType, patch)), kindAndName(want))
}
