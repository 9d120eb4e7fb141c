package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"time"

	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/flux-framework/flux-operator/internal/controller"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // the manager could not start, or lost leader election
	exitUsage  = 2 // invalid flags
)

// run is the program without its process. It returns exitOK when the context is canceled.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintf(stderr, "manager: %v\nRun manager -h for usage.\n", err)
		return exitUsage
	case o.version:
		fmt.Fprintln(stdout, version())
		return exitOK
	}
	log := zap.New(zap.UseFlagOptions(&o.log), zap.WriteTo(stderr))
	ctrl.SetLogger(log)
	klog.SetLogger(log)
	if err := serve(ctx, o); err != nil {
		log.Error(err, "running the manager")
		return exitFailed
	}
	return exitOK
}

func serve(ctx context.Context, o *options) error {
	cluster, err := config.GetConfig()
	if err != nil {
		return fmt.Errorf("loading the kubeconfig: %w", err)
	}
	mgr, err := ctrl.NewManager(cluster, o.manager())
	if err != nil {
		return fmt.Errorf("creating the manager: %w", err)
	}
	r := &controller.Reconciler{
		Client:     client.WithFieldOwner(mgr.GetClient(), controller.Name),
		Live:       mgr.GetAPIReader(),
		Events:     mgr.GetEventRecorder(controller.Name),
		NewDesired: minicluster.NewDesired,
		Rand:       rand.Reader,
		Now:        time.Now,
		Namespaces: o.namespaces,
		Volumes: minicluster.VolumePolicy{
			Allowed: o.volumes, HostPaths: o.hostPaths, Drivers: o.drivers,
		},
	}
	if err := r.SetupWithManager(mgr, o.workers); err != nil {
		return fmt.Errorf("creating the controller: %w", err)
	}
	if err := errors.Join(
		mgr.AddHealthzCheck("healthz", healthz.Ping),
		mgr.AddReadyzCheck("readyz", synced(mgr)),
	); err != nil {
		return err
	}
	mgr.GetLogger().Info("starting", "version", version(), "namespaces", o.namespaces)
	return mgr.Start(ctx)
}

// manager returns the options of the controller-runtime manager. The Lease is released on
// cancellation, as the process then exits.
func (o *options) manager() manager.Options {
	metrics := metricsserver.Options{
		BindAddress:   o.metricsAddress,
		SecureServing: o.metricsSecure,
		CertDir:       o.metricsCertPath,
		CertName:      o.metricsCertificate,
		KeyName:       o.metricsKey,
	}
	if o.metricsSecure {
		metrics.FilterProvider = filters.WithAuthenticationAndAuthorization
	}
	if !o.http2 {
		// HTTP/2 allows denial of service: CVE-2023-44487, CVE-2023-39325.
		metrics.TLSOpts = append(metrics.TLSOpts, func(c *tls.Config) { c.NextProtos = []string{"http/1.1"} })
	}
	return manager.Options{
		Scheme:                        controller.Scheme(),
		Cache:                         controller.CacheOptions(o.namespaces),
		Metrics:                       metrics,
		HealthProbeBindAddress:        o.probeAddress,
		LeaderElection:                o.leaderElect,
		LeaderElectionID:              o.leaseName,
		LeaderElectionNamespace:       o.leaseNamespace,
		LeaderElectionReleaseOnCancel: true,
	}
}

// synced is ready when the caches have synced.
func synced(mgr manager.Manager) healthz.Checker {
	return func(request *http.Request) error {
		ctx, cancel := context.WithTimeout(request.Context(), time.Second)
		defer cancel()
		if !mgr.GetCache().WaitForCacheSync(ctx) {
			return errors.New("the caches have not synced yet")
		}
		return nil
	}
}

// version returns the version of the module, or the commit that it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "unknown"
	}
	return info.Main.Version
}
