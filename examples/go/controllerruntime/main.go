// Command controllerruntime creates a MiniCluster with controller-runtime's client and the types of
// api/v1alpha1, waits until it is ready, prints its status and deletes it.
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
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/config"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

func main() {
	namespace := flag.String("namespace", "default", "namespace of the MiniCluster")
	name := flag.String("name", "controllerruntime", "name of the MiniCluster")
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
	// --kubeconfig, KUBECONFIG, the service account of the pod, or ~/.kube/config, in this order.
	cfg, err := config.GetConfig()
	if err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	if err := api.AddToScheme(scheme); err != nil {
		return err
	}
	c, err := client.NewWithWatch(cfg, client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	mc := &api.MiniCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: api.MiniClusterSpec{
			Size: 2,
			Containers: []api.MiniClusterContainer{{Image: "ghcr.io/rse-ops/lammps:flux-sched-focal-v0.24.0",
				Command: "lmp -in in.reaxc.hns"}},
		},
	}
	if err := c.Create(ctx, mc); err != nil {
		return err
	}
	if mc, err = wait(ctx, c, mc); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s/%s is ready: %d of at most %d pods\n", namespace, name, mc.Status.Size, mc.Status.MaximumSize)
	if err := c.Delete(ctx, mc); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s/%s is deleted\n", namespace, name)
	return nil
}

// wait waits until the MiniCluster is ready: its Job and all objects that it needs exist. It reconnects
// when the API server closes the watch.
func wait(ctx context.Context, c client.WithWatch, mc *api.MiniCluster) (*api.MiniCluster, error) {
	only := func(options metav1.ListOptions) *client.ListOptions {
		options.FieldSelector = metav1.ObjectNameField + "=" + mc.Name
		return &client.ListOptions{Namespace: mc.Namespace, Raw: &options}
	}
	list := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			found := &api.MiniClusterList{}
			return found, c.List(ctx, found, only(options))
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return c.Watch(ctx, &api.MiniClusterList{}, only(options))
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
