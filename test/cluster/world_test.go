package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flux-framework/flux-operator/test/cluster/controlplane"
	"github.com/flux-framework/flux-operator/test/cluster/internal/process"
	"github.com/flux-framework/flux-operator/test/cluster/internal/state"
)

// long is the timeout of waits that end in time unless the code under test hangs.
const long = 3 * time.Minute

// world is a user with a home and a directory for temporary files of its own, and the cluster command.
type world struct {
	t           *testing.T
	program     string
	temporary   string
	environment []string
}

// program builds the command once for all tests.
var program = sync.OnceValues(func() (string, error) {
	directory, err := os.MkdirTemp("", "cluster-test-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(directory, "cluster")
	if output, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the command: %w\n%s", err, output)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := program(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// newWorld is for tests that start control planes. Building the programs takes minutes, so it skips the test without
// them.
func newWorld(t *testing.T) *world {
	t.Helper()
	if os.Getenv("E2E") == "" {
		t.Skip("E2E is not set: `make test-e2e ONLY=cluster` runs it")
	}
	built, err := controlplane.Built(t.Context(), controlplane.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !built {
		t.Fatal("the control plane is not built, which takes minutes: run `bin/cluster build` first")
	}
	bin, err := controlplane.Build(t.Context(), controlplane.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := emptyWorld(t)
	// The caches of this world hold what is built, and nothing else of the user's.
	home := filepath.Join(w.variable("XDG_CACHE_HOME"), "flux-operator-cluster")
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	built = os.Symlink(filepath.Dir(bin), filepath.Join(home, filepath.Base(filepath.Dir(bin)))) == nil
	if !built {
		t.Fatal("linking the built programs")
	}
	return w
}

// emptyWorld has no built programs.
func emptyWorld(t *testing.T) *world {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	goCache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	// Sockets have short paths, which the directories of a test are not.
	root, err := os.MkdirTemp("", "w-")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, program: path, temporary: filepath.Join(root, "tmp")}
	if err := os.Mkdir(w.temporary, 0o700); err != nil {
		t.Fatal(err)
	}
	w.environment = append(os.Environ(),
		"TMPDIR="+w.temporary,
		"XDG_CACHE_HOME="+filepath.Join(root, "cache"),
		"GOCACHE="+strings.TrimSpace(string(goCache)),
		controlplane.DirVariable+"=",
		"KUBECONFIG=",
	)
	t.Cleanup(func() {
		w.ends()
		if t.Failed() {
			w.run("status")
		}
		w.run("down")
		if err := os.RemoveAll(root); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *world) variable(name string) string {
	value := ""
	for _, variable := range w.environment {
		if found, ok := strings.CutPrefix(variable, name+"="); ok {
			value = found
		}
	}
	return value
}

// result is the output and exit code of a command.
type result struct {
	stdout, stderr string
	code           int
}

func (w *world) command(name string, args ...string) *exec.Cmd {
	command := exec.CommandContext(w.t.Context(), name, args...)
	command.Env = w.environment
	return command
}

// run runs a verb of the cluster command.
func (w *world) run(args ...string) result {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.t.Context()), long)
	defer cancel()
	command := exec.CommandContext(ctx, w.program, args...)
	command.Env = w.environment
	return w.wait(command)
}

func (w *world) wait(command *exec.Cmd) result {
	w.t.Helper()
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	w.t.Logf("%s: %v\n%s%s", strings.Join(command.Args, " "), command.ProcessState, &stdout, &stderr)
	return result{stdout.String(), stderr.String(), command.ProcessState.ExitCode()}
}

// must is run for verbs that have to succeed.
func (w *world) must(args ...string) string {
	w.t.Helper()
	result := w.run(args...)
	if result.code != 0 {
		w.t.Fatalf("cluster %s: exit code %d", strings.Join(args, " "), result.code)
	}
	return result.stdout
}

// up starts a control plane that stays.
func (w *world) up(args ...string) {
	w.t.Helper()
	w.must(append([]string{"up"}, args...)...)
	kubeconfig := strings.TrimSpace(w.must("kubeconfig"))
	w.environment = append(w.environment, "KUBECONFIG="+kubeconfig)
}

// kubectl is the one that was built.
func (w *world) kubectl(args ...string) result {
	w.t.Helper()
	return w.kubectlWith("", args...)
}

func (w *world) kubectlWith(stdin string, args ...string) result {
	w.t.Helper()
	known, err := w.directory().Load()
	if err != nil {
		w.t.Fatal(err)
	}
	command := w.command(filepath.Join(known.Bin, "kubectl"), args...)
	command.Stdin = strings.NewReader(stdin)
	return w.wait(command)
}

// applied applies YAML.
func (w *world) applied(manifest string) {
	w.t.Helper()
	if result := w.kubectlWith(manifest, "apply", "-f", "-"); result.code != 0 {
		w.t.Fatal("the manifest was refused")
	}
}

// directory is the current one.
func (w *world) directory() state.Directory {
	w.t.Helper()
	directory, err := state.Home(filepath.Join(w.variable("XDG_CACHE_HOME"), "flux-operator-cluster")).Current()
	if err != nil {
		w.t.Fatal(err)
	}
	return directory
}

// component is the process of a component.
func (w *world) component(directory state.Directory, name string) process.ID {
	w.t.Helper()
	known, err := directory.Load()
	if err != nil {
		w.t.Fatal(err)
	}
	if name == "keeper" {
		return known.Keeper
	}
	for _, component := range known.Components {
		if component.Name == name {
			return component.Process
		}
	}
	w.t.Fatalf("there is no %s in %+v", name, known)
	return process.ID{}
}

// kill ends a process as kill -9 does.
func (w *world) kill(id process.ID) {
	w.t.Helper()
	if !id.Alive() {
		w.t.Fatalf("process %d is gone", id.PID)
	}
	if err := process.Kill(w.t.Context(), id); err != nil {
		w.t.Fatal(err)
	}
}

// eventually waits until something holds.
func (w *world) eventually(what string, holds func() bool) {
	w.t.Helper()
	for end := time.Now().Add(long); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("it never came to pass: %s", what)
		}
	}
}

// processes are those that name this world's directory in their arguments: all components do.
func (w *world) processes() []string {
	w.t.Helper()
	output, err := exec.Command("ps", "-eo", "pid=,stat=,args=").Output()
	if err != nil {
		w.t.Fatal(err)
	}
	var found []string
	for line := range strings.Lines(string(output)) {
		fields := strings.Fields(line)
		if len(fields) > 2 && !strings.HasPrefix(fields[1], "Z") && strings.Contains(line, w.temporary) {
			found = append(found, line)
		}
	}
	return found
}

// nothingLeft checks that no process and no file is left.
func (w *world) nothingLeft() {
	w.t.Helper()
	if found := w.processes(); len(found) > 0 {
		w.t.Errorf("processes are left:\n%s", strings.Join(found, ""))
	}
	entries, err := os.ReadDir(w.temporary)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, entry := range entries {
		w.t.Errorf("a file is left: %s", entry.Name())
	}
}

// ends waits until everything that was let go has ended.
func (w *world) ends() {
	w.t.Helper()
	for end := time.Now().Add(long); len(w.processes()) > 0 && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if w.run("down").code != 0 {
			return
		}
	}
}

// decode reads JSON.
func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var value T
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("reading %q: %v", text, err)
	}
	return value
}
