// Package install tests that sdkgen can be used without this repository: its module is published in a
// file-system module proxy, and an empty module and an empty GOBIN get it from there.
package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
	"golang.org/x/tools/txtar"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

const (
	root = "../.." // of sdkgen's module
	path = "github.com/flux-framework/flux-operator/sdkgen"
)

// TestInstall uses sdkgen as someone does who has never seen this repository: by go install, and as a tool
// of an operator's module, whose hack/swagger uses the public library.
func TestInstall(t *testing.T) {
	testkit.NeedAll(t)
	m := newMachine(t)
	t.Run("go install", func(t *testing.T) {
		dir, program := t.TempDir(), filepath.Join(m.bin, "sdkgen")
		m.run(t, dir, "go", "install", m.sdkgen.String())
		m.isVersion(t, m.run(t, dir, program, "version").stdout)
		got := m.try(t, dir, program, "doctor")
		if want := "there is no sdkgen.yaml in "; got.code != 2 || !strings.HasPrefix(got.stdout, "go  ") ||
			!strings.Contains(got.stderr, want) {
			t.Errorf("doctor without a configuration ends with %d, prints %q and says %q; want 2, where go is, and %q", got.code,
				got.stdout, got.stderr, want)
		}
	})
	t.Run("go get -tool", func(t *testing.T) {
		dir := operator(t)
		m.run(t, dir, "go", "get", "-tool", m.sdkgen.String())
		m.isVersion(t, m.run(t, dir, "go", "tool", "sdkgen", "version").stdout)
		if got, want := m.run(t, dir, "go", "tool", "sdkgen", "doctor").stdout,
			"api/v1: group example.org, version v1"; !strings.Contains(got, want) {
			t.Errorf("doctor prints\n%s\nwant %q", got, want)
		}
		m.run(t, dir, "go", "tool", "sdkgen", "generate")
		want, err := os.ReadFile(filepath.Join(dir, "api/v1/swagger.json"))
		if err != nil {
			t.Fatal(err)
		}
		if got := m.run(t, dir, "go", "run", "./hack/swagger").stdout; got != string(want) {
			t.Errorf("hack/swagger prints\n%s\nbut sdkgen wrote\n%s", got, want)
		}
	})
}

// machine is an environment with an empty GOBIN, whose module proxy has sdkgen as it is in this tree. Modules
// and packages that others need as well come from the caches of this machine.
type machine struct {
	sdkgen module.Version
	bin    string // GOBIN
	env    []string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	// The module cache never takes a version twice, so each run has a new one.
	m := &machine{sdkgen: module.Version{Path: path, Version: fmt.Sprintf("v0.0.0-test.%d", time.Now().UnixNano())},
		bin: t.TempDir()}
	proxy := t.TempDir()
	m.publish(t, proxy)
	shared := strings.Split(output(t, "go", "env", "GOPROXY", "GOMODCACHE"), "\n")
	m.env = append(os.Environ(), "GOPROXY=file://"+filepath.ToSlash(proxy)+","+shared[0], "GONOSUMDB="+path,
		"GONOPROXY=none",
		"GOBIN="+m.bin, "GOFLAGS=", "GOWORK=off")
	t.Cleanup(func() { m.forget(t, shared[1]) })
	return m
}

// forget removes what the module cache has of this run's version.
func (m *machine) forget(t *testing.T, cache string) {
	downloads := filepath.Join(cache, "cache", "download", filepath.FromSlash(path), "@v")
	files, err := filepath.Glob(filepath.Join(downloads, m.sdkgen.Version+".*"))
	if err != nil {
		t.Error(err)
	}
	files = append(files, filepath.Join(downloads, "list")) // the go command writes it anew
	source := filepath.Join(cache, filepath.FromSlash(m.sdkgen.String()))
	err = filepath.WalkDir(source, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			err = os.Chmod(name, 0o755)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	for _, name := range append(files, source) {
		if err := os.RemoveAll(name); err != nil {
			t.Error(err)
		}
	}
}

// publish puts sdkgen's module into a directory that the go command takes as a module proxy.
func (m *machine) publish(t *testing.T, proxy string) {
	t.Helper()
	var archive bytes.Buffer
	if err := zip.CreateFromDir(&archive, m.sdkgen, root); err != nil {
		t.Fatal(err)
	}
	goMod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"list":                     []byte(m.sdkgen.Version + "\n"),
		m.sdkgen.Version + ".info": fmt.Appendf(nil, `{"Version": %q}`, m.sdkgen.Version),
		m.sdkgen.Version + ".mod":  goMod,
		m.sdkgen.Version + ".zip":  archive.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// operator writes the project of testdata/operator.txtar to a new directory.
func operator(t *testing.T) string {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/operator.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files, err := txtar.FS(archive)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	return dir
}

// result is how a command ended.
type result struct {
	code           int
	stdout, stderr string
}

// try runs a command in a directory.
func (m *machine) try(t *testing.T, dir string, args ...string) result {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, m.env, &stdout, &stderr
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// run runs a command that must succeed.
func (m *machine) run(t *testing.T, dir string, args ...string) result {
	t.Helper()
	got := m.try(t, dir, args...)
	if got.code != 0 {
		t.Fatalf("%s ended with %d:\n%s%s", strings.Join(args, " "), got.code, got.stdout, got.stderr)
	}
	return got
}

// output runs a command in this environment.
func output(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(args[0], args[1:]...).Output()
	if err != nil {
		t.Fatalf("%s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

// isVersion holds what `sdkgen version` printed against the published version; the generators have any.
func (m *machine) isVersion(t *testing.T, got string) {
	t.Helper()
	want := regexp.MustCompile(`^` + regexp.QuoteMeta(path+" "+m.sdkgen.Version) + `
sigs\.k8s\.io/controller-tools v\S+
k8s\.io/kube-openapi v\S+
k8s\.io/code-generator v\S+
k8s\.io/gengo/v2 v\S+
$`)
	if !want.MatchString(got) {
		t.Errorf("sdkgen version prints\n%s\nwant %s", got, want)
	}
}
