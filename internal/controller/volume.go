package controller

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// AnnotationNamespaceUID is the UID of the namespace that a volume was created for. A retained volume is
// not bound in another namespace of the same name, whose owner may be someone else.
const AnnotationNamespaceUID = api.GroupName + "/namespace-uid"

// refused returns why the volume policy does not allow the volumes of a MiniCluster, or nil.
func (r *Reconciler) refused(desired *minicluster.Desired) error {
	errs := r.Volumes.Check(desired)
	switch {
	case len(errs) == 0:
		return nil
	case !r.Volumes.Allowed:
		return unready(reasonNoVolumes, onEvent, "%v", errs.ToAggregate())
	}
	return unready(reasonVolume, onEvent, "%v", errs.ToAggregate())
}

// retainVolumes changes the reclaim policy of the volumes of a MiniCluster to Retain. Earlier versions of
// the operator created volumes whose data was deleted with them.
func (r *Reconciler) retainVolumes(ctx context.Context, mc *api.MiniCluster) error {
	if !r.Volumes.Allowed || len(mc.Spec.Volumes) == 0 {
		return nil
	}
	volumes, err := r.volumesOf(ctx, client.ObjectKeyFromObject(mc))
	for i := range volumes {
		if err := r.retain(ctx, &volumes[i]); err != nil {
			return err
		}
	}
	return err
}

// retain changes the reclaim policy of a volume to Retain, and keeps what it meant for the object.
func (r *Reconciler) retain(ctx context.Context, volume *corev1.PersistentVolume) error {
	if volume.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimRetain {
		return nil
	}
	before := volume.DeepCopy()
	volume.Labels[minicluster.LabelDelete] = "true"
	volume.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRetain
	return client.IgnoreNotFound(r.Client.Patch(ctx, volume, client.MergeFrom(before)))
}

// deleteVolumes deletes the volumes of a MiniCluster that is gone, but not their data. The garbage
// collector does not: they are cluster-scoped and cannot have a namespaced owner. A finalizer would
// prevent the deletion of MiniClusters where no operator runs. The watch of volumes begins with all
// existing ones, so those of MiniClusters that were deleted while no operator ran are deleted at its
// next start.
func (r *Reconciler) deleteVolumes(ctx context.Context, cluster types.NamespacedName) error {
	if !r.Volumes.Allowed {
		return nil
	}
	volumes, err := r.volumesOf(ctx, cluster)
	if err != nil {
		return err
	}
	volumes = slices.DeleteFunc(volumes, func(v corev1.PersistentVolume) bool {
		return v.Labels[minicluster.LabelDelete] != "true" &&
			v.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimRetain
	})
	if len(volumes) == 0 {
		return nil
	}
	// The MiniCluster may be newer than the cache.
	if err := r.Live.Get(ctx, cluster, &api.MiniCluster{}); !apierrors.IsNotFound(err) {
		return err
	}
	for i := range volumes {
		volume := &volumes[i]
		if err := r.retain(ctx, volume); err != nil {
			return err
		}
		err := r.Client.Delete(ctx, volume, client.Preconditions{UID: &volume.UID})
		if client.IgnoreNotFound(err) != nil {
			return err
		}
		log.FromContext(ctx).Info("deleted a volume of a deleted MiniCluster, but not its data", "volume", volume.Name)
	}
	return nil
}

// volumesOf returns the volumes of a MiniCluster that are not being deleted.
func (r *Reconciler) volumesOf(ctx context.Context, cluster types.NamespacedName) ([]corev1.PersistentVolume, error) {
	var volumes corev1.PersistentVolumeList
	err := r.Client.List(ctx, &volumes, client.MatchingLabels{
		minicluster.LabelManagedBy: Name,
		minicluster.LabelNamespace: cluster.Namespace,
		minicluster.LabelInstance:  cluster.Name,
	})
	return slices.DeleteFunc(volumes.Items, func(v corev1.PersistentVolume) bool { return !v.DeletionTimestamp.IsZero() }),
		err
}

// requestsForVolume maps a volume to its MiniCluster, if that is in a watched namespace.
func (r *Reconciler) requestsForVolume(_ context.Context, volume client.Object) []ctrl.Request {
	cluster := types.NamespacedName{
		Namespace: volume.GetLabels()[minicluster.LabelNamespace],
		Name:      volume.GetLabels()[minicluster.LabelInstance],
	}
	if cluster.Namespace == "" || cluster.Name == "" ||
		len(r.Namespaces) > 0 && !slices.Contains(r.Namespaces, cluster.Namespace) {
		return nil
	}
	return []ctrl.Request{{NamespacedName: cluster}}
}

// setNamespaceUID annotates a volume that is created with the UID of the namespace.
func (p *pass) setNamespaceUID(ctx context.Context, want client.Object) error {
	volume, ok := want.(*corev1.PersistentVolume)
	if !ok {
		return nil
	}
	uid, err := p.namespaceUID(ctx)
	volume.Annotations = merged(volume.Annotations, map[string]string{AnnotationNamespaceUID: string(uid)})
	return err
}

// namespaceUID reads the UID of the namespace from the API server, once in a pass.
func (p *pass) namespaceUID(ctx context.Context) (types.UID, error) {
	if p.namespace == nil {
		namespace := &corev1.Namespace{}
		if err := p.Live.Get(ctx, types.NamespacedName{Name: p.mc.Namespace}, namespace); err != nil {
			return "", err
		}
		p.namespace = namespace
	}
	return p.namespace.UID, nil
}

// checkVolume rejects an existing volume that was created for another namespace of the same name. One
// that is bound to the claim of the MiniCluster has been checked.
func (p *pass) checkVolume(ctx context.Context, live *corev1.PersistentVolume) error {
	if ref := live.Spec.ClaimRef; ref != nil && ref.UID != "" {
		claim := &corev1.PersistentVolumeClaim{}
		err := p.Client.Get(ctx, types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}, claim)
		if client.IgnoreNotFound(err) != nil || err == nil && claim.UID == ref.UID && p.owns(claim) {
			return err
		}
	}
	uid, err := p.namespaceUID(ctx)
	if err != nil || live.Annotations[AnnotationNamespaceUID] == string(uid) {
		return err
	}
	return unready(reasonConflict, again,
		"PersistentVolume %s was created for an earlier namespace %s, or by an earlier version of the "+
			"operator: an administrator has to delete it, which keeps its data", live.Name, p.mc.Namespace)
}

// unbind makes a retained volume available to the claim of a new MiniCluster of the same name: the
// claim's name and UID bind a volume.
func unbind(volume *corev1.PersistentVolume) {
	phase := volume.Status.Phase
	if volume.Spec.ClaimRef != nil && (phase == corev1.VolumeReleased || phase == corev1.VolumeFailed) {
		volume.Spec.ClaimRef.UID, volume.Spec.ClaimRef.ResourceVersion = "", ""
	}
}

// checkRetained rejects a retained volume whose spec is not the desired one.
func checkRetained(live, want client.Object) error {
	expected, ok := want.(*corev1.PersistentVolume)
	retained, same := live.(*corev1.PersistentVolume)
	if !ok || !same || equality.Semantic.DeepDerivative(expected.Spec, retained.Spec) {
		return nil
	}
	return unready(reasonConflict, again,
		"%s was retained from a deleted MiniCluster and has another storage class, capacity or path: "+
			"delete it, or ask for the same", kindAndName(want))
}
