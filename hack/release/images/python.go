package images

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/flux-framework/flux-operator/hack/release/debian"
	"github.com/flux-framework/flux-operator/hack/release/layer"
	"github.com/flux-framework/flux-operator/hack/release/wheels"
)

// site is the directory in which the base's Python looks for installed packages.
const site = "usr/local/lib/python" + debian.Version + "/dist-packages/"

// python adds the base, the packages of requirements.txt, and the operator with its SDK, each as a layer.
func (b *builder) python(ctx context.Context, spec Spec, arch string, img *image) error {
	base, err := b.base(ctx, arch)
	if err != nil {
		return err
	}
	img.append("Debian "+debian.Suite, base)
	img.environment = debian.Environment()

	dir, err := os.MkdirTemp(b.scratch, "wheels-")
	if err != nil {
		return err
	}
	target := &wheels.Target{Host: b.Python, Version: debian.Version, Arch: arch, Glibc: debian.Glibc, Epoch: b.epoch(),
		Env: b.Env}
	project := filepath.Join(b.source, filepath.FromSlash(spec.Project))
	downloaded := filepath.Join(dir, "downloaded")
	if err := target.Download(ctx, filepath.Join(project, "requirements.txt"), downloaded); err != nil {
		return err
	}
	packages, err := wheels.Unpack(downloaded)
	if err != nil {
		return err
	}
	tree, err := install(packages)
	if err != nil {
		return err
	}
	if err := img.add("requirements.txt", tree); err != nil {
		return err
	}
	own, err := b.own(ctx, target, project, dir)
	if err != nil {
		return err
	}
	operator := own[len(own)-1]
	if tree, err = install(own); err != nil {
		return err
	}
	// What was installed, by the hash of its wheel.
	var installed strings.Builder
	for _, w := range append(packages, own...) {
		installed.WriteString(w.Requirement())
	}
	tree["usr/local/share/"+spec.Name+"/requirements.txt"] = layer.File{Mode: 0o644, Data: []byte(installed.String())}
	img.version = operator.Version
	command, err := script(operator, path.Base(spec.Entrypoint))
	if err != nil {
		return err
	}
	tree[strings.TrimPrefix(spec.Entrypoint, "/")] = command
	return img.add(spec.Project, tree)
}

// own builds the wheels of the operator's SDK and of the operator, which comes last.
func (b *builder) own(ctx context.Context, target *wheels.Target, project, dir string) ([]*wheels.Wheel, error) {
	var own []*wheels.Wheel
	for _, source := range []string{filepath.Join(project, "sdk", "python"), project} {
		file, err := target.Build(ctx, source, dir)
		if err != nil {
			return nil, err
		}
		wheel, err := wheels.Open(file)
		if err != nil {
			return nil, err
		}
		own = append(own, wheel)
	}
	return own, nil
}

// install returns the files of packages at their place in an image.
func install(packages []*wheels.Wheel) (layer.Tree, error) {
	tree := layer.Tree{}
	for _, w := range packages {
		for name, file := range w.Files {
			if err := tree.Add(site+name, file); err != nil {
				return nil, fmt.Errorf("installing %s %s: %w", w.Name, w.Version, err)
			}
		}
	}
	return tree, nil
}

// script returns the program of a command that a wheel declares.
func script(w *wheels.Wheel, command string) (layer.File, error) {
	module, function, ok := strings.Cut(w.Commands[command], ":")
	if !ok {
		return layer.File{}, fmt.Errorf("%s %s declares no command %s", w.Name, w.Version, command)
	}
	text := fmt.Sprintf("#!%s\nimport sys\n\nfrom %s import %s\n\nsys.exit(%s())\n", debian.Python, module, function,
		function)
	return layer.File{Mode: 0o755, Data: []byte(text)}, nil
}
