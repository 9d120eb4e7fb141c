// Package controller is the operator. It creates the objects of each MiniCluster, corrects drift, and
// reports progress in the status.
//
// # Steps
//
//	Reconcile      reads a MiniCluster and its Job, applies the desired state, updates the status (controller.go)
//	apply          validates the MiniCluster and ensures its objects: one pass (pass.go)
//	ensure         creates an object, or corrects its drift (object.go, kinds.go)
//	failures       reads why the pods of a failed Job failed (failure.go)
//	setStatus      turns the Job into conditions (status.go)
//	deleteVolumes  deletes the volumes of a MiniCluster that is gone (volume.go)
//
// All other reads are from informers that hold only objects of the operator, so a reconciliation that
// finds nothing to do sends no request to the API server.
package controller

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
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
	// Volumes is what spec.volumes may name. If it allows none, the operator never reads or writes
	// persistent volumes.
	Volumes minicluster.VolumePolicy

	created createdTracker
}

// The operator's RBAC. It never creates a CustomResourceDefinition, and creates Secrets without reading
// any: the answer to a patch would hold a Secret, too. The permission for miniclusters/finalizers is
// needed to set blockOwnerDeletion where the admission plugin OwnerReferencesPermissionEnforcement is
// enabled. The role of volumes is needed only with --allow-volumes.
//
// +kubebuilder:rbac:groups=flux-framework.org,resources=miniclusters,verbs=get;list;watch;patch;delete
// +kubebuilder:rbac:groups=flux-framework.org,resources=miniclusters/status,verbs=patch
// +kubebuilder:rbac:groups=flux-framework.org,resources=miniclusters/finalizers,verbs=update
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=configmaps;services;persistentvolumeclaims,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=create
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=persistentvolumes,verbs=get;list;watch;create;patch;delete,roleName=volumes-role
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get,roleName=volumes-role
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
	if err := r.retainVolumes(ctx, mc); err != nil {
		return ctrl.Result{}, err
	}
	problem, err := r.reconcile(ctx, mc)
	switch {
	case notFound(err, "miniclusters"):
		return ctrl.Result{}, nil
	case notFound(err, "namespaces"): // the MiniCluster was left behind when its namespace was deleted
		log.FromContext(ctx).V(1).Info("namespace not found")
		return ctrl.Result{RequeueAfter: retryMax}, nil
	case apierrors.IsConflict(err):
		log.FromContext(ctx).V(1).Info("requeueing: the cache is stale", "reason", err.Error())
		return ctrl.Result{RequeueAfter: retryStale}, nil
	case apierrors.IsNotFound(err): // the event of its deletion follows, unless a webhook responded
		log.FromContext(ctx).V(1).Info("requeueing: an object was not found", "reason", err.Error())
		return ctrl.Result{RequeueAfter: r.backOff(mc)}, nil
	case permanent(err): // a change of the MiniCluster itself, such as of its status: no condition can say so
		log.FromContext(ctx).Info("the API server rejected a change of the MiniCluster", "reason", err.Error())
		r.event(mc, corev1.EventTypeWarning, reasonRejected, "Update", "%v", err)
		return ctrl.Result{}, nil
	case err != nil:
		return ctrl.Result{}, err
	case problem != nil:
		return ctrl.Result{RequeueAfter: r.retryAfter(mc, problem)}, nil
	case finished(mc) && mc.Spec.Cleanup:
		return ctrl.Result{}, r.cleanUp(ctx, mc)
	}
	return ctrl.Result{}, nil
}

// retryAfter is the time until the next attempt. It is 0 if none is needed.
func (r *Reconciler) retryAfter(mc *api.MiniCluster, problem *unreadyError) time.Duration {
	if !problem.retry {
		return 0
	}
	return r.backOff(mc)
}

// backOff is how long the MiniCluster has been ready or not, between retryMin and retryMax, so that
// attempts become rarer.
func (r *Reconciler) backOff(mc *api.MiniCluster) time.Duration {
	c := meta.FindStatusCondition(mc.Status.Conditions, api.ConditionJobReady)
	if c == nil {
		return retryMax
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
	failures, err := r.failures(ctx, mc, job)
	if err != nil {
		return nil, err
	}
	return problem, r.updateStatus(ctx, mc, func() { setStatus(mc, job, problem, failures) })
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

// updateStatus changes the status, and writes it if it differs. The resource version rejects a write over
// a newer status than the one that was read.
func (r *Reconciler) updateStatus(ctx context.Context, mc *api.MiniCluster, change func()) error {
	before := mc.Status.DeepCopy()
	change()
	if equality.Semantic.DeepEqual(*before, mc.Status) {
		return nil
	}
	// The difference to the MiniCluster from before would be the same, at the cost of encoding it twice.
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": mc.ResourceVersion}, "status": mc.Status,
	})
	if err != nil {
		return err
	}
	if err = r.Client.Status().Patch(ctx, mc, client.RawPatch(types.MergePatchType, patch)); err == nil {
		r.recordConditions(mc, before.Conditions)
	}
	return err
}

// cleanUp deletes a MiniCluster whose Job has finished, and with it all objects that it owns.
func (r *Reconciler) cleanUp(ctx context.Context, mc *api.MiniCluster) error {
	log.FromContext(ctx).Info("deleting the finished MiniCluster (spec.cleanup)")
	return client.IgnoreNotFound(r.Client.Delete(ctx, mc,
		client.Preconditions{UID: &mc.UID}, client.PropagationPolicy(metav1.DeletePropagationBackground)))
}
