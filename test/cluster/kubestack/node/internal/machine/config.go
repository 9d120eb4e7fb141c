// Package machine is a Kubernetes node in Linux namespaces: containerd, CoreDNS and kubelet, with a copy-on-write view
// of the host's files and a network of its own. Nothing of it is left when its init ends.
package machine

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Config is what a node is started with. Paths are absolute.
type Config struct {
	Dir        string // for all of its files
	Runtime    string // directory of the programs of containerd and of the CNI plugins
	Kubeconfig string // of an administrator
	Server     string // HOST:PORT of the API server on the host's loopback address
	Port       int    // of the kubelet, on the loopback address of host and node
	CertFile   string // of the kubelet's server
	KeyFile    string
	ClientCA   string // signs who may call the kubelet
	Images     images
}

// images are repeated --image flags.
type images []image

// image is a container image made of directories.
type image struct {
	name   string
	layers []string // the lowest first
}

// String returns the names.
func (i *images) String() string {
	var names []string
	for _, image := range *i {
		names = append(names, image.name)
	}
	return strings.Join(names, ", ")
}

// Set adds NAME=DIRECTORY:DIRECTORY..., with the uppermost directory first as in a mount of overlayfs.
func (i *images) Set(value string) error {
	name, list, found := strings.Cut(value, "=")
	if !found || name == "" || list == "" {
		return fmt.Errorf("%q is not NAME=DIRECTORY[:DIRECTORY...]", value)
	}
	generated := image{name: name}
	for _, directory := range strings.Split(list, ":") {
		if info, err := os.Stat(directory); err != nil || !info.IsDir() {
			return fmt.Errorf("%s: %q is not a directory", name, directory)
		}
		generated.layers = append([]string{directory}, generated.layers...)
	}
	*i = append(*i, generated)
	return nil
}

func parse(role string, args []string) (Config, error) {
	var c Config
	set := flag.NewFlagSet(role, flag.ContinueOnError)
	set.StringVar(&c.Dir, "dir", "", "`directory` for all files")
	set.StringVar(&c.Runtime, "runtime", "", "`directory` of containerd's programs and the CNI plugins")
	set.StringVar(&c.Kubeconfig, "kubeconfig", "", "an administrator's `kubeconfig`")
	set.StringVar(&c.Server, "server", "", "`host:port` of the API server on the loopback address")
	set.IntVar(&c.Port, "port", 0, "`port` of the kubelet on the loopback address")
	set.StringVar(&c.CertFile, "cert-file", "", "certificate `file` of the kubelet")
	set.StringVar(&c.KeyFile, "key-file", "", "key `file` of the kubelet")
	set.StringVar(&c.ClientCA, "client-ca-file", "", "`file` of the CA that signs those who may call the kubelet")
	set.Var(&c.Images, "image",
		"`NAME=DIRECTORY[:DIRECTORY...]` of an image, the uppermost directory first; may be repeated")
	if err := set.Parse(args); err != nil {
		return c, err
	}
	if len(c.Images) == 0 {
		return c, errors.New("--image is required: the pods' sandboxes are made of the first image")
	}
	return c, nil
}

func (c Config) path(elements ...string) string {
	return filepath.Join(append([]string{c.Dir}, elements...)...)
}

// The sockets over which proxy and machine connect the two networks.
func (c Config) serverSocket() string  { return c.path("apiserver.sock") }
func (c Config) kubeletSocket() string { return c.path("kubelet.sock") }

// kubelet returns the kubelet's address, the same on both sides.
func (c Config) kubelet() string { return fmt.Sprintf("127.0.0.1:%d", c.Port) }
