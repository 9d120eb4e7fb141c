// Package controlplane runs a Kubernetes control plane for tests: etcd, kube-apiserver, kube-controller-manager,
// kube-scheduler, and kwok, which simulates the nodes. All listen on the loopback address; the programs are built once.
//
//	func TestOperator(t *testing.T) {
//		control, err := controlplane.Start(t.Context(), controlplane.Options{})
//		if err != nil {
//			t.Fatal(err)
//		}
//		defer control.Stop()
//		… control.Kubeconfig …
//	}
//
// Stop removes its processes and files; so does the exit of the process that started it.
package controlplane

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

// DirVariable is the environment variable that holds the directory of the control plane, set for commands under
// `cluster run`.
const DirVariable = "FLUX_CLUSTER_DIR"

// Options configure a control plane. The zero value is valid.
type Options struct {
	Dir     string        // its directory, which must be empty or absent; a temporary one by default
	Nodes   int           // simulated ones; 2 by default
	CRDs    []string      // files or directories of CustomResourceDefinitions, applied before the controllers start
	Timeout time.Duration // how long the start may take, without the build; 2 minutes by default
	Log     *slog.Logger  // progress; discarded by default

	// Images are the container images of a real node, which runs pods in place of the simulated nodes: a kubelet with
	// containerd and CoreDNS, in namespaces of their own. It needs root, Linux with overlayfs, and runc. Each image is
	// NAME=DIRECTORY[:DIRECTORY...], made of the files of the directories, the uppermost first. No other image can be
	// pulled. ClusterIPs lead nowhere; headless Services do.
	Images []string

	// Program is the path of the cluster command, which runs the keeper; it is built by default.
	Program string
	// Source is the directory of this package's module. It is required if the caller was built with -trimpath.
	Source string

	remember bool
}

// Instance is a running control plane.
type Instance struct {
	Dir        string // its directory
	Kubeconfig string // path of the administrator's kubeconfig
	Server     string // URL of the API server
	Bin        string // directory of kubectl, etcd and kube-apiserver, for envtest's KUBEBUILDER_ASSETS

	owned *owned // nil if another process started it
}

// Start builds the programs if they are not cached, starts a control plane and returns when its nodes are ready and the
// default service account exists. Cancelling the context aborts the start; it does not stop a started control plane.
func Start(ctx context.Context, options Options) (*Instance, error) {
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
	node, err := options.node(ctx, home)
	if err != nil {
		return nil, err
	}
	owned, err := startKeeper(ctx, program, options.Log, keeper.Config{
		Home:     home,
		Dir:      options.Dir,
		Remember: options.remember,
		Bin:      bin,
		Nodes:    options.Nodes,
		Node:     node,
		CRDs:     options.CRDs,
		Timeout:  options.Timeout,
	})
	if err != nil {
		return nil, fmt.Errorf("starting a control plane: %w", err)
	}
	started, err := open(owned.directory)
	if err != nil {
		return nil, errors.Join(err, owned.stop())
	}
	started.owned = owned
	return started, nil
}

// Up starts a control plane that outlives this process. If Options.Dir is empty, it becomes the user's current control
// plane, which Find and Down use by default.
func Up(ctx context.Context, options Options) (*Instance, error) {
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

// Find returns the control plane that is running in a directory, by default the user's current one.
func Find(dir string) (*Instance, error) {
	directory, err := locate(dir)
	if err != nil {
		return nil, err
	}
	return open(directory)
}

// Down stops the control plane in a directory, by default the user's current one, and removes the directory. It also
// cleans up after a keeper that was killed.
func Down(ctx context.Context, dir string) error {
	directory, err := locate(dir)
	if err != nil {
		return err
	}
	return state.Down(ctx, directory)
}

// Stop stops the control plane and removes its directory.
func (i *Instance) Stop() error {
	if i.owned == nil {
		return Down(context.Background(), i.Dir)
	}
	return i.owned.stop()
}

// Ended is closed when the control plane has stopped; Stop then returns the failure, if there was one. It is nil if
// another process started the control plane.
func (i *Instance) Ended() <-chan struct{} {
	if i.owned == nil {
		return nil
	}
	return i.owned.ended
}

// Environment returns the given environment with KUBECONFIG, KUBEBUILDER_ASSETS and FLUX_CLUSTER_DIR set for this
// control plane, its kubectl first in PATH, and the loopback address in NO_PROXY.
func (i *Instance) Environment(environment []string) []string {
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
		"KUBECONFIG="+i.Kubeconfig,
		"KUBEBUILDER_ASSETS="+i.Bin,
		DirVariable+"="+i.Dir,
		"PATH="+join(string(filepath.ListSeparator), i.Bin, get("PATH")),
		"NO_PROXY="+join(",", get("NO_PROXY"), "127.0.0.1"),
		"no_proxy="+join(",", get("no_proxy"), "127.0.0.1"),
	)
}

// open returns the control plane that is running in a directory.
func open(directory state.Directory) (*Instance, error) {
	known, err := directory.Load()
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", directory, state.ErrNone)
	}
	if err != nil {
		return nil, err
	}
	if known.Phase != state.Running || !directory.Runs() {
		return nil, fmt.Errorf("the control plane in %s is not running; see `cluster status`", directory)
	}
	return &Instance{
		Dir:        string(directory),
		Kubeconfig: directory.Kubeconfig(),
		Server:     known.Server,
		Bin:        known.Bin,
	}, nil
}

func locate(dir string) (state.Directory, error) {
	if dir != "" {
		absolute, err := filepath.Abs(dir)
		return state.Directory(absolute), err
	}
	home, err := userHome()
	if err != nil {
		return "", err
	}
	return home.Current()
}

// userHome is where built programs and the path of the current control plane are stored.
func userHome() (state.Home, error) {
	caches, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the build cache: %w", err)
	}
	return state.Home(filepath.Join(caches, "flux-operator-cluster")), nil
}

// absolute returns the options with defaults and with absolute paths.
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
		if len(o.Images) > 0 {
			o.Timeout = 5 * time.Minute // images of some hundred MB are unpacked
		}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}
