package machine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// sandboxImage is the image of the process that holds a pod's namespaces. It has the files of the first image.
const sandboxImage = "localhost/sandbox:node"

// imageCommand is what a sandbox runs, where it reaps the processes of a shared PID namespace, and a container that
// names no command. It ends at SIGTERM, as servers do; process 1 ignores it by default.
var imageCommand = []string{"/bin/sh", "-c", "trap 'exit 0' TERM; sleep infinity & wait"}

// imageEnvironment is the environment of each container, as usual images have it.
var imageEnvironment = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}

// archiver packs directories into images. A directory of several images is packed once.
type archiver struct {
	dir    string // for temporary files
	layers map[string]v1.Layer
}

// load packs the images, and imports them into containerd.
func (c Config) load(ctx context.Context, ctr func(context.Context, ...string) error) error {
	temporary, err := os.MkdirTemp(c.Dir, "images-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary) //nolint:errcheck // the node's directory is removed at its end
	a := &archiver{dir: temporary, layers: map[string]v1.Layer{}}
	packed := map[name.Reference]v1.Image{}
	add := func(tag string, layers []string) error {
		reference, err := name.ParseReference(tag)
		if err != nil {
			return fmt.Errorf("reading the name of an image: %w", err)
		}
		if packed[reference], err = a.pack(ctx, layers); err != nil {
			return fmt.Errorf("packing the image %s: %w", tag, err)
		}
		return nil
	}
	if err := add(sandboxImage, c.Images[0].layers); err != nil {
		return err
	}
	for _, image := range c.Images {
		if err := add(image.name, image.layers); err != nil {
			return err
		}
	}
	archive := filepath.Join(temporary, "images.tar")
	if err := tarball.MultiRefWriteToFile(archive, packed); err != nil {
		return fmt.Errorf("packing the images: %w", err)
	}
	return ctr(ctx, "--namespace=k8s.io", "images", "import", "--local", archive)
}

func (a *archiver) pack(ctx context.Context, directories []string) (v1.Image, error) {
	image, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{
		Architecture: runtime.GOARCH, OS: "linux",
		Config: v1.Config{Env: imageEnvironment, Cmd: imageCommand},
	})
	if err != nil {
		return nil, err
	}
	for _, directory := range directories {
		layer, err := a.layer(ctx, directory)
		if err != nil {
			return nil, err
		}
		if image, err = mutate.AppendLayers(image, layer); err != nil {
			return nil, err
		}
	}
	return image, nil
}

// layer packs a directory, without what a container mounts over it. tar keeps owners, hard links and modes.
func (a *archiver) layer(ctx context.Context, directory string) (v1.Layer, error) {
	if found := a.layers[directory]; found != nil {
		return found, nil
	}
	file := filepath.Join(a.dir, fmt.Sprintf("layer-%d.tar", len(a.layers)))
	command := exec.CommandContext(ctx, "tar", "--directory="+directory, "--numeric-owner", "--exclude=./proc/*",
		"--exclude=./sys/*",
		"--exclude=./dev/*", "--create", "--file="+file, ".")
	if output, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("packing %s: %w\n%s", directory, err, strings.TrimSpace(string(output)))
	}
	layer, err := tarball.LayerFromFile(file, tarball.WithCompressionLevel(0))
	if err != nil {
		return nil, err
	}
	a.layers[directory] = layer
	return layer, nil
}
