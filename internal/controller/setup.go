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

// Scheme returns the types that the operator knows.
func Scheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(api.AddToScheme(scheme))
	return scheme
}

// CacheOptions has the caches hold what the operator has made, in the given namespaces or in all,
// and nothing else: neither the brokers' pods, which the Job speaks for, nor the objects of others.
func CacheOptions(namespaces []string) cache.Options {
	ours := cache.ByObject{Label: labels.SelectorFromSet(labels.Set{minicluster.LabelManagedBy: Name})}
	services := cache.ByObject{Label: labels.SelectorFromSet(labels.Set{
		minicluster.LabelManagedBy: Name,
		minicluster.LabelComponent: minicluster.ComponentServices,
	})}
	options := cache.Options{
		DefaultTransform: cache.TransformStripManagedFields(),
		ByObject: map[client.Object]cache.ByObject{
			&batchv1.Job{}:                  ours,
			&corev1.ConfigMap{}:             ours,
			&corev1.Service{}:               ours,
			&corev1.PersistentVolumeClaim{}: ours,
			&corev1.PersistentVolume{}:      ours,
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

// SetupWithManager has a manager run the Reconciler, for several MiniClusters at once.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, workers int) error {
	owners := handler.EnqueueRequestForOwner(mgr.GetScheme(), mgr.GetRESTMapper(), &api.MiniCluster{})
	made := builder.WithPredicates(r.made.others())
	b := ctrl.NewControllerManagedBy(mgr).
		Named("minicluster").
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		For(&api.MiniCluster{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&batchv1.Job{}, made).
		Owns(&corev1.ConfigMap{}, made).
		Owns(&corev1.PersistentVolumeClaim{}, made).
		Owns(&corev1.Pod{}, made).
		Watches(&corev1.Service{}, owners, made)
	if r.Volumes {
		b = b.Watches(&corev1.PersistentVolume{}, handler.EnqueueRequestsFromMapFunc(r.clusterOf))
	}
	return b.Complete(r)
}
