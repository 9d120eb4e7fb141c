// Command node is a Kubernetes node in one program: kubelet, CoreDNS, and the init that runs them beside
// containerd in namespaces of their own. It plays the role that it is called by, through links of these names.
//
//	init     the first process of the node's PID, mount and network namespaces: it starts machine, and reaps orphans
//	machine  the machine: containerd, CoreDNS and kubelet
//	proxy    beside the control plane: connections between it and the node, whose network namespace has no other way out
//	kubelet, coredns  the programs themselves
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"

	"github.com/flux-framework/flux-operator/test/cluster/kubestack/node/internal/machine"
)

func main() {
	os.Exit(run(filepath.Base(os.Args[0]), os.Args[1:]))
}

// run plays a role and returns its exit code.
func run(role string, args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	switch role {
	case "init":
		return machine.Init(args)
	case "machine":
		return exitCode(machine.Run(ctx, args))
	case "proxy":
		return exitCode(machine.Proxy(ctx, args))
	case "kubelet":
		return cli.Run(kubelet.NewKubeletCommand(ctx))
	case "coredns":
		runCoreDNS()
		return 0
	}
	fmt.Fprintf(os.Stderr, "called as %q: call it through a link named init, machine, proxy, kubelet or coredns\n", role)
	return 2
}

func exitCode(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}
