package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/flux-framework/flux-operator/test/cluster/controlplane"
	"github.com/flux-framework/flux-operator/test/cluster/internal/process"
	"github.com/flux-framework/flux-operator/test/cluster/internal/state"
)

func TestKilledComponentStopsOthers(t *testing.T) {
	w := newWorld(t)
	w.up()
	keeper := w.component(w.directory(), "keeper")
	w.kill(w.component(w.directory(), "etcd"))
	w.eventually("the keeper ends", func() bool { return !keeper.Alive() })
	if found := w.processes(); len(found) > 0 {
		t.Errorf("processes are left:\n%s", strings.Join(found, ""))
	}
	status := w.run("status")
	if status.code != notRuns || !strings.Contains(status.stdout, "failed") ||
		!strings.Contains(status.stdout, "etcd exited: signal: killed") {
		t.Errorf("got %+v", status)
	}
	if got := w.run("kubeconfig"); got.code != undecided || !strings.Contains(got.stderr, "is not running") {
		t.Errorf("kubeconfig: got %+v", got)
	}
	w.up()
	w.must("down")
	w.nothingLeft()
}

// TestSchedulerOfMovedPod has the scheduler miss, while its watch is broken, that a pod was made again on another node.
func TestSchedulerOfMovedPod(t *testing.T) {
	w := newWorld(t)
	w.up("--nodes", "2")
	pod := "{apiVersion: v1, kind: Pod, metadata: {name: moved}, spec: {nodeName: %s, containers: [{name: main, image: " +
		"any}]}}"
	w.applied(fmt.Sprintf(pod, "node-0"))
	if w.kubectl("wait", "--for=condition=Ready", "pod/moved").code != 0 {
		t.Fatal("the pod is not ready")
	}
	before := w.component(w.directory(), "kube-scheduler")
	if err := before.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	// so that a watch cannot begin at the pod's version
	w.applied("{apiVersion: v1, kind: ConfigMap, metadata: {name: later}}")
	w.must("restart", "kube-apiserver", "--kill")
	if w.kubectl("delete", "pod", "moved", "--force").code != 0 {
		t.Fatal("the pod is not deleted")
	}
	w.applied(fmt.Sprintf(pod, "node-1"))
	if err := before.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	w.eventually("the scheduler ends and is started again", func() bool {
		after := w.component(w.directory(), "kube-scheduler")
		return after != before && after.Alive()
	})
	w.applied("{apiVersion: v1, kind: Pod, metadata: {name: new}, spec: {containers: [{name: main, image: any}]}}")
	if w.kubectl("wait", "--for=condition=Ready", "pod/new").code != 0 {
		t.Error("no pod is scheduled")
	}
	w.must("status")
	w.must("down")
	w.nothingLeft()
}

func TestCleanupAfterKilledKeeper(t *testing.T) {
	w := newWorld(t)
	w.up()
	old := w.directory()
	etcd := w.component(old, "etcd")
	w.kill(w.component(old, "keeper"))
	if runtime.GOOS == "linux" {
		w.eventually("the system ends the components", func() bool { return len(w.processes()) == 0 })
	}
	if got := w.run("status"); got.code != notRuns || !strings.Contains(got.stdout, "killed") {
		t.Errorf("got %+v", got)
	}
	w.up()
	if etcd.Alive() || w.directory() == old {
		t.Error("up has not cleaned up after the killed keeper")
	}
	if _, err := os.Stat(string(old)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old directory: %v", err)
	}
	w.kill(w.component(w.directory(), "keeper"))
	w.must("down")
	w.nothingLeft()
}

// TestKilledUp kills the command while the control plane is partly started.
func TestKilledUp(t *testing.T) {
	for _, moment := range []string{"keeper", "etcd", "kube-apiserver", "kwok"} {
		t.Run(moment, func(t *testing.T) {
			w := newWorld(t)
			up := w.command(w.program, "up")
			if err := up.Start(); err != nil {
				t.Fatal(err)
			}
			w.eventually(moment+" is there", func() bool { return w.begun(moment) })
			up.Process.Kill()
			up.Wait()
			w.eventually("everything ends", func() bool {
				entries, err := os.ReadDir(w.temporary)
				return err == nil && len(entries) == 0 && len(w.processes()) == 0
			})
		})
	}
}

// begun reports whether a component of a starting control plane exists.
func (w *world) begun(name string) bool {
	found, err := filepath.Glob(filepath.Join(w.temporary, "*", "state.json"))
	if err != nil || len(found) == 0 {
		return false
	}
	known, err := state.Directory(filepath.Dir(found[0])).Load()
	if err != nil {
		return false
	}
	for _, component := range known.Components {
		if component.Name == name {
			return true
		}
	}
	return name == "keeper"
}

func TestInterruptedUp(t *testing.T) {
	w := newWorld(t)
	up := w.command(w.program, "up")
	if err := up.Start(); err != nil {
		t.Fatal(err)
	}
	w.eventually("etcd is there", func() bool { return w.begun("etcd") })
	up.Process.Signal(os.Interrupt)
	up.Wait()
	if up.ProcessState.ExitCode() != undecided {
		t.Errorf("the command ended by %v, want exit code %d", up.ProcessState, undecided)
	}
	w.nothingLeft()
}

