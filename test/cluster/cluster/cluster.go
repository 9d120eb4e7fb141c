// Package cluster runs a real Kubernetes control plane for tests: etcd, kube-apiserver, kube-controller-manager,
// kube-scheduler, and kwok in the place of nodes, on the loopback address, from programs that are built once.
//
//	func TestOperator(t *testing.T) {
//		control, err := cluster.Start(t.Context(), cluster.Options{})
//		if err != nil {
//			t.Fatal(err)
//		}
//		defer control.Stop()
//		… control.Kubeconfig …
//	}
//
// Nothing is left of it after Stop, nor after the death of the process that started it.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/flux-framework/flux-operator/test/cluster/internal/keeper"
	"github.com/flux-framework/flux-operator/test/cluster/internal/state"
)

// DirVariable is the environment variable that names the directory of a control plane to the commands that run inside one.
const DirVariable = "FLUX_CLUSTER_DIR"

// Options say how a control plane is started. The zero value will do.
type Options struct {
	Dir     string        // its directory: empty, or not there; a temporary one by default
	Nodes   int           // 2 by default
	CRDs    []string      // files with CustomResourceDefinitions, applied before the controllers start
	Timeout time.Duration // until it is ready, without the build; 2 minutes by default
	Log     *slog.Logger  // what goes on; nothing by default

	// Program is the cluster command; by default it is built. The command itself sets it.
	Program string
	// Source is the directory of the module that this package is in, if it cannot be known from the build (-trimpath).
	Source string

	remember bool
}

// Cluster is a control plane that runs.
type Cluster struct {
	Dir        string // its directory
	Kubeconfig string // the administrator's, a path
	Server     string // the address of the API server
	Bin        string // the directory with kubectl, etcd and kube-apiserver, as envtest wants it

	owned *owned // nil if another process has started it
}

// Start builds what is missing, starts a control plane and returns when it is ready: its nodes take pods, and the default
// service account is there. The context ends the start only.
func Start(ctx context.Context, options Options) (*Cluster, error) {
	options, err := options.absolute()
	if err != nil {
		return nil, err
	}
	home, err := userHome()
	if err != nil {
		return nil, err
	}
	bin, err := options.kubestack(ctx, home)
	if err != nil {
		return nil, err
	}
	program, err := options.program(ctx, home)
	if err != nil {
		return nil, err
	}
	owned, err := startKeeper(ctx, program, options.Log, keeper.Config{
		Home:     home,
		Dir:      options.Dir,
		Remember: options.remember,
		Bin:      bin,
		Nodes:    options.Nodes,
		CRDs:     options.CRDs,
		Timeout:  options.Timeout,
	})
	if err != nil {
		return nil, fmt.Errorf("starting a control plane: %w", err)
	}
	started, err := open(owned.folder)
	if err != nil {
		return nil, errors.Join(err, owned.stop())
	}
	started.owned = owned
	return started, nil
}

// Up starts a control plane that stays when this process ends. Without a directory in the options it becomes the user's current
// one, which Find finds.
func Up(ctx context.Context, options Options) (*Cluster, error) {
	options.remember = options.Dir == ""
	started, err := Start(ctx, options)
	if err != nil {
		return nil, err
	}
	if err := started.owned.keep(); err != nil {
		return nil, errors.Join(err, started.Stop())
	}
	started.owned = nil
	return started, nil
}

// Find gives the control plane that runs in a directory, by default the user's current one.
func Find(dir string) (*Cluster, error) {
	folder, err := locate(dir)
	if err != nil {
		return nil, err
	}
	return open(folder)
}

// Down ends what runs in a directory, by default the user's current one, and removes it. It also removes what a killed one left.
func Down(ctx context.Context, dir string) error {
	folder, err := locate(dir)
	if err != nil {
		return err
	}
	return state.Down(ctx, folder)
}

// Stop ends the control plane and removes its directory.
func (c *Cluster) Stop() error {
	if c.owned == nil {
		return Down(context.Background(), c.Dir)
	}
	return c.owned.stop()
}

// Ended is closed when the control plane has ended; Stop then says why, if nobody asked for it. It is nil for one that
// another process has started.
func (c *Cluster) Ended() <-chan struct{} {
	if c.owned == nil {
		return nil
	}
	return c.owned.ended
}

// Environment is the given one with the variables by which programs find the control plane: KUBECONFIG, KUBEBUILDER_ASSETS,
// FLUX_CLUSTER_DIR, and its kubectl first in PATH. No proxy is asked for the loopback address.
func (c *Cluster) Environment(environment []string) []string {
	get := func(name string) string {
		for _, variable := range environment {
			if value, found := strings.CutPrefix(variable, name+"="); found {
				return value
			}
		}
		return ""
	}
	join := func(separator string, values ...string) string {
		return strings.Trim(strings.Join(values, separator), separator)
	}
	return append(environment,
		"KUBECONFIG="+c.Kubeconfig,
		"KUBEBUILDER_ASSETS="+c.Bin,
		DirVariable+"="+c.Dir,
		"PATH="+join(string(filepath.ListSeparator), c.Bin, get("PATH")),
		"NO_PROXY="+join(",", get("NO_PROXY"), "127.0.0.1"),
		"no_proxy="+join(",", get("no_proxy"), "127.0.0.1"),
	)
}

// open describes what runs in a directory.
func open(folder state.Folder) (*Cluster, error) {
	known, err := folder.Load()
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", folder, state.ErrNone)
	}
	if err != nil {
		return nil, err
	}
	if known.Phase != state.Running || !folder.Runs() {
		return nil, fmt.Errorf("the control plane in %s does not run; `cluster status` says why", folder)
	}
	return &Cluster{
		Dir:        string(folder),
		Kubeconfig: folder.Kubeconfig(),
		Server:     known.Server,
		Bin:        known.Bin,
	}, nil
}

func locate(dir string) (state.Folder, error) {
	if dir != "" {
		absolute, err := filepath.Abs(dir)
		return state.Folder(absolute), err
	}
	home, err := userHome()
	if err != nil {
		return "", err
	}
	return home.Current()
}

// userHome is where the programs are kept.
func userHome() (state.Home, error) {
	caches, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the directory for the built programs: %w", err)
	}
	return state.Home(filepath.Join(caches, "flux-operator-cluster")), nil
}

// absolute are the options with their defaults, and with paths that hold in every directory.
func (o Options) absolute() (Options, error) {
	o = o.defaults()
	var err error
	if o.Dir != "" {
		o.Dir, err = filepath.Abs(o.Dir)
	}
	o.CRDs = slices.Clone(o.CRDs)
	for i, path := range o.CRDs {
		absolute, failed := filepath.Abs(path)
		o.CRDs[i], err = absolute, errors.Join(err, failed)
	}
	return o, err
}

func (o Options) defaults() Options {
	if o.Nodes == 0 {
		o.Nodes = 2
	}
	if o.Timeout == 0 {
		o.Timeout = 2 * time.Minute
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}
