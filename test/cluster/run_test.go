package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/flux-framework/flux-operator/test/cluster/internal/process"
	"github.com/flux-framework/flux-operator/test/cluster/internal/state"
)

func TestRun(t *testing.T) {
	w := newWorld(t)
	script := `kubectl get nodes -o name && test -x "$KUBEBUILDER_ASSETS/etcd" && kubectl wait --for=condition=Established ` +
		`--timeout=0 crd/things.example.org && "$0" kubeconfig --user alice && exit 7`
	got := w.run("run", "--nodes=1", "--crd=testdata/crd.yaml", "--", "sh", "-c", script, w.program)
	if got.code != 7 || !strings.HasPrefix(got.stdout, "node/node-0\ncustomresourcedefinition") ||
		!strings.HasSuffix(got.stdout, "/kubeconfigs/alice\n") {
		t.Errorf("got %+v", got)
	}
	w.nothingLeft()
	if got := w.run("run", "--", "/no/such/program"); got.code != undecided {
		t.Errorf("a command that is not there: exit code %d, want %d", got.code, undecided)
	}
	w.nothingLeft()
	if got := w.run("run", "--", "sh", "-c", "kill -TERM $$"); got.code != 128+15 {
		t.Errorf("a command that was killed: exit code %d, want %d", got.code, 128+15)
	}
	w.nothingLeft()
}

// background starts `run` with a command that writes its process's number, and returns with that of the command.
func (w *world) background() (*exec.Cmd, process.ID) {
	w.t.Helper()
	file := filepath.Join(w.t.TempDir(), "pid")
	run := w.command(w.program, "run", "--", "sh", "-c",
		"echo $$ > "+file+".new; mv "+file+".new "+file+"; exec sleep 600")
	if err := run.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.eventually("the command runs", func() bool {
		_, err := os.Stat(file)
		return err == nil
	})
	content, err := os.ReadFile(file)
	if err != nil {
		w.t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		w.t.Fatal(err)
	}
	command, err := process.Of(pid)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { process.Kill(context.Background(), command) })
	return run, command
}

func TestRunCleanup(t *testing.T) {
	for name, test := range map[string]struct {
		end  func(w *world, run *exec.Cmd)
		code int
	}{
		"a kill of the command that runs it": {
			func(_ *world, run *exec.Cmd) { run.Process.Kill() }, -1,
		},
		"a signal": {
			func(_ *world, run *exec.Cmd) { run.Process.Signal(syscall.SIGTERM) }, 128 + 15,
		},
		"a kill of the keeper": {
			func(w *world, _ *exec.Cmd) { w.kill(w.component(w.started(), "keeper")) }, undecided,
		},
		"a kill of a component": {
			func(w *world, _ *exec.Cmd) { w.kill(w.component(w.started(), "kube-scheduler")) }, undecided,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			run, command := w.background()
			test.end(w, run)
			run.Wait()
			if code := run.ProcessState.ExitCode(); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			if runtime.GOOS == "linux" || test.code != -1 {
				w.eventually("the command ends", func() bool { return !command.Alive() })
			}
			w.eventually("everything ends", func() bool {
				entries, err := os.ReadDir(w.temporary)
				return err == nil && len(entries) == 0 && len(w.processes()) == 0
			})
		})
	}
}

// started is the directory of the only control plane.
func (w *world) started() state.Directory {
	w.t.Helper()
	found, err := filepath.Glob(filepath.Join(w.temporary, "*", "state.json"))
	if err != nil || len(found) != 1 {
		w.t.Fatalf("control planes: %v, %v", found, err)
	}
	return state.Directory(filepath.Dir(found[0]))
}

func TestCleanupAfterKilledRunAndKeeper(t *testing.T) {
	w := newWorld(t)
	run, _ := w.background()
	keeper := w.component(w.started(), "keeper")
	// Stopped, it does not see the other's end before its own.
	if err := keeper.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	run.Process.Kill()
	run.Wait()
	w.kill(keeper)
	left := w.started()
	w.run("run", "--", "true")
	if _, err := os.Stat(string(left)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was left: %v", err)
	}
	w.nothingLeft()
}
