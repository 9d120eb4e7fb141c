package controller

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// deleteVolumes deletes the volumes of a MiniCluster that is gone. The garbage collector does not:
// they are cluster-scoped and cannot have a namespaced owner. A finalizer would prevent the deletion
// of MiniClusters where no operator runs. The watch of volumes begins with all existing ones, so
// those of MiniClusters that were deleted while no operator ran are deleted at its next start.
func (r *Reconciler) deleteVolumes(ctx context.Context, cluster types.NamespacedName) error {
	if !r.Volumes {
		return nil
	}
	var volumes corev1.PersistentVolumeList
	if err := r.Client.List(ctx, &volumes, volumeLabels(cluster)); err != nil {
		return err
	}
	volumes.Items = slices.DeleteFunc(volumes.Items, func(v corev1.PersistentVolume) bool {
		return !v.DeletionTimestamp.IsZero() || v.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimDelete
	})
	if len(volumes.Items) == 0 {
		return nil
	}
	// The MiniCluster may be newer than the cache.
	if err := r.Live.Get(ctx, cluster, &api.MiniCluster{}); !apierrors.IsNotFound(err) {
		return err
	}
	for i := range volumes.Items {
		volume := &volumes.Items[i]
		err := r.Client.Delete(ctx, volume, client.Preconditions{UID: &volume.UID})
		if client.IgnoreNotFound(err) != nil {
			return err
		}
		log.FromContext(ctx).Info("deleted a volume of a deleted MiniCluster", "volume", volume.Name)
	}
	return nil
}

// volumeLabels select the volumes of a MiniCluster.
func volumeLabels(cluster types.NamespacedName) client.MatchingLabels {
	return client.MatchingLabels{
		minicluster.LabelManagedBy: Name,
		minicluster.LabelNamespace: cluster.Namespace,
		minicluster.LabelInstance:  cluster.Name,
	}
}

// requestsForVolume maps a volume to its MiniCluster, if that is in a watched namespace.
func (r *Reconciler) requestsForVolume(_ context.Context, volume client.Object) []ctrl.Request {
	cluster := types.NamespacedName{
		Namespace: volume.GetLabels()[minicluster.LabelNamespace],
		Name:      volume.GetLabels()[minicluster.LabelInstance],
	}
	if cluster.Namespace == "" || cluster.Name == "" || len(r.Namespaces) > 0 && !slices.Contains(r.Namespaces, cluster.Namespace) {
		return nil
	}
	return []ctrl.Request{{NamespacedName: cluster}}
}
