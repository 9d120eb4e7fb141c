// Package wheels downloads, builds and unpacks Python wheels for an image.
package wheels

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/hack/release/layer"
)

// machines are Python's names of Go's architectures.
var machines = map[string]string{"amd64": "x86_64", "arm64": "aarch64"}

// build pins flit_core, which builds the operators' own wheels.
//
//go:embed build.txt
var build []byte

// Target is a Python in an image.
type Target struct {
	Host    string // the Python command here; pip has to belong to it
	Version string // of the Python in the image, such as 3.13
	Arch    string // amd64 or arm64
	Glibc   int    // minor version of the image's C library
	Epoch   string // SOURCE_DATE_EPOCH of the wheels that are built
	Env     []string
}

// Download puts the wheels of a requirements file into a directory. Each has to be pinned by hash, and to be a wheel
// that the target can install.
func (t *Target) Download(ctx context.Context, requirements, dir string) error {
	args := []string{"-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--require-hashes", "--no-deps",
		"--only-binary", ":all:", "--dest", dir, "--requirement", requirements, "--implementation", "cp",
		"--python-version", t.Version, "--abi", "cp" + strings.ReplaceAll(t.Version, ".", ""), "--abi", "abi3", "--abi",
		"none"}
	for minor := t.Glibc; minor >= 5; minor-- {
		args = append(args, "--platform", fmt.Sprintf("manylinux_2_%d_%s", minor, machines[t.Arch]))
	}
	args = append(args, "--platform", "manylinux2014_"+machines[t.Arch])
	return t.run(ctx, nil, args...)
}

// Build builds the wheel of a project that flit builds, and returns its path.
func (t *Target) Build(ctx context.Context, project, dir string) (string, error) {
	backend := filepath.Join(dir, "backend")
	pins := filepath.Join(dir, "build.txt")
	if _, err := os.Stat(backend); err != nil {
		if err := os.WriteFile(pins, build, 0o600); err != nil {
			return "", err
		}
		if err := t.Download(ctx, pins, backend); err != nil {
			return "", err
		}
	}
	flit, err := filepath.Glob(filepath.Join(backend, "flit_core-*.whl"))
	if err != nil {
		return "", err
	}
	if len(flit) != 1 {
		return "", fmt.Errorf("build.txt has to pin flit_core, and nothing more: %v", flit)
	}
	out, err := os.MkdirTemp(dir, "wheel-")
	if err != nil {
		return "", err
	}
	env := []string{"PYTHONPATH=" + flit[0], "SOURCE_DATE_EPOCH=" + t.Epoch}
	if err := t.run(ctx, env, "-m", "flit_core.wheel", "--outdir", out, project); err != nil {
		return "", err
	}
	generated, err := filepath.Glob(filepath.Join(out, "*.whl"))
	if err != nil {
		return "", err
	}
	if len(generated) != 1 {
		return "", fmt.Errorf("flit made %d wheels of %s, want 1", len(generated), project)
	}
	return generated[0], nil
}

func (t *Target) run(ctx context.Context, env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, t.Host, args...)
	cmd.Env = slices.Concat(t.Env, env, []string{"PYTHONDONTWRITEBYTECODE=1"})
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w:\n%s", t.Host, strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return nil
}

// Wheel is a wheel file.
type Wheel struct {
	Name, Version string
	SHA256        string
	Files         layer.Tree        // below the directory of installed packages
	Commands      map[string]string // the commands that it declares: name, and module:function
}

// Requirement returns the wheel as a line of a requirements file.
func (w *Wheel) Requirement() string {
	return fmt.Sprintf("%s==%s --hash=sha256:%s\n", w.Name, w.Version, w.SHA256)
}

// Unpack reads all wheels of a directory, in the order of their names.
func Unpack(dir string) ([]*Wheel, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.whl"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var all []*Wheel
	for _, file := range files {
		w, err := Open(file)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", filepath.Base(file), err)
		}
		all = append(all, w)
	}
	return all, nil
}

// Open reads a wheel.
func Open(file string) (*Wheel, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	w := &Wheel{SHA256: hex.EncodeToString(sum[:]), Files: layer.Tree{}, Commands: map[string]string{}}
	for _, entry := range archive.File {
		if err := w.add(entry); err != nil {
			return nil, err
		}
	}
	if w.Name == "" || w.Version == "" {
		return nil, fmt.Errorf("its METADATA has no name or version")
	}
	return w, nil
}

func (w *Wheel) add(entry *zip.File) error {
	name, installed, err := place(entry.Name)
	if err != nil || !installed || strings.HasSuffix(entry.Name, "/") {
		return err
	}
	in, err := entry.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	if dir, base := path.Split(name); strings.Count(dir, "/") == 1 && strings.HasSuffix(dir, ".dist-info/") {
		w.describe(base, string(data))
	}
	// A library is mapped, not run: nothing in a package needs to be executable.
	return w.Files.Add(name, layer.File{Mode: 0o644, Data: data})
}

// place says where a file of a wheel is installed. Commands and other data, such as manual pages, are not.
func place(name string) (string, bool, error) {
	top, rest, _ := strings.Cut(name, "/")
	if !strings.HasSuffix(top, ".data") {
		return name, true, nil
	}
	kind, rest, _ := strings.Cut(rest, "/")
	switch kind {
	case "purelib", "platlib":
		return rest, true, nil
	case "scripts", "data", "headers":
		return "", false, nil
	}
	return "", false, fmt.Errorf("%s: wheels have no data of the kind %q", name, kind)
}

func (w *Wheel) describe(file, text string) {
	switch file {
	case "METADATA":
		head, _, _ := strings.Cut(text, "\n\n")
		for line := range strings.Lines(head) {
			switch key, value, _ := strings.Cut(line, ":"); key {
			case "Name":
				w.Name = strings.TrimSpace(value)
			case "Version":
				w.Version = strings.TrimSpace(value)
			}
		}
	case "entry_points.txt":
		section := ""
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "[") {
				section = line
			} else if name, object, ok := strings.Cut(line, "="); ok && section == "[console_scripts]" {
				w.Commands[strings.TrimSpace(name)] = strings.TrimSpace(object)
			}
		}
	}
}
