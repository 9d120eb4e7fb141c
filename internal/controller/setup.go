package controller

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// Scheme returns a scheme of the types that the operator uses.
func Scheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(api.AddToScheme(scheme))
	return scheme
}

// CacheOptions restricts the caches to the operator's objects, in the given namespaces or in all. The
// brokers' pods are left out: the Job's status stands for them.
func CacheOptions(namespaces []string) cache.Options {
	managed := cache.ByObject{Label: labels.SelectorFromSet(labels.Set{minicluster.LabelManagedBy: Name})}
	services := cache.ByObject{Label: labels.SelectorFromSet(labels.Set{
		minicluster.LabelManagedBy: Name,
		minicluster.LabelComponent: minicluster.ComponentServices,
	})}
	options := cache.Options{
		DefaultTransform: cache.TransformStripManagedFields(),
		ByObject: map[client.Object]cache.ByObject{
			&batchv1.Job{}:                  managed,
			&corev1.ConfigMap{}:             managed,
			&corev1.Service{}:               managed,
			&corev1.PersistentVolumeClaim{}: managed,
			&corev1.PersistentVolume{}:      managed,
			&corev1.Pod{}:                   services,
		},
	}
	for _, namespace := range namespaces {
		if options.DefaultNamespaces == nil {
			options.DefaultNamespaces = map[string]cache.Config{}
		}
		options.DefaultNamespaces[namespace] = cache.Config{}
	}
	return options
}

// SetupWithManager registers the Reconciler with a manager, with a number of concurrent workers.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, workers int) error {
	owners := handler.EnqueueRequestForOwner(mgr.GetScheme(), mgr.GetRESTMapper(), &api.MiniCluster{})
	others := builder.WithPredicates(r.created.Predicate())
	b := ctrl.NewControllerManagedBy(mgr).
		Named("minicluster").
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		For(&api.MiniCluster{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&batchv1.Job{}, others).
		Owns(&corev1.ConfigMap{}, others).
		Owns(&corev1.PersistentVolumeClaim{}, others).
		Owns(&corev1.Pod{}, others).
		Watches(&corev1.Service{}, owners, others)
	if r.Volumes.Allowed {
		b = b.Watches(&corev1.PersistentVolume{}, handler.EnqueueRequestsFromMapFunc(r.requestsForVolume))
	}
	return b.Complete(r)
}
