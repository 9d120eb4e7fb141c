// Package controller is the operator. It makes the objects of each MiniCluster, keeps them, and
// tells in the status how far they have come.
//
// # The order
//
//	Reconcile  reads a MiniCluster and its Job, advances them, and writes the status (controller.go)
//	advance    checks the MiniCluster, then makes what is missing of its objects (advance.go)
//	ensure     creates one object, or puts back what has become of it (object.go)
//	report     turns the Job into conditions (status.go)
//	sweep      deletes the volumes of a MiniCluster that is gone (volume.go)
//
// Everything is read from caches that hold only what the operator has made, so that a
// reconciliation that finds nothing to do asks the API server for nothing.
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
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// Name is what the operator calls itself: as the manager of fields, and as the source of events.
const Name = "flux-operator"

// Reconciler brings MiniClusters and their objects together.
type Reconciler struct {
	// Client reads from caches, and writes.
	Client client.Client
	// Live reads from the API server itself.
	Live client.Reader
	// Events tells what happens to a MiniCluster.
	Events events.EventRecorder
	// Rand is what keys are made from.
	Rand io.Reader
	// Now tells the time, for pauses between tries.
	Now func() time.Time
	// Namespaces are those that the operator looks after; all if there are none.
	Namespaces []string
	// Volumes allows MiniClusters to have persistent volumes. Without it the operator neither
	// reads nor writes any.
	Volumes bool

	made made
}

// What the operator may do, and nothing else. It creates no CustomResourceDefinition.
// miniclusters/finalizers is asked of those that set blockOwnerDeletion, by the admission plugin
// OwnerReferencesPermissionEnforcement.
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

// Reconcile brings one MiniCluster further. A MiniCluster that cannot have what it asks for is no
// error: its condition JobMiniClusterReady says why.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	mc := &api.MiniCluster{}
	err := r.Client.Get(ctx, request.NamespacedName, mc)
	if apierrors.IsNotFound(err) {
		return ctrl.Result{}, r.sweep(ctx, request.NamespacedName)
	}
	if err != nil || !mc.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, err
	}
	problem, err := r.follow(ctx, mc)
	switch {
	case missing(err, "miniclusters"):
		return ctrl.Result{}, nil
	case missing(err, "namespaces"): // the namespace's deletion has left it behind
		log.FromContext(ctx).V(1).Info("there is no such namespace")
		return ctrl.Result{RequeueAfter: retryMost}, nil
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		log.FromContext(ctx).V(1).Info("the cache was behind", "reason", err.Error())
		return ctrl.Result{RequeueAfter: retrySoon}, nil
	case err != nil:
		return ctrl.Result{}, err
	case problem != nil:
		return ctrl.Result{RequeueAfter: r.pause(mc, problem)}, nil
	case finished(mc) && mc.Spec.Cleanup:
		return ctrl.Result{}, r.cleanUp(ctx, mc)
	}
	return ctrl.Result{}, nil
}

// pause is how long to wait until trying again: as long as the MiniCluster has not been ready, within
// bounds, so that tries become rarer.
func (r *Reconciler) pause(mc *api.MiniCluster, problem *refusal) time.Duration {
	c := meta.FindStatusCondition(mc.Status.Conditions, api.ConditionJobReady)
	if !problem.retry || c == nil {
		return 0
	}
	return min(max(r.Now().Sub(c.LastTransitionTime.Time), retryFirst), retryMost)
}

// missing says whether a request failed because an object of that resource is not there.
func missing(err error, resource string) bool {
	var status apierrors.APIStatus
	return apierrors.IsNotFound(err) && errors.As(err, &status) &&
		status.Status().Details != nil && status.Status().Details.Kind == resource
}

// follow brings a MiniCluster and its status up to date, and returns what stands in the way of it.
func (r *Reconciler) follow(ctx context.Context, mc *api.MiniCluster) (*refusal, error) {
	job, err := r.job(ctx, mc)
	if err != nil || job == nil && finished(mc) {
		return nil, err // a Job that was deleted after its end is not run again
	}
	job, err = r.advance(ctx, mc, job)
	var problem *refusal
	if err != nil && !errors.As(err, &problem) {
		return nil, err
	}
	return problem, r.update(ctx, mc, func() { report(mc, job, problem) })
}

// job returns the Job of a MiniCluster, nil if it has none.
func (r *Reconciler) job(ctx context.Context, mc *api.MiniCluster) (*batchv1.Job, error) {
	job := &batchv1.Job{}
	err := r.Client.Get(ctx, client.ObjectKeyFromObject(mc), job)
	if err != nil || !metav1.IsControlledBy(job, mc) {
		return nil, client.IgnoreNotFound(err)
	}
	return job, nil
}

// update changes the status, and writes it if that makes a difference. It is written only over the
// status that was read: a reconciliation that began with an old one starts again.
func (r *Reconciler) update(ctx context.Context, mc *api.MiniCluster, change func()) error {
	before := mc.DeepCopy()
	change()
	if equality.Semantic.DeepEqual(before.Status, mc.Status) {
		return nil
	}
	err := r.Client.Status().Patch(ctx, mc, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	if err == nil {
		r.announce(mc, before.Status.Conditions)
	}
	return err
}

// cleanUp deletes a MiniCluster whose Job has ended, and with it all that it owns.
func (r *Reconciler) cleanUp(ctx context.Context, mc *api.MiniCluster) error {
	log.FromContext(ctx).Info("deleting the MiniCluster: it has ended, and asks for cleanup")
	return client.IgnoreNotFound(r.Client.Delete(ctx, mc,
		client.Preconditions{UID: &mc.UID}, client.PropagationPolicy(metav1.DeletePropagationBackground)))
}
