package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

const usage = `Usage: manager [flags]

Runs the Flux Operator, which reconciles MiniClusters, until SIGTERM or SIGINT.

Examples:
  # Run against the current context of a kubeconfig
  manager --kubeconfig ~/.kube/config

  # Run one of several replicas, watch two namespaces, and serve metrics
  manager --leader-elect --watch-namespaces team-a,team-b --metrics-bind-address :8443

Flags:
`

// options are the command line. Flags that kubebuilder's operators also have are named as there.
type options struct {
	metricsAddress     string
	metricsSecure      bool
	metricsCertPath    string
	probeAddress       string
	leaderElect        bool
	leaseName          string
	leaseNamespace     string
	http2              bool
	namespaces         []string
	workers            int
	volumes            bool
	version            bool
	log                zap.Options
	metricsCertificate string
	metricsKey         string
}

// parse parses the command line. For -h it writes the help, and returns flag.ErrHelp.
func parse(args []string, help io.Writer) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("manager", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	config.RegisterFlags(flags)
	o.log.BindFlags(flags)
	o.bind(flags)
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(help, usage)
		flags.SetOutput(help)
		flags.PrintDefaults()
	}
	if err != nil {
		return nil, err
	}
	return o, o.check(flags.Args())
}

func (o *options) bind(flags *flag.FlagSet) {
	flags.StringVar(&o.metricsAddress, "metrics-bind-address", "0",
		"Address to serve metrics on, such as :8443. 0 disables metrics.")
	flags.BoolVar(&o.metricsSecure, "metrics-secure", true,
		"Serve metrics over HTTPS, with authentication and authorization. If false, bind to a loopback address.")
	flags.StringVar(&o.metricsCertPath, "metrics-cert-path", "",
		"Directory of the metrics server's certificate. By default, a self-signed one is generated at startup.")
	flags.StringVar(&o.metricsCertificate, "metrics-cert-name", "tls.crt", "File name of the metrics server's certificate.")
	flags.StringVar(&o.metricsKey, "metrics-cert-key", "tls.key", "File name of the metrics server's private key.")
	flags.StringVar(&o.probeAddress, "health-probe-bind-address", ":8081",
		"Address to serve /healthz and /readyz on. 0 disables the probes.")
	flags.BoolVar(&o.leaderElect, "leader-elect", false,
		"Enable leader election so that only one replica is active.")
	flags.StringVar(&o.leaseName, "leader-election-id", "flux-operator.flux-framework.org",
		"Name of the leader-election Lease.")
	flags.StringVar(&o.leaseNamespace, "leader-election-namespace", "",
		"Namespace of the leader-election Lease. By default, the namespace of the manager's pod.")
	flags.BoolVar(&o.http2, "enable-http2", false, "Enable HTTP/2 for the metrics server.")
	flags.Func("watch-namespaces", "Comma-separated namespaces to watch. By default, all namespaces.", o.watch)
	flags.IntVar(&o.workers, "max-concurrent-reconciles", 10, "Maximum number of MiniClusters to reconcile concurrently.")
	flags.BoolVar(&o.volumes, "allow-volumes", true,
		"Allow spec.volumes, which creates persistent volumes of any directory of a node.")
	flags.BoolVar(&o.version, "version", false, "Print the version and exit.")
}

// watch adds the namespaces of a list.
func (o *options) watch(list string) error {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if problems := validation.IsDNS1123Label(name); len(problems) > 0 {
			return fmt.Errorf("%q is not a valid DNS-1123 label: %s", name, strings.Join(problems, "; "))
		}
		if !slices.Contains(o.namespaces, name) {
			o.namespaces = append(o.namespaces, name)
		}
	}
	return nil
}

func (o *options) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q", rest[0])
	case o.workers < 1:
		return errors.New("--max-concurrent-reconciles: must be 1 or more")
	case o.metricsCertPath != "" && !o.metricsSecure:
		return errors.New("--metrics-cert-path: requires --metrics-secure")
	}
	return nil
}
