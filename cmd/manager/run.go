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
	exitFailed = 1 // it could not start, or lost its lease
	exitUsage  = 2
)

// run is the program without its process. It ends well when the context does.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintln(stderr, "manager:", err)
		return exitUsage
	case o.version:
		fmt.Fprintln(stdout, version())
		return exitOK
	}
	log := zap.New(zap.UseFlagOptions(&o.log), zap.WriteTo(stderr))
	ctrl.SetLogger(log)
	klog.SetLogger(log)
	if err := serve(ctx, o); err != nil {
		log.Error(err, "the manager has ended")
		return exitFailed
	}
	return exitOK
}

func serve(ctx context.Context, o *options) error {
	cluster, err := config.GetConfig()
	if err != nil {
		return fmt.Errorf("finding the cluster: %w", err)
	}
	mgr, err := ctrl.NewManager(cluster, o.manager())
	if err != nil {
		return fmt.Errorf("setting up the manager: %w", err)
	}
	r := &controller.Reconciler{
		Client:     client.WithFieldOwner(mgr.GetClient(), controller.Name),
		Live:       mgr.GetAPIReader(),
		Events:     mgr.GetEventRecorder(controller.Name),
		NewDesired: minicluster.NewDesired,
		Rand:       rand.Reader,
		Now:        time.Now,
		Namespaces: o.namespaces,
		Volumes:    o.volumes,
	}
	if err := r.SetupWithManager(mgr, o.workers); err != nil {
		return fmt.Errorf("setting up the controller: %w", err)
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

// manager leaves the lease at the end, since the process ends with the manager.
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
		// HTTP/2 has made servers easy to overload: CVE-2023-44487, CVE-2023-39325.
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

// synced says that the manager knows what there is in the cluster.
func synced(mgr manager.Manager) healthz.Checker {
	return func(request *http.Request) error {
		ctx, cancel := context.WithTimeout(request.Context(), time.Second)
		defer cancel()
		if !mgr.GetCache().WaitForCacheSync(ctx) {
			return errors.New("the caches are not filled yet")
		}
		return nil
	}
}

// version is that of the module, or of the commit that the program was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "unknown"
	}
	return info.Main.Version
}
