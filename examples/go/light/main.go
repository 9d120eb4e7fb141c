// Command light creates a MiniCluster with the light client, package fluxoperator of sdk/go, waits until
// it is ready, prints its status and deletes it.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flux-framework/flux-operator/sdk/go/fluxoperator"
)

func main() {
	namespace := flag.String("namespace", "default", "namespace of the MiniCluster")
	name := flag.String("name", "light", "name of the MiniCluster")
	access := accessFlags()
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, access, *namespace, *name, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, access *access, namespace, name string, out io.Writer) error {
	httpClient, err := access.client()
	if err != nil {
		return err
	}
	client, err := fluxoperator.NewClient(httpClient, access.server)
	if err != nil {
		return err
	}
	container := fluxoperator.NewMiniClusterContainer()
	container.Image, container.Command = new("ghcr.io/rse-ops/lammps:flux-sched-focal-v0.24.0"), "lmp -in in.reaxc.hns"
	mc := fluxoperator.NewMiniCluster()
	mc.Name = name
	mc.Spec = fluxoperator.NewMiniClusterSpec([]fluxoperator.MiniClusterContainer{*container})
	mc.Spec.Size = new(int32(2))
	miniClusters := client.MiniClusters(namespace)
	if _, err := miniClusters.Create(ctx, mc, metav1.CreateOptions{}); err != nil {
		return err
	}
	ready, err := miniClusters.WaitReady(ctx, name)
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
