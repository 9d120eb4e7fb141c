// Package images builds the container images of the project without a container engine: the operator's from static Go
// programs alone, and those of the operators in examples/ from Python packages on a base of Debian's (package debian).
//
// An image is written as one archive for each platform, NAME_VERSION_linux_ARCH.tar. It is an OCI image layout that
// `docker load`, `podman load`, `skopeo copy oci-archive:` and `ctr image import` read.
//
// Two builds of one commit and version have the same bytes. Nothing of the machine goes in: files are sorted, have no
// time but the epoch, and belong to root; programs have the version and the commit in them, but no path.
package images

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/flux-framework/flux-operator/hack/release/build"
	"github.com/flux-framework/flux-operator/hack/release/debian"
	"github.com/flux-framework/flux-operator/hack/release/layer"
	"github.com/flux-framework/flux-operator/hack/release/repo"
)

// Source is the address of the repository that the images name.
const Source = "https://github.com/flux-framework/flux-operator"

// User is who the programs run as. It is a number, so that runAsNonRoot can be checked without the image's passwd.
const User = "65532:65532"

// Arches are the architectures of all images, as Go names them.
var Arches = []string{"amd64", "arm64"}

// Options say what to build. Root, Version, Date and Out are required.
type Options struct {
	Root    string    // directory of the repository, in any state: see repo.Snapshot
	Version string    // of the operator's image and of the Go programs, without a v; the others have their project's
	Date    time.Time // of the commit, for the images' time of creation
	Out     string    // directory for the archives

	Only       []string // names of images, all if empty
	Arches     []string // all if empty
	Repository string   // where the images are to be pushed, default ghcr.io/flux-framework
	Cache      string   // directory for Debian's packages, default flux-operator-images in the user's cache
	Mirror     string   // mirror of Debian, default that of debootstrap
	Go, Python string   // commands, default go and python3
	Env        []string // for child processes, default that of this process
	Log        *slog.Logger
}

// Spec is an image.
type Spec struct {
	Name, Title string
	Programs    []Program // Go programs
	Project     string    // directory of a Python operator, empty if the image has none
	Entrypoint  string
}

// Program is a Go program in an image.
type Program struct {
	Module, Package string // directory of the module in the repository, and of the package in the module
	Path            string // in the image
	Stamp           string // a module whose version is the program's, for -X of Kubernetes' version packages
}

// Specs returns all images.
func Specs() []Spec {
	return []Spec{
		{
			Name: "flux-operator", Title: "Flux Operator", Entrypoint: "/manager",
			Programs: []Program{
				{Module: ".", Package: "./cmd/manager", Path: "manager"},
				{Module: ".", Package: "./cmd/fluxoperator-gen", Path: "usr/bin/fluxoperator-gen"},
			},
		},
		{
			Name: "copyrator", Title: "copyrator, an operator on the SDK of its own API",
			Project: "examples/operators/copyrator", Entrypoint: "/usr/local/bin/copyrator",
		},
		{
			Name: "registry-mirror-operator", Title: "registry-mirror, an operator on the SDK of its own API",
			Project: "examples/operators/registry-mirror", Entrypoint: "/usr/local/bin/registry-mirror-operator",
		},
		{
			Name: "sample-operator", Title: "sample, an operator by kopf and kustomize",
			Project: "examples/operators/sample", Entrypoint: "/usr/local/bin/sample-operator",
			Programs: []Program{{Module: "hack/release", Package: "./kubectl", Path: "usr/local/bin/kubectl",
				Stamp: "k8s.io/kubectl"}},
		},
	}
}

// Write builds the images and returns the paths of the archives, sorted.
func Write(ctx context.Context, o Options) ([]string, error) {
	specs, err := o.complete()
	if err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp("", "images-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch) //nolint:errcheck // what stays is in a directory for temporary files
	b := &builder{Options: o, scratch: scratch, source: filepath.Join(scratch, "source"), bases: map[string]v1.Layer{}}
	b.revision, err = o.repo().Snapshot(ctx, o.Version, b.source)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		return nil, err
	}
	var paths []string
	for _, spec := range specs {
		for _, arch := range o.Arches {
			o.Log.Info("building", "image", spec.Name, "platform", "linux/"+arch)
			path, err := b.build(ctx, spec, arch)
			if err != nil {
				return nil, fmt.Errorf("building the image %s for linux/%s: %w", spec.Name, arch, err)
			}
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths, nil
}

// complete sets defaults and returns the images to build.
func (o *Options) complete() ([]Spec, error) {
	if o.Root == "" || o.Version == "" || o.Out == "" || o.Date.IsZero() {
		return nil, fmt.Errorf("images need a root, a version, a date and an output directory")
	}
	for value, preset := range map[*string]string{&o.Repository: "ghcr.io/flux-framework", &o.Go: "go",
		&o.Python: "python3"} {
		if *value == "" {
			*value = preset
		}
	}
	if len(o.Arches) == 0 {
		o.Arches = Arches
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	o.Env = build.Clean(o.Env)
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	if o.Cache == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("looking for a cache directory: %w", err)
		}
		o.Cache = filepath.Join(cache, "flux-operator-images")
	}
	return o.chosen()
}

func (o *Options) repo() *repo.Repo { return &repo.Repo{Dir: o.Root, Env: build.Clean(o.Env)} }

func (o *Options) chosen() ([]Spec, error) {
	for _, arch := range o.Arches {
		if !slices.Contains(Arches, arch) {
			return nil, fmt.Errorf("there are no images for %s; architectures: %s", arch, strings.Join(Arches, ", "))
		}
	}
	all := Specs()
	if len(o.Only) == 0 {
		return all, nil
	}
	var specs []Spec
	for _, name := range o.Only {
		at := slices.IndexFunc(all, func(s Spec) bool { return s.Name == name })
		if at < 0 {
			var known []string
			for _, s := range all {
				known = append(known, s.Name)
			}
			return nil, fmt.Errorf("there is no image %q; images: %s", name, strings.Join(known, ", "))
		}
		specs = append(specs, all[at])
	}
	return specs, nil
}

// builder builds images from one checkout.
type builder struct {
	Options
	scratch, source, revision string
	bases                     map[string]v1.Layer
}

// build writes the archive of an image for an architecture.
func (b *builder) build(ctx context.Context, spec Spec, arch string) (string, error) {
	img := &image{version: b.Version, arch: arch}
	img.environment = []string{"PATH=/usr/local/bin:/usr/bin"}
	if spec.Project != "" {
		if err := b.python(ctx, spec, arch, img); err != nil {
			return "", err
		}
	}
	programs, err := b.programs(ctx, spec, arch)
	if err != nil {
		return "", err
	}
	if err := img.add("Go programs", programs); err != nil {
		return "", err
	}
	return b.archive(spec, img)
}

// base returns the layer of Debian's packages, which the images of an architecture share.
func (b *builder) base(ctx context.Context, arch string) (v1.Layer, error) {
	if generated, ok := b.bases[arch]; ok {
		return generated, nil
	}
	base := debian.Base{Cache: b.Cache, Mirror: b.Mirror}
	tree, err := base.Tree(ctx, arch)
	if err != nil {
		return nil, err
	}
	built, err := tree.Layer()
	b.bases[arch] = built
	return built, err
}

// licenses returns the project's license as a file of an image.
func (b *builder) license() (layer.Tree, error) {
	text, err := os.ReadFile(filepath.Join(b.source, "LICENSE"))
	return layer.Tree{"licenses/LICENSE": {Mode: 0o644, Data: text}}, err
}

func (b *builder) epoch() string { return strconv.FormatInt(b.Date.Unix(), 10) }
