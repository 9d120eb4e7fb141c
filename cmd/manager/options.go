package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path"
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
	hostPaths          []string
	drivers            []string
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
	flags.StringVar(&o.metricsCertificate, "metrics-cert-name", "tls.crt",
		"File name of the metrics server's certificate.")
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
	flags.BoolVar(&o.volumes, "allow-volumes", false,
		"Allow spec.volumes, which creates persistent volumes. --allow-host-paths and --allow-csi-drivers limit them.")
	flags.Func("allow-host-paths",
		"Comma-separated directories of nodes in or below which hostpath volumes may be, such as /data,/scratch. By "+
			"default, none.", o.allowHostPaths)
	flags.Func("allow-csi-drivers",
		"Comma-separated CSI drivers that volumes may have. By default, none.", o.allowDrivers)
	flags.BoolVar(&o.version, "version", false, "Print the version and exit.")
}

// watch adds the namespaces of a list.
func (o *options) watch(list string) error {
	return add(&o.namespaces, list, func(name string) error {
		if problems := validation.IsDNS1123Label(name); len(problems) > 0 {
			return fmt.Errorf("%q is not a valid DNS-1123 label: %s", name, strings.Join(problems, "; "))
		}
		return nil
	})
}

// allowHostPaths adds the directories of a list.
func (o *options) allowHostPaths(list string) error {
	return add(&o.hostPaths, list, func(directory string) error {
		if !path.IsAbs(directory) || path.Clean(directory) != directory {
			return fmt.Errorf("%q is not an absolute, clean path", directory)
		}
		return nil
	})
}

// allowDrivers adds the CSI drivers of a list.
func (o *options) allowDrivers(list string) error {
	return add(&o.drivers, list, func(driver string) error {
		if problems := validation.IsDNS1123Subdomain(driver); len(problems) > 0 {
			return fmt.Errorf("%q is not a valid DNS-1123 subdomain: %s", driver, strings.Join(problems, "; "))
		}
		return nil
	})
}

// add appends the valid items of a comma-separated list that all lacks.
func add(all *[]string, list string, valid func(string) error) error {
	for item := range strings.SplitSeq(list, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		if err := valid(item); err != nil {
			return err
		}
		if !slices.Contains(*all, item) {
			*all = append(*all, item)
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
	case len(o.hostPaths)+len(o.drivers) > 0 && !o.volumes:
		return errors.New("--allow-host-paths, --allow-csi-drivers: require --allow-volumes")
	case o.metricsCertPath != "" && !o.metricsSecure:
		return errors.New("--metrics-cert-path: requires --metrics-secure")
	}
	return nil
}
