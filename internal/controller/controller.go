// Package controller is the operator. It creates the objects of each MiniCluster, corrects drift, and
// reports progress in the status.
//
// # Steps
//
//	Reconcile      reads a MiniCluster and its Job, applies the desired state, updates the status (controller.go)
//	apply          validates the MiniCluster and ensures its objects: one pass (pass.go)
//	ensure         creates an object, or corrects its drift (object.go, kinds.go)
//	setStatus      turns the Job into conditions (status.go)
//	deleteVolumes  deletes the volumes of a MiniCluster that is gone (volume.go)
//
// All reads are from informers that hold only objects of the operator, so a reconciliation that finds
// nothing to do sends no request to the API server.
package controller

import (
	"context"
	"errors"
	"io"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// Name is the operator's field manager and the source of its events.
const Name = "flux-operator"

// Reconciler reconciles MiniClusters.
type Reconciler struct {
	// Client reads from informers and writes to the API server.
	Client client.Client
	// Live reads from the API server.
	Live client.Reader
	// Events records events of MiniClusters.
	Events events.EventRecorder
	// NewDesired computes a desired state, once in a pass: minicluster.NewDesired.
	NewDesired func(*api.MiniCluster) (*minicluster.Desired, field.ErrorList)
	// Rand is the source of keys.
	Rand io.Reader
	// Now is the clock, for retries.
	Now func() time.Time
	// Namespaces are those to watch; all if empty.
	Namespaces []string
	// Volumes allows spec.volumes. Without it the operator never reads or writes persistent volumes.
	Volumes bool

	created createdTracker
}

// The operator's RBAC. It never creates a CustomResourceDefinition. The permission for
// miniclusters/finalizers is needed to set blockOwnerDeletion where the admission plugin
// OwnerReferencesPermissionEnforcement is enabled.
//
// +kubebuilder:rbac:groups=flux-framework.org,resources=miniclusters,verbs=get;list;watch;patch;delete
// +kubebuilder:rbac:groups=flux-framework.org,resources=miniclusters/status,verbs=patch
// +kubebuilder:rbac:groups=flux-framework.org,resources=miniclusters/finalizers,verbs=update
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=configmaps;services;persistentvolumeclaims,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=persistentvolumes,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,verbs=get;create;update,namespace=system
// +kubebuilder:rbac:groups="",resources=events,verbs=create,namespace=system

// Reconcile reconciles one MiniCluster. A MiniCluster that cannot be made ready is no error: the
// reason is in its condition JobMiniClusterReady.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	mc := &api.MiniCluster{}
	err := r.Client.Get(ctx, request.NamespacedName, mc)
	if apierrors.IsNotFound(err) {
		return ctrl.Result{}, r.deleteVolumes(ctx, request.NamespacedName)
	}
	if err != nil || !mc.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, err
	}
	problem, err := r.reconcile(ctx, mc)
	switch {
	case notFound(err, "miniclusters"):
		return ctrl.Result{}, nil
	case notFound(err, "namespaces"): // the MiniCluster was left behind when its namespace was deleted
		log.FromContext(ctx).V(1).Info("namespace not found")
		return ctrl.Result{RequeueAfter: retryMax}, nil
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		log.FromContext(ctx).V(1).Info("requeueing: the cache is stale", "reason", err.Error())
		return ctrl.Result{RequeueAfter: retryStale}, nil
	case err != nil:
		return ctrl.Result{}, err
	case problem != nil:
		return ctrl.Result{RequeueAfter: r.retryAfter(mc, problem)}, nil
	case finished(mc) && mc.Spec.Cleanup:
		return ctrl.Result{}, r.cleanUp(ctx, mc)
	}
	return ctrl.Result{}, nil
}

// retryAfter is the time until the next attempt: as long as the MiniCluster has not been ready,
// between retryMin and retryMax, so that attempts become rarer. It is 0 if none is needed.
func (r *Reconciler) retryAfter(mc *api.MiniCluster, problem *unreadyError) time.Duration {
	c := meta.FindStatusCondition(mc.Status.Conditions, api.ConditionJobReady)
	if !problem.retry || c == nil {
		return 0
	}
	return min(max(r.Now().Sub(c.LastTransitionTime.Time), retryMin), retryMax)
}

// notFound reports whether a request failed because an object of that resource does not exist.
func notFound(err error, resource string) bool {
	var status apierrors.APIStatus
	return apierrors.IsNotFound(err) && errors.As(err, &status) &&
		status.Status().Details != nil && status.Status().Details.Kind == resource
}

// reconcile updates the objects and the status of a MiniCluster, and returns why it is not ready.
func (r *Reconciler) reconcile(ctx context.Context, mc *api.MiniCluster) (*unreadyError, error) {
	job, err := r.job(ctx, mc)
	if err != nil || job == nil && finished(mc) {
		return nil, err // a Job that was deleted after it finished is not created again
	}
	job, err = r.apply(ctx, mc, job)
	var problem *unreadyError
	if err != nil && !errors.As(err, &problem) {
		return nil, err
	}
	return problem, r.updateStatus(ctx, mc, func() { setStatus(mc, job, problem) })
}

// job returns the Job of a MiniCluster, or nil.
func (r *Reconciler) job(ctx context.Context, mc *api.MiniCluster) (*batchv1.Job, error) {
	job := &batchv1.Job{}
	err := r.Client.Get(ctx, client.ObjectKeyFromObject(mc), job)
	if err != nil || !metav1.IsControlledBy(job, mc) {
		return nil, client.IgnoreNotFound(err)
	}
	return job, nil
}

// updateStatus changes the status, and writes it if it differs. The optimistic lock rejects a write
// over a newer status than the one that was read.
func (r *Reconciler) updateStatus(ctx context.Context, mc *api.MiniCluster, change func()) error {
	before := mc.DeepCopy()
	change()
	if equality.Semantic.DeepEqual(before.Status, mc.Status) {
		return nil
	}
	err := r.Client.Status().Patch(ctx, mc, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	if err == nil {
		r.recordConditions(mc, before.Status.Conditions)
	}
	return err
}

// cleanUp deletes a MiniCluster whose Job has finished, and with it all objects that it owns.
func (r *Reconciler) cleanUp(ctx context.Context, mc *api.MiniCluster) error {
	log.FromContext(ctx).Info("deleting the finished MiniCluster (spec.cleanup)")
	return client.IgnoreNotFound(r.Client.Delete(ctx, mc,
		client.Preconditions{UID: &mc.UID}, client.PropagationPolicy(metav1.DeletePropagationBackground)))
}
