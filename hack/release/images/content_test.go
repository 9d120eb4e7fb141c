package images_test

import (
	"archive/tar"
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/flux-framework/flux-operator/hack/release/images"
)

var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// TestGo builds the operator's image, and checks each of its files.
func TestGo(t *testing.T) {
	needs(t)
	for i, archive := range build(t, nil, "flux-operator") {
		arch := images.Arches[i]
		config, files := open(t, archive, arch)
		labels(t, config, version)
		if config.User != images.User || !slices.Equal(config.Entrypoint, []string{"/manager"}) {
			t.Errorf("user %s, entrypoint %s", config.User, config.Entrypoint)
		}
		var others []string
		for name, f := range files {
			if f.Typeflag == tar.TypeReg && !strings.HasPrefix(name, "licenses/") {
				others = append(others, name)
			}
		}
		slices.Sort(others)
		want := []string{"manager", "usr/bin/fluxoperator-gen"}
		if !slices.Equal(others, want) || !slices.Equal(executables(files), want) {
			t.Errorf("%s: programs %q, executable %q, want %q", arch, others, executables(files), want)
		}
		for _, name := range []string{"LICENSE", "third-party/go/LICENSE", "third-party/k8s.io/api/LICENSE"} {
			if len(files["licenses/"+name].data) == 0 {
				t.Errorf("%s: no license in %s", arch, name)
			}
		}
		for _, name := range want {
			program(t, files[name].data, arch, "v"+version)
		}
		if arch == runtime.GOARCH {
			if got := strings.TrimSpace(inside(t, files, config, "/manager", "--version")); got != "v"+version {
				t.Errorf("manager --version: %q, want v%s", got, version)
			}
			if got := inside(t, files, config, "/usr/bin/fluxoperator-gen", "--help"); !strings.Contains(got, "MiniCluster") {
				t.Errorf("fluxoperator-gen --help: %s", got)
			}
		}
	}
}

func labels(t *testing.T, config v1.Config, version string) {
	t.Helper()
	for key, want := range map[string]string{
		"version": version, "source": images.Source, "licenses": "Apache-2.0", "created": "2026-01-02T03:04:05Z",
	} {
		if got := config.Labels["org.opencontainers.image."+key]; got != want {
			t.Errorf("label %s: %q, want %q", key, got, want)
		}
	}
	for _, key := range []string{"title", "revision"} {
		if config.Labels["org.opencontainers.image."+key] == "" {
			t.Errorf("no label %s", key)
		}
	}
}

// program checks that a Go program is static, for an architecture, and says how it was built.
func program(t *testing.T, data []byte, arch, version string) {
	t.Helper()
	file, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	libraries, err := file.ImportedLibraries()
	if err != nil && !strings.Contains(err.Error(), "no symbol section") || len(libraries) > 0 {
		t.Errorf("it needs libraries: %v, %v", libraries, err)
	}
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("it is not static: it names a loader")
		}
	}
	if file.Machine != machines[arch] {
		t.Errorf("it is for %s, want %s", file.Machine, arch)
	}
	info, err := buildinfo.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if version != "" && info.Main.Version != version {
		t.Errorf("%s has the version %s, want %s", info.Path, info.Main.Version, version)
	}
	for key, want := range map[string]string{"-trimpath": "true", "CGO_ENABLED": "0", "GOOS": "linux", "GOARCH": arch,
		"vcs.modified": "false"} {
		at := slices.IndexFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == key })
		if at < 0 || info.Settings[at].Value != want {
			t.Errorf("%s: %s is not %s: %v", info.Path, key, want, info.Settings)
		}
	}
}

// TestPython builds the images of the operators in examples/, and runs them.
func TestPython(t *testing.T) {
	needs(t, "debootstrap")
	names := []string{"copyrator", "registry-mirror-operator", "sample-operator"}
	for i, archive := range build(t, nil, names...) {
		arch, name := images.Arches[i%len(images.Arches)], names[i/len(images.Arches)]
		config, files := open(t, archive, arch)
		t.Logf("%s: %d files", filepath.Base(archive), len(files))
		labels(t, config, config.Labels["org.opencontainers.image.version"])
		if config.User != images.User || !slices.Equal(config.Entrypoint, []string{"/usr/local/bin/" + name}) {
			t.Errorf("user %s, entrypoint %s", config.User, config.Entrypoint)
		}
		programs := []string{"usr/bin/python3.13", "usr/local/bin/" + name}
		if name == "sample-operator" {
			programs = []string{"usr/bin/python3.13", "usr/local/bin/kubectl", "usr/local/bin/sample-operator"}
			program(t, files["usr/local/bin/kubectl"].data, arch, "")
		}
		// The C library and its loader are executable, too.
		got := slices.DeleteFunc(executables(files), func(name string) bool { return strings.HasPrefix(name, "usr/lib/") })
		if !slices.Equal(got, programs) {
			t.Errorf("%s: executable %q, want %q", archive, got, programs)
		}
		linked(t, files, arch)
		if arch == runtime.GOARCH {
			run(t, files, config, name)
		}
	}
}

