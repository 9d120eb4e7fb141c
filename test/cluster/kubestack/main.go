// Command kubestack is a Kubernetes control plane in one program: etcd, kube-apiserver, kube-controller-manager,
// kube-scheduler, kwok in the place of nodes, and kubectl. It plays the role that it is called by, through links of
// these names, and takes that role's own arguments.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	_ "time/tzdata" // CronJobs name time zones

	"go.etcd.io/etcd/server/v3/etcdmain"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // kubectl logs in by these
	"k8s.io/component-base/cli"
	"k8s.io/component-base/logs"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	"sigs.k8s.io/kwok/pkg/utils/signals"
)

func main() {
	os.Exit(run(strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")))
}

// run plays a role with the arguments of the process and returns its exit code.
func run(role string) int {
	switch role {
	case "etcd":
		etcdmain.Main(os.Args)
		return 0
	case "kube-apiserver":
		return cli.Run(apiserver.NewAPIServerCommand())
	case "kube-controller-manager":
		return cli.Run(controllers.NewControllerManagerCommand())
	case "kube-scheduler":
		return cli.Run(scheduler.NewSchedulerCommand())
	case "kwok":
		return exitCode(runKwok(signals.SetupSignalContext()))
	case "kubectl":
		runKubectl()
		return 0
	}
	fmt.Fprintf(os.Stderr, "called as %q: call it through a link named etcd, kube-apiserver, kube-controller-manager, "+
		"kube-scheduler, kwok or kubectl\n", role)
	return 2
}

// runKubectl ends the process with kubectl's own exit code if the command went wrong.
func runKubectl() {
	// The command's plugins and preferences are read while it is built, before it reads -v itself. A bad level is
	// reported when it does.
	_, _ = logs.GlogSetter(cmd.GetLogVerbosity(os.Args))
	if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err)
	}
}

func exitCode(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}