// TestStaleState needs no control plane: a directory names the PIDs of an old one, which other processes have now.
func TestStaleState(t *testing.T) {
	w := emptyWorld(t)
	stranger := exec.Command("sleep", "600")
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		stranger.Process.Kill()
		stranger.Wait()
	}()
	now, err := process.Of(stranger.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	reused := process.ID{PID: now.PID, Born: "before"}
	directory := state.Directory(filepath.Join(w.temporary, "cluster"))
	if err := os.Mkdir(string(directory), 0o700); err != nil {
		t.Fatal(err)
	}
	err = directory.Save(state.State{Phase: state.Running, Keeper: reused,
		Components: []state.Component{{Name: "etcd", Process: reused}}})
	if err != nil {
		t.Fatal(err)
	}
	status := w.run("status", "--dir", string(directory))
	if status.code != notRuns || !regexp.MustCompile(`(?m)^etcd +gone`).MatchString(status.stdout) {
		t.Errorf("status: got %+v", status)
	}
	w.must("down", "--dir", string(directory))
	if !now.Alive() {
		t.Error("an unrelated process was killed")
	}
	w.nothingLeft()
}

func TestStartFailure(t *testing.T) {
	w := newWorld(t)
	for name, test := range map[string]struct {
		args   []string
		script string // in the place of kube-apiserver
		want   []string
	}{
		"a component that ends": {
			script: "echo flag provided but not defined >&2; exit 3",
			want:   []string{"kube-apiserver exited: exit status 3", "flag provided but not defined"},
		},
		"a component that is never ready": {
			args:   []string{"--timeout=3s"},
			script: "echo still thinking; exec sleep 600",
			want:   []string{"waiting for kube-apiserver: the control plane was not ready after 3s", "still thinking"},
		},
		"a definition that is none": {
			args: []string{"--crd", "../../go.mod"},
			want: []string{"kubectl apply", "error validating"},
		},
		"a directory with other files": {
			args: []string{"--dir", "."},
			want: []string{"contains other files"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := *w
			w.t = t
			if test.script != "" {
				w.replaceServer(test.script)
			}
			got := w.run(append([]string{"up"}, test.args...)...)
			if got.code != undecided {
				t.Errorf("exit code %d, want %d", got.code, undecided)
			}
			for _, want := range test.want {
				if !strings.Contains(got.stderr, want) {
					t.Errorf("the message has no %q", want)
				}
			}
			w.nothingLeft()
		})
	}
}

// replaceServer replaces the API server by a script until the test ends.
func (w *world) replaceServer(script string) {
	w.t.Helper()
	links, err := filepath.Glob(filepath.Join(w.variable("XDG_CACHE_HOME"), "flux-operator-cluster", "kubestack-*"))
	if err != nil || len(links) != 1 {
		w.t.Fatalf("the built programs: %v, %v", links, err)
	}
	built, err := os.Readlink(links[0])
	if err != nil {
		w.t.Fatal(err)
	}
	other := filepath.Join(w.t.TempDir(), "bin")
	check := func(err error) {
		w.t.Helper()
		if err != nil {
			w.t.Fatal(err)
		}
	}
	check(os.Mkdir(other, 0o700))
	check(os.Symlink(filepath.Join(built, "bin", "kubestack"), filepath.Join(other, "etcd")))
	check(os.WriteFile(filepath.Join(other, "kube-apiserver"), []byte("#!/bin/sh\nPATH=/bin:/usr/bin\n"+script+"\n"),
		0o700))
	check(os.Remove(links[0]))
	check(os.Symlink(filepath.Dir(other), links[0]))
	w.t.Cleanup(func() {
		check(os.Remove(links[0]))
		check(os.Symlink(built, links[0]))
	})
}

func TestConcurrentUp(t *testing.T) {
	w := newWorld(t)
	codes := make([]int, 3)
	var wait sync.WaitGroup
	for i := range codes {
		wait.Go(func() { codes[i] = w.run("up").code })
	}
	wait.Wait()
	started := 0
	for _, code := range codes {
		if code == done {
			started++
		}
	}
	keepers := 0
	for _, line := range w.processes() {
		if strings.Contains(line, "etcd --name") {
			keepers++
		}
	}
	if started == 0 || keepers != 1 {
		t.Errorf("%d commands have started %d control planes, want one", started, keepers)
	}
	w.must("down")
	w.nothingLeft()
}

func TestNamedDirectories(t *testing.T) {
	w := newWorld(t)
	one, two := filepath.Join(w.temporary, "one"), filepath.Join(w.temporary, "two")
	w.must("up", "--dir", one)
	w.must("up", "--dir", two)
	if got := w.run("status"); got.code != notRuns {
		t.Errorf("the current one: got %+v", got)
	}
	w.must("down", "--dir", one)
	if got := w.run("status", "--dir", one); got.code != notRuns {
		t.Errorf("the one that was ended: got %+v", got)
	}
	w.must("status", "--dir", two)
	w.must("down", "--dir", two)
	w.nothingLeft()
}

func TestStartFromGo(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"TMPDIR", "XDG_CACHE_HOME", "GOCACHE"} {
		t.Setenv(name, w.variable(name))
	}
	control, err := controlplane.Start(t.Context(), controlplane.Options{Nodes: 1})
	if err != nil {
		t.Fatal(err)
	}
	get := exec.Command(filepath.Join(control.Bin, "kubectl"), "get", "nodes", "-o", "name")
	get.Env = control.Environment(os.Environ())
	if output, err := get.Output(); err != nil || string(output) != "node/node-0\n" {
		t.Errorf("got %q, %v", output, err)
	}
	if err := control.Restart(t.Context(), "kwok", controlplane.RestartOptions{Kill: true}); err != nil {
		t.Error(err)
	}
	if _, err := control.User("alice", "dev"); err != nil {
		t.Error(err)
	}
	if err := control.Stop(); err != nil {
		t.Error(err)
	}
	<-control.Ended()
	w.nothingLeft()

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := controlplane.Start(cancelled, controlplane.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: got %v, want %v", err, context.Canceled)
	}
	w.nothingLeft()
}
