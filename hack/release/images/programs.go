package images

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/hack/release/layer"
	"github.com/flux-framework/flux-operator/hack/release/modules"
)

// programs builds the Go programs of an image, static, and adds the licenses of their modules.
func (b *builder) programs(ctx context.Context, spec Spec, arch string) (layer.Tree, error) {
	tree, err := b.license()
	if err != nil {
		return nil, err
	}
	for _, program := range spec.Programs {
		data, err := b.program(ctx, program, arch)
		if err != nil {
			return nil, fmt.Errorf("building %s: %w", program.Path, err)
		}
		if err := tree.Add(program.Path, layer.File{Mode: 0o755, Data: data}); err != nil {
			return nil, err
		}
		if err := b.thirdParty(ctx, tree, data); err != nil {
			return nil, fmt.Errorf("the licenses of %s: %w", program.Path, err)
		}
	}
	return tree, nil
}

func (b *builder) program(ctx context.Context, program Program, arch string) ([]byte, error) {
	dir := filepath.Join(b.source, filepath.FromSlash(program.Module))
	stamp, err := b.stamp(ctx, dir, program.Stamp)
	if err != nil {
		return nil, err
	}
	out, err := os.MkdirTemp(b.scratch, "program-")
	if err != nil {
		return nil, err
	}
	file := filepath.Join(out, "program")
	args := []string{"build", "-trimpath", "-buildvcs=true", "-ldflags", strings.TrimSpace("-s -w " + stamp), "-o", file,
		program.Package}
	if _, err := b.goRun(ctx, dir, []string{"GOOS=linux", "GOARCH=" + arch, "GOAMD64=v1", "GOARM64=v8.0"},
		args...); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// stamp returns flags that set Kubernetes' version in a program to that of a module, v0.N.M, of which the release is
// v1.N.M.
func (b *builder) stamp(ctx context.Context, dir, module string) (string, error) {
	if module == "" {
		return "", nil
	}
	version, err := b.goRun(ctx, dir, nil, "list", "-m", "-f", "{{.Version}}", module)
	if err != nil {
		return "", err
	}
	release := "v1." + strings.TrimPrefix(strings.TrimSpace(version), "v0.")
	const to = "k8s.io/component-base/version"
	return fmt.Sprintf("-X %[1]s.gitVersion=%[2]s -X %[1]s.gitMajor=1 -X %[1]s.gitMinor=%[3]s -X %[1]s.gitTreeState=clean",
		to, release, strings.Split(release, ".")[1]), nil
}

// thirdParty adds the license files of Go and of the modules that a program is made of.
func (b *builder) thirdParty(ctx context.Context, tree layer.Tree, program []byte) error {
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return err
	}
	where, err := b.goRun(ctx, b.source, nil, "env", "-json", "GOMODCACHE", "GOROOT")
	if err != nil {
		return err
	}
	var places modules.Places
	if err := json.Unmarshal([]byte(where), &places); err != nil {
		return err
	}
	files, err := places.Licenses(info)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := tree.Add("licenses/third-party/"+name, layer.File{Mode: 0o644, Data: text}); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) goRun(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, b.Go, args...)
	cmd.Dir = dir
	cmd.Env = slices.Concat(b.Env, []string{"CGO_ENABLED=0", "GOWORK=off"}, env)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s in %s: %w: %s", args[0], dir, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return string(out), nil
}
