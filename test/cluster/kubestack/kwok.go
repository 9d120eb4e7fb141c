package main

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"
	"sigs.k8s.io/kwok/pkg/config"
	kwok "sigs.k8s.io/kwok/pkg/kwok/cmd"
	"sigs.k8s.io/kwok/pkg/log"

	"github.com/flux-framework/flux-operator/test/cluster/kubestack/internal/node"
)

// runKwok plays nodes and pods by kwok's stages, and serves the nodes' API beside it. It takes kwok's own arguments and
// those of the server.
//
// Kwok's server for logs, exec and port-forward stays off: it runs any command for anyone who reaches its port.
func runKwok(ctx context.Context) error {
	// Kubernetes has put its own --version here, of a type that kwok's command cannot read.
	pflag.CommandLine = pflag.NewFlagSet("kwok", pflag.ContinueOnError)

	// A first, lenient pass reads the flags that the command is made with.
	flags := pflag.NewFlagSet("global", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.Usage = func() {}
	var server node.Server
	flags.StringVar(&server.Address, "kubelet-address", "", "address to serve the nodes' API on")
	flags.StringVar(&server.CertFile, "kubelet-cert-file", "", "certificate of the nodes' API")
	flags.StringVar(&server.KeyFile, "kubelet-key-file", "", "key of the nodes' API")
	flags.StringVar(&server.ClientCAFile, "kubelet-client-ca-file", "", "who signs those that may call the nodes' API")
	ctx, _ = log.InitFlags(ctx, flags)
	ctx, err := config.InitFlags(ctx, flags)
	if err != nil {
		return fmt.Errorf("reading the configuration: %w", err)
	}
	command := kwok.NewCommand(ctx)
	command.PersistentFlags().AddFlagSet(flags)

	ctx, cancel := context.WithCancelCause(ctx)
	go func() { cancel(server.Serve()) }()
	if err := command.ExecuteContext(ctx); err != nil {
		return err
	}
	return context.Cause(ctx)
}