// linked checks that every library that a library or a program of the image needs is in the image.
func linked(t *testing.T, files map[string]entry, arch string) {
	t.Helper()
	libraries := map[string]bool{}
	for name := range files {
		libraries[path.Base(name)] = true
	}
	count := 0
	for name, f := range files {
		if !bytes.HasPrefix(f.data, []byte(elf.ELFMAG)) || strings.HasSuffix(name, "/kubectl") {
			continue
		}
		file, err := elf.NewFile(bytes.NewReader(f.data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		count++
		if file.Machine != machines[arch] {
			t.Errorf("%s is for %s, want %s", name, file.Machine, arch)
		}
		needed, err := file.ImportedLibraries()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, one := range needed {
			if !libraries[one] {
				t.Errorf("%s needs %s, which is not in the image", name, one)
			}
		}
	}
	if count < 50 {
		t.Errorf("%d programs and libraries were checked, of more", count)
	}
}

// imports has Python import each module of its own and each installed package, find the certificates, and write nowhere
// but in /tmp.
const imports = `
import importlib, importlib.metadata, os, pkgutil, ssl, sys, tempfile
skip = {"antigravity", "this", "idlelib", "lib2to3", "turtle", "turtledemo", "tkinter", "msilib", "nt", "winreg", "winsound", "_winapi", "msvcrt",
        "_gdbm", "_tkinter", "pydoc_data", "pip", "ensurepip", "distutils", "_android_support", "_apple_support", "_ios_support", "_osx_support"}
def windows(name): return name.startswith(("_overlapped", "_scproxy", "_wmi")) or "test" in name or name == "__main__"
names = sorted(n for n in sys.stdlib_module_names if n not in skip and not windows(n))
missing = []
for name in names:
    try: importlib.import_module(name)
    except ImportError as error: missing.append(f"{name}: {error}")
tops = set()
for dist in importlib.metadata.distributions():
    for file in dist.files or []:
        if str(file).endswith("__init__.py") and len(file.parts) == 2: tops.add(file.parts[0])
for name in sorted(tops): importlib.import_module(name)
assert ssl.create_default_context().get_ca_certs(), "no CA certificates"
assert os.getuid() == 65532 and os.getgid() == 65532, os.getuid()
tempfile.TemporaryFile().close()
try: open("/usr/file", "w"); raise SystemExit("the root file system can be written")
except OSError: pass
print(len(names), "modules,", len(tops), "packages; missing:", missing)
`

func run(t *testing.T, files map[string]entry, config v1.Config, name string) {
	t.Helper()
	if got := inside(t, files, config, config.Entrypoint[0], "--help"); !strings.Contains(got, "usage: "+name) {
		t.Errorf("%s --help: %s", name, got)
	}
	got := inside(t, files, config, "/usr/bin/python3.13", "-c", imports)
	if !strings.Contains(got, "missing: []") {
		t.Errorf("imports in %s: %s", name, got)
	}
	t.Logf("%s: %s", name, strings.TrimSpace(got))
	if name == "sample-operator" {
		if got := inside(t, files, config, "/usr/local/bin/kubectl", "version", "--client"); !strings.Contains(got,
			"Client Version: v1.") {
			t.Errorf("kubectl version: %s", got)
		}
	}
}

// TestDeployments checks that what runs the images has the root file system read-only, and no root.
func TestDeployments(t *testing.T) {
	const root = "../../../"
	for _, file := range []string{
		"charts/flux-operator/templates/deployment.yaml", "config/manager/deployment.yaml",
		"examples/operators/copyrator/chart/templates/deployment.yaml",
		"examples/operators/registry-mirror/config/manager/deployment.yaml",
		"examples/operators/sample/config/manager/deployment.yaml",
	} {
		text, err := os.ReadFile(root + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"readOnlyRootFilesystem: true", "runAsNonRoot: true",
			"allowPrivilegeEscalation: false"} {
			if !strings.Contains(string(text), line) {
				t.Errorf("%s has no line %s", file, line)
			}
		}
	}
}
