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

	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// assign puts into an object what can be changed of the one that is wanted. All else of these kinds
// is fixed by the API server once they exist.
func assign(live, want client.Object) {
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
			release(live)
		}
	case *batchv1.Job:
		if live, ok := live.(*batchv1.Job); ok {
			// An indexed Job is elastic only if both change together.
			live.Spec.Completions, live.Spec.Parallelism = want.Spec.Completions, want.Spec.Parallelism
			live.Spec.ActiveDeadlineSeconds = want.Spec.ActiveDeadlineSeconds
		}
	}
}

// release lets the claim of a new MiniCluster have the volume that an earlier one of the same name
// has kept. The API server binds a volume to a claim by the name and the uid.
func release(volume *corev1.PersistentVolume) {
	phase := volume.Status.Phase
	if volume.Spec.ClaimRef != nil && (phase == corev1.VolumeReleased || phase == corev1.VolumeFailed) {
		volume.Spec.ClaimRef.UID, volume.Spec.ClaimRef.ResourceVersion = "", ""
	}
}

// fits refuses a volume that was kept and is not the one that is wanted.
func fits(live, want client.Object) error {
	wanted, ok := want.(*corev1.PersistentVolume)
	kept, same := live.(*corev1.PersistentVolume)
	if !ok || !same || equality.Semantic.DeepDerivative(wanted.Spec, kept.Spec) {
		return nil
	}
	return refuse(reasonConflict, again, "%s was kept from an earlier MiniCluster and is of another kind, size or place: "+
		"delete it, or ask for the same", title(want))
}

// over says whether a pod has ended that nobody starts again, such as after an eviction.
func over(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
}

// replace deletes a pod that has ended. Its end brings the next reconciliation, which makes it anew.
func (p pass) replace(ctx context.Context, pod *corev1.Pod) error {
	err := p.Client.Delete(ctx, pod, client.Preconditions{UID: &pod.UID})
	if client.IgnoreNotFound(err) != nil {
		return explain(err, "pod "+pod.Name)
	}
	p.event(p.mc, corev1.EventTypeWarning, "ServicesRestarted", "Replace", "the pod %s has ended and is replaced", pod.Name)
	return refuse(reasonWaiting, again, "the pod %s has ended and is replaced", pod.Name)
}

// join adds the MiniCluster to the owners of the Service that gives host names. It is put back to
// what it was only if no other MiniCluster wants it otherwise.
func (p pass) join(ctx context.Context, live *corev1.Service, want client.Object) error {
	wanted, ok := want.(*corev1.Service)
	if !ok {
		return refuse(reasonConflict, onEvent, "%s is no Service", title(want))
	}
	alone := !slices.ContainsFunc(live.OwnerReferences, func(o metav1.OwnerReference) bool { return o.UID != p.mc.UID })
	if alone {
		_, err := p.change(ctx, live, want, true)
		return err
	}
	if !equality.Semantic.DeepEqual(live.Spec.Selector, wanted.Spec.Selector) {
		return refuse(reasonConflict, again, "%s is another for the other MiniClusters of the namespace, by flux.minimalService: "+
			"set network.headlessName to a name of its own", title(want))
	}
	if p.owns(live) {
		return nil
	}
	if err := p.own(wanted); err != nil {
		return err
	}
	// This form merges owners by their uid, so that MiniClusters do not wait for each other.
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": live.UID, "ownerReferences": wanted.OwnerReferences,
	}})
	if err != nil {
		return err
	}
	return explain(p.Client.Patch(ctx, live, client.RawPatch(types.StrategicMergePatchType, patch)), title(want))
}

// volumeLabels select the volumes of a MiniCluster.
func volumeLabels(cluster types.NamespacedName) client.MatchingLabels {
	return client.MatchingLabels{
		minicluster.LabelManagedBy: Name,
		minicluster.LabelNamespace: cluster.Namespace,
		minicluster.LabelInstance:  cluster.Name,
	}
}
