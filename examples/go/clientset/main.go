// Command clientset creates a MiniCluster with the clientset of sdk/go, waits until it is ready, prints
// its status and deletes it.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	watchtools "k8s.io/client-go/tools/watch"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/sdk/go/clientset/versioned"
	typed "github.com/flux-framework/flux-operator/sdk/go/clientset/versioned/typed/api/v1alpha1"
)

func main() {
	namespace := flag.String("namespace", "default", "namespace of the MiniCluster")
	name := flag.String("name", "clientset", "name of the MiniCluster")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *namespace, *name, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, namespace, name string, out io.Writer) error {
	// KUBECONFIG, ~/.kube/config, or the service account of the pod, in this order.
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(),
		nil).ClientConfig()
	if err != nil {
		return err
	}
	clients, err := versioned.NewForConfig(config)
	if err != nil {
		return err
	}
	miniClusters := clients.FluxFrameworkV1alpha1().MiniClusters(namespace)
	generated, err := miniClusters.Create(ctx, &api.MiniCluster{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: api.MiniClusterSpec{
			Size: 2,
			Containers: []api.MiniClusterContainer{{Image: "ghcr.io/rse-ops/lammps:flux-sched-focal-v0.24.0",
				Command: "lmp -in in.reaxc.hns"}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	ready, err := wait(ctx, miniClusters, generated)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s/%s is ready: %d of at most %d pods\n", namespace, name, ready.Status.Size,
		ready.Status.MaximumSize)
	if err := miniClusters.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s/%s is deleted\n", namespace, name)
	return nil
}

// wait waits until the MiniCluster is ready: its Job and all objects that it needs exist. It reconnects
// when the API server closes the watch.
func wait(ctx context.Context, miniClusters typed.MiniClusterInterface, mc *api.MiniCluster) (*api.MiniCluster, error) {
	only := fields.OneTermEqualSelector(metav1.ObjectNameField, mc.Name).String()
	list := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			options.FieldSelector = only
			return miniClusters.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.FieldSelector = only
			return miniClusters.Watch(ctx, options)
		},
	}
	event, err := watchtools.UntilWithSync(ctx, list, mc, nil, func(event watch.Event) (bool, error) {
		now, ok := event.Object.(*api.MiniCluster)
		if event.Type == watch.Deleted {
			return false, fmt.Errorf("%s was deleted", mc.Name)
		}
		return ok && meta.IsStatusConditionTrue(now.Status.Conditions, api.ConditionJobReady), nil
	})
	if err != nil {
		return nil, fmt.Errorf("waiting for %s: %w", mc.Name, err)
	}
	ready, _ := event.Object.(*api.MiniCluster)
	return ready, nil
}
