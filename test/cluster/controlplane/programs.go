package controlplane

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/test/cluster/internal/cache"
	"github.com/flux-framework/flux-operator/test/cluster/internal/keeper"
	"github.com/flux-framework/flux-operator/test/cluster/internal/state"
)

// Build builds the programs of the control plane unless they are cached, and returns their directory.
func Build(ctx context.Context, options Options) (string, error) {
	home, err := userHome()
	if err != nil {
		return "", err
	}
	return options.defaults().kubestack(ctx, home)
}

// Built reports whether the programs are cached, so that Start takes seconds instead of minutes.
func Built(ctx context.Context, options Options) (bool, error) {
	home, err := userHome()
	if err != nil {
		return false, err
	}
	stack, err := options.components(ctx)
	if err != nil {
		return false, err
	}
	_, found, err := cache.Find(ctx, string(home), stack)
	return found, err
}

// kubestack returns the directory of the components' programs.
func (o Options) kubestack(ctx context.Context, home state.Home) (string, error) {
	stack, err := o.components(ctx)
	if err != nil {
		return "", err
	}
	return cache.Build(ctx, string(home), stack, o.Log)
}

// components is the one program that contains all components.
func (o Options) components(ctx context.Context) (cache.Program, error) {
	source, err := o.source()
	if err != nil {
		return cache.Program{}, err
	}
	source = filepath.Join(source, "kubestack")
	flags, err := versionFlags(ctx, source)
	return cache.Program{
		Source: source,
		Name:   "kubestack",
		Flags:  []string{"-trimpath", "-tags=grpcnotrace", "-ldflags=-s -w " + strings.Join(flags, " ")},
		Links:  []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok", "kubectl"},
	}, err
}

// node builds the programs of a real node.
func (o Options) node(ctx context.Context, home state.Home) (keeper.Node, error) {
	if len(o.Images) == 0 {
		return keeper.Node{}, nil
	}
	if err := canIsolate(); err != nil {
		return keeper.Node{}, fmt.Errorf("a real node cannot run here: %w", err)
	}
	source, err := o.source()
	if err != nil {
		return keeper.Node{}, err
	}
	node := cache.Program{
		Source: filepath.Join(source, "kubestack"),
		Main:   "./node",
		Name:   "node",
		Links:  []string{"init", "machine", "proxy", "kubelet", "coredns"},
	}
	flags, err := versionFlags(ctx, node.Source)
	if err != nil {
		return keeper.Node{}, err
	}
	node.Flags = []string{"-trimpath", "-tags=grpcnotrace", "-ldflags=-s -w " + strings.Join(flags, " ")}
	bin, err := cache.Build(ctx, string(home), node, o.Log)
	if err != nil {
		return keeper.Node{}, err
	}
	runtime, err := cache.Build(ctx, string(home), cache.Program{
		Name:     "containerd",
		Flags:    []string{"-trimpath", "-tags=no_btrfs,no_devmapper,no_zfs", "-ldflags=-s -w"},
		Packages: containerRuntime(),
	}, o.Log)
	return keeper.Node{Bin: bin, Runtime: runtime, Images: o.Images}, err
}

// containerRuntime lists the programs of containerd and of the network of its containers. Renovate finds the versions.
func containerRuntime() []string {
	var packages []string
	for module, names := range map[string][]string{
		"github.com/containerd/containerd/v2@v2.4.2": {"cmd/containerd", "cmd/containerd-shim-runc-v2", "cmd/ctr"},
		"github.com/containernetworking/plugins@v1.9.1": {"plugins/ipam/host-local", "plugins/main/bridge",
			"plugins/main/loopback"},
	} {
		path, version, _ := strings.Cut(module, "@")
		for _, name := range names {
			packages = append(packages, path+"/"+name+"@"+version)
		}
	}
	slices.Sort(packages)
	return packages
}

// canIsolate returns what a real node lacks on this machine.
func canIsolate() error {
	if runtime.GOOS != "linux" {
		return errors.New("it needs Linux")
	}
	if os.Geteuid() != 0 {
		return errors.New("it needs root, for namespaces and mounts")
	}
	filesystems, err := os.ReadFile("/proc/filesystems")
	if err != nil {
		return err
	}
	if !strings.Contains(string(filesystems), "\toverlay\n") {
		return errors.New("it needs overlayfs, which /proc/filesystems does not list (modprobe overlay)")
	}
	for _, program := range []string{"runc", "tar", "mount", "umount"} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("it needs the program %s: %w", program, err)
		}
	}
	return nil
}

// program returns the path of the cluster command.
func (o Options) program(ctx context.Context, home state.Home) (string, error) {
	if o.Program != "" {
		return o.Program, nil
	}
	source, err := o.source()
	if err != nil {
		return "", err
	}
	bin, err := cache.Build(ctx, string(home), cache.Program{Source: source, Name: "cluster"},
		slog.New(slog.DiscardHandler))
	return filepath.Join(bin, "cluster"), err
}

// source returns the directory of this module.
func (o Options) source() (string, error) {
	if o.Source != "" {
		return filepath.Abs(o.Source)
	}
	_, file, _, _ := runtime.Caller(0)
	if !filepath.IsAbs(file) {
		return "", errors.New("the source directory is unknown because of -trimpath; set --source or Options.Source")
	}
	return filepath.Dir(filepath.Dir(file)), nil
}

// versionFlags are linker flags that set the version that the components report to the one in go.mod.
func versionFlags(ctx context.Context, source string) ([]string, error) {
	const module = "k8s.io/kubernetes"
	command := exec.CommandContext(ctx, "go", "mod", "edit", "-json")
	command.Dir = source
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", filepath.Join(source, "go.mod"), err)
	}
	var file struct {
		Require []struct{ Path, Version string }
	}
	if err := json.Unmarshal(output, &file); err != nil {
		return nil, err
	}
	for _, require := range file.Require {
		if require.Path != module {
			continue
		}
		numbers := strings.SplitN(strings.TrimPrefix(require.Version, "v"), ".", 3)
		var flags []string
		for _, to := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
			flags = append(flags,
				"-X "+to+".gitVersion="+require.Version,
				"-X "+to+".gitMajor="+numbers[0],
				"-X "+to+".gitMinor="+numbers[1],
				"-X "+to+".gitTreeState=clean")
		}
		return flags, nil
	}
	return nil, fmt.Errorf("%s does not require %s", filepath.Join(source, "go.mod"), module)
}
