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

// sweep deletes the volumes of a MiniCluster that is gone. They have no owner that the garbage
// collector knows, and a finalizer would keep MiniClusters from being deleted where no operator
// runs. Since the watch of volumes begins with all that there are, volumes of a MiniCluster that was
// deleted while no operator ran are found at the start of the next one.
func (r *Reconciler) sweep(ctx context.Context, cluster types.NamespacedName) error {
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
	// The cache may be older than the MiniCluster.
	if err := r.Live.Get(ctx, cluster, &api.MiniCluster{}); !apierrors.IsNotFound(err) {
		return err
	}
	for i := range volumes.Items {
		volume := &volumes.Items[i]
		err := r.Client.Delete(ctx, volume, client.Preconditions{UID: &volume.UID})
		if client.IgnoreNotFound(err) != nil {
			return err
		}
		log.FromContext(ctx).Info("deleted the volume of a MiniCluster that is gone", "volume", volume.Name)
	}
	return nil
}

// clusterOf names the MiniCluster of a volume, if the operator looks after it.
func (r *Reconciler) clusterOf(_ context.Context, volume client.Object) []ctrl.Request {
	cluster := types.NamespacedName{
		Namespace: volume.GetLabels()[minicluster.LabelNamespace],
		Name:      volume.GetLabels()[minicluster.LabelInstance],
	}
	if cluster.Namespace == "" || cluster.Name == "" || len(r.Namespaces) > 0 && !slices.Contains(r.Namespaces, cluster.Namespace) {
		return nil
	}
	return []ctrl.Request{{NamespacedName: cluster}}
}
