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

// options are the command line. Flags that other operators have, too, have the names that
// kubebuilder gives them.
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

func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("manager", flag.ContinueOnError)
	flags.SetOutput(stderr)
	config.RegisterFlags(flags)
	o.log.BindFlags(flags)
	flags.StringVar(&o.metricsAddress, "metrics-bind-address", "0",
		"The address that metrics are served at, such as :8443, or 127.0.0.1:8080 without --metrics-secure; 0 serves none.")
	flags.BoolVar(&o.metricsSecure, "metrics-secure", true,
		"Serve metrics by HTTPS, and only to those that may get the URL /metrics.")
	flags.StringVar(&o.metricsCertPath, "metrics-cert-path", "",
		"The directory with the certificate that metrics are served with. By default one is made at each start.")
	flags.StringVar(&o.metricsCertificate, "metrics-cert-name", "tls.crt", "The file of the certificate.")
	flags.StringVar(&o.metricsKey, "metrics-cert-key", "tls.key", "The file of its key.")
	flags.StringVar(&o.probeAddress, "health-probe-bind-address", ":8081",
		"The address that /healthz and /readyz are served at; 0 serves none.")
	flags.BoolVar(&o.leaderElect, "leader-elect", false,
		"Work only while no other manager does, so that several can stand by.")
	flags.StringVar(&o.leaseName, "leader-election-id", "flux-operator.flux-framework.org",
		"The lease that managers of which one is to work share. Those of different namespaces need different ones.")
	flags.StringVar(&o.leaseNamespace, "leader-election-namespace", "",
		"The namespace of the lease. By default that of the manager's pod.")
	flags.BoolVar(&o.http2, "enable-http2", false, "Serve metrics by HTTP/2, too.")
	flags.Func("watch-namespaces", "The namespaces to look after, separated by commas. By default all of them.", o.watch)
	flags.IntVar(&o.workers, "max-concurrent-reconciles", 10, "How many MiniClusters are worked on at once.")
	flags.BoolVar(&o.volumes, "allow-volumes", true,
		"Let MiniClusters have spec.volumes. They become persistent volumes, which can be any directory of a node.")
	flags.BoolVar(&o.version, "version", false, "Print the version and exit.")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	return o, o.check(flags.Args())
}

func (o *options) watch(list string) error {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if problems := validation.IsDNS1123Label(name); len(problems) > 0 {
			return fmt.Errorf("%q is not the name of a namespace: %s", name, strings.Join(problems, "; "))
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
		return fmt.Errorf("%s: there are no arguments without a flag", rest[0])
	case o.workers < 1:
		return errors.New("--max-concurrent-reconciles: must be 1 or more")
	case o.metricsCertPath != "" && !o.metricsSecure:
		return errors.New("--metrics-cert-path: is of no use with --metrics-secure=false")
	}
	return nil
}
