package state_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/flux-framework/flux-operator/test/cluster/internal/process"
	"github.com/flux-framework/flux-operator/test/cluster/internal/state"
)

// sleeper is a process that stays until it is killed.
func sleeper(t *testing.T) process.ID {
	t.Helper()
	command := exec.Command("sleep", "600")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		command.Process.Kill()
		command.Wait()
	})
	id, err := process.Of(command.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// newHome is a home of its own, as is the system's directory for temporary files.
func newHome(t *testing.T) state.Home {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	return state.Home(filepath.Join(t.TempDir(), "home"))
}

func take(t *testing.T, home state.Home, path string, remember bool) *state.Held {
	t.Helper()
	held, err := home.Take(t.Context(), path, remember)
	if err != nil {
		t.Fatal(err)
	}
	return held
}

// abandon writes what a killed keeper leaves: a state, and nobody who holds the directory.
func abandon(t *testing.T, directory state.Directory, components ...process.ID) {
	t.Helper()
	if err := os.MkdirAll(string(directory), 0o700); err != nil {
		t.Fatal(err)
	}
	left := state.State{Phase: state.Running}
	for _, id := range components {
		left.Components = append(left.Components, state.Component{Name: "etcd", Process: id})
	}
	if err := directory.Save(left); err != nil {
		t.Fatal(err)
	}
}

func exists(t *testing.T, path string) bool {
	t.Helper()
	_, err := os.Lstat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil
}

func TestHeldFolderIsNotTakenAgain(t *testing.T) {
	home := newHome(t)
	held := take(t, home, "", true)
	if !held.Runs() {
		t.Error("the directory is held and does not run")
	}
	if _, err := home.Take(t.Context(), string(held.Directory), false); !errors.Is(err, state.ErrRunning) {
		t.Errorf("taking a held directory: got %v, want %v", err, state.ErrRunning)
	}
	if _, err := home.Take(t.Context(), "", true); !errors.Is(err, state.ErrRunning) {
		t.Errorf("replacing the current directory: got %v, want %v", err, state.ErrRunning)
	}
	other := take(t, home, "", false)
	if other.Directory == held.Directory {
		t.Error("two have the same directory")
	}
	if current, err := home.Current(); err != nil || current != held.Directory {
		t.Errorf("the current directory is %s, %v; want %s", current, err, held.Directory)
	}
}

func TestTakeEndsWhatAKilledOneLeft(t *testing.T) {
	for name, path := range map[string]func(t *testing.T) string{
		"named":     func(t *testing.T) string { return filepath.Join(t.TempDir(), "cluster") },
		"temporary": func(*testing.T) string { return filepath.Join(os.TempDir(), "flux-cluster-1") },
	} {
		t.Run(name, func(t *testing.T) {
			home := newHome(t)
			left := state.Directory(path(t))
			orphan, stranger := sleeper(t), sleeper(t)
			abandon(t, left, orphan, process.ID{PID: stranger.PID, Born: "before"})
			expected := string(left)
			if name == "temporary" {
				expected = "" // it is found, not named
			}
			taken := take(t, home, expected, false)
			if orphan.Alive() {
				t.Error("the orphan is alive")
			}
			if !stranger.Alive() {
				t.Error("a stranger that has the number of a component was killed")
			}
			if expected == "" && exists(t, string(left)) {
				t.Error("the directory is there")
			}
			if _, err := taken.Load(); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the new directory has a state: %v", err)
			}
		})
	}
}

func TestDown(t *testing.T) {
	t.Run("ends what is left", func(t *testing.T) {
		directory := state.Directory(t.TempDir())
		orphan := sleeper(t)
		abandon(t, directory, orphan)
		if err := state.Down(t.Context(), directory); err != nil {
			t.Fatal(err)
		}
		if orphan.Alive() || exists(t, string(directory)) {
			t.Error("the orphan or its directory is there")
		}
	})
	t.Run("has no need of a state", func(t *testing.T) {
		directory := state.Directory(t.TempDir())
		if err := os.WriteFile(directory.Path("state.json"), []byte(`{"phase": "run`), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := state.Down(t.Context(), directory); err != nil {
			t.Fatal(err)
		}
		if exists(t, string(directory)) {
			t.Error("the directory is there")
		}
	})
	t.Run("leaves other files", func(t *testing.T) {
		directory := state.Directory(t.TempDir())
		file := directory.Path("thesis.txt")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := state.Down(t.Context(), directory); !errors.Is(err, state.ErrNone) {
			t.Errorf("got %v, want %v", err, state.ErrNone)
		}
		if _, err := newHome(t).Take(t.Context(), string(directory), false); err == nil {
			t.Error("the directory was taken")
		}
		if !exists(t, file) {
			t.Error("the file is gone")
		}
	})
	t.Run("finds nothing", func(t *testing.T) {
		for _, directory := range []state.Directory{state.Directory(t.TempDir()), "/does/not/exist"} {
			if err := state.Down(t.Context(), directory); !errors.Is(err, state.ErrNone) {
				t.Errorf("%s: got %v, want %v", directory, err, state.ErrNone)
			}
		}
	})
}

func TestSweepBelievesOnlyOwnFolders(t *testing.T) {
	home := newHome(t)
	target := state.Directory(t.TempDir())
	stranger := sleeper(t)
	abandon(t, target, stranger)
	if err := os.Symlink(string(target), filepath.Join(os.TempDir(), "flux-cluster-link")); err != nil {
		t.Fatal(err)
	}
	take(t, home, "", false)
	if !stranger.Alive() || !exists(t, string(target)) {
		t.Error("a link was followed")
	}
}

func TestRemovedFolderLeavesNothing(t *testing.T) {
	held := take(t, newHome(t), "", false)
	if err := held.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if exists(t, string(held.Directory)) {
		t.Error("the directory is there")
	}
}
