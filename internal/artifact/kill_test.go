package artifact

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// The test binary is its own child: with these variables set it commits, and
// kills itself, instead of running tests.
const (
	envChild = "SDKGEN_TEST_CHILD" // commit, loop or hold
	envArgs  = "SDKGEN_TEST_ARGS"
)

func TestMain(m *testing.M) {
	child, args := os.Getenv(envChild), strings.Split(os.Getenv(envArgs), "\n")
	run := map[string]func([]string) error{"commit": childCommit, "loop": childLoop, "hold": childHold}[child]
	if run == nil {
		os.Exit(m.Run())
	}
	if err := run(args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func child(t testing.TB, what string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), envChild+"="+what, envArgs+"="+strings.Join(args, "\n"), "GOCOVERDIR="+t.TempDir())
	cmd.Stderr = os.Stderr
	return cmd
}

// suicide is SIGKILL, or what Windows has.
func suicide() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {}
}

// trial is a change of the tree from one set to another.
type trial struct {
	name     string
	old, new map[string]files
	hand     files
}

func trials() []trial {
	grow := trial{name: "grow",
		old: map[string]files{"py": {
			"sdk/same": "same", "sdk/changed": "old", "sdk/turns*": "run", "sdk/orphan": "o",
			"sdk/gone/deep/a": "a", "sdk/gone/b": "b", "sdk/mixed/a": "a", "name": "file", "dir/a": "a", "dir/b/c": "c",
		}, "go": {"go/same": "same", "go/moved": "moved", "old/name": "1"}, "docs": {"docs/same": "s", "docs/orphan": "o"}},
		new: map[string]files{"py": {
			"sdk/same": "same", "sdk/changed": "new and longer", "sdk/turns": "run", "sdk/new/deep/a": "a", "sdk/new/b*": "b",
			"added": "added", "name/is/folder": "f", "dir": "now a file", "go/moved": "moved",
		}, "go": {"go/same": "same", "go/big": strings.Repeat("0123456789abcdef", 20000), "Old/Name": "2"},
			"docs": {"docs/same": "s", "docs/added": "a"}, "crd": {"crd/a": "a"}},
		hand: files{"sdk/mixed/mine": "mine", "sdk/mine": "mine", "main.go": "package main"},
	}
	shrink := trial{name: "shrink",
		old:  map[string]files{"py": {"a/1": "1", "a/2": "2", "b/3*": "3", "b/c/4": "4", "5": "5"}},
		new:  map[string]files{"py": {"a/1": "one", "a/2": "two", "5": "5"}},
		hand: files{"mine": "mine"},
	}
	first := trial{name: "first", new: map[string]files{"py": {"a/b/c": "1", "d": "2"}}, hand: files{"a/mine": "mine"}}
	back := trial{name: "back", old: grow.new, new: grow.old, hand: grow.hand}
	return []trial{grow, shrink, first, back}
}

// childCommit args: root, trial's name, workers, operation to die before.
func childCommit(args []string) error {
	workers, err1 := strconv.Atoi(args[2])
	last, err2 := strconv.ParseInt(args[3], 10, 64)
	root, err3 := os.OpenRoot(args[0])
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	i := slices.IndexFunc(trials(), func(tr trial) bool { return tr.name == args[1] })
	set, err := makeSet(trials()[i].new)
	if err != nil {
		return err
	}
	plan, err := planFor(root, set)
	if err != nil {
		return err
	}
	var count atomic.Int64
	c := &commit{plan: plan, workers: workers, disk: disk{root: root, fault: func(op, p string) error {
		if count.Add(1) == last {
			suicide()
		}
		return nil
	}}}
	return c.run(context.Background())
}

// childLoop goes back and forth between two sets until it is killed.
func childLoop(args []string) error {
	root, err := os.OpenRoot(args[0])
	if err != nil {
		return err
	}
	tr := trials()[0]
	fmt.Println("started")
	for {
		for _, stages := range []map[string]files{tr.new, tr.old} {
			set, err := makeSet(stages)
			if err != nil {
				return err
			}
			if err := generate(root, set); err != nil {
				return err
			}
		}
	}
}

// states holds what a killed run may and must leave.
type states struct {
	trial
	oldSet, newSet   *Set
	oldTree, newTree []string
	start            string // a folder in the old state
}

func (tr trial) states(t *testing.T) *states {
	s := &states{trial: tr, oldSet: setOf(t, tr.old), newSet: setOf(t, tr.new), start: t.TempDir()}
	for p, data := range tr.hand {
		write(t, s.start, p, data)
	}
	mustGenerate(t, openRoot(t, s.start), s.oldSet)
	s.oldTree = snapshot(t, s.start)
	end := s.copy(t, s.start)
	mustGenerate(t, openRoot(t, end), s.newSet)
	s.newTree = snapshot(t, end)
	return s
}

func (s *states) copy(t *testing.T, from string) string {
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return to
}

// pathOf returns the path of a line of a snapshot.
func pathOf(line string) string {
	p, _, _ := strings.Cut(line, " ")
	return strings.TrimRight(p, "*/")
}

func paths(lines []string) []string {
	var list []string
	for _, line := range lines {
		list = append(list, pathOf(line))
	}
	return list
}

// check holds a killed tree against all that is promised of it.
func (s *states) check(t *testing.T, dir string) {
	t.Helper()
	lines := snapshot(t, dir)
	lock, err := ReadLock(openRoot(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		p := pathOf(line)
		if p == LockName || isTemp(filepath.Base(p)) || strings.HasSuffix(line, "/") {
			continue
		}
		_, listed := lock.Lookup(p)
		if _, hand := s.hand[p]; !listed && !hand {
			t.Errorf("%s is not in the lock", p)
		}
		if !slices.Contains(s.oldTree, line) && !slices.Contains(s.newTree, line) {
			t.Errorf("neither old nor new: %.60s", line)
		}
	}
	there, after := paths(lines), paths(s.newTree)
	for _, p := range paths(s.oldTree) {
		if slices.Contains(after, p) && !slices.Contains(there, p) {
			t.Errorf("%s is lost", p)
		}
	}
	s.checkClean(t, dir, lock)
	s.repair(t, dir, s.newSet, s.newTree)
	if s.old != nil {
		s.repair(t, dir, s.oldSet, s.oldTree)
	}
}

// checkClean: a stage that could be skipped really is in that state.
func (s *states) checkClean(t *testing.T, dir string, lock *Lock) {
	t.Helper()
	for _, set := range []*Set{s.oldSet, s.newSet} {
		keys := keysOf(set)
		for _, stage := range lock.Stages() {
			got, clean, err := lock.StageClean(openRoot(t, dir), stage)
			key, _ := lock.Key(stage)
			if err != nil {
				t.Error(err)
			}
			if !clean || key != keys[stage] {
				continue
			}
			same(t, "clean stage "+stage, key, keysOf(got, stage)[stage])
		}
	}
}

// repair: the next run, on a copy of the killed tree, makes it exactly right.
func (s *states) repair(t *testing.T, dir string, set *Set, want []string) {
	t.Helper()
	dir = s.copy(t, dir)
	if err := generate(openRoot(t, dir), set); err != nil {
		t.Errorf("the next run: %v", err)
		return
	}
	same(t, "tree after the next run", want, snapshot(t, dir))
}

func TestKillAnywhere(t *testing.T) {
	for _, tr := range trials() {
		for _, workers := range []int{1, stagers} {
			t.Run(fmt.Sprintf("%s-%d", tr.name, workers), func(t *testing.T) {
				t.Parallel()
				s := tr.states(t)
				// Several workers make no order to be complete about.
				for n := 1; ; n += 1 + workers/2 {
					dir := s.copy(t, s.start)
					err := child(t, "commit", dir, tr.name, strconv.Itoa(workers), strconv.Itoa(n)).Run()
					s.check(t, dir)
					if t.Failed() {
						t.Fatalf("killed before operation %d", n)
					}
					var exit *exec.ExitError
					if err == nil {
						t.Logf("fewer than %d operations", n)
						same(t, "tree", s.newTree, snapshot(t, dir))
						return
					} else if !errors.As(err, &exit) || exit.Exited() && exit.ExitCode() == 1 {
						t.Fatalf("operation %d: %v", n, err)
					}
				}
			})
		}
	}
}

func TestKillAnytime(t *testing.T) {
	s := trials()[0].states(t)
	for range 20 {
		dir := s.copy(t, s.start)
		cmd := child(t, "loop", dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Duration(rand.IntN(60_000)) * time.Microsecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() == 1 {
			t.Fatalf("the child ended by itself: %v", err)
		}
		s.check(t, dir)
		if t.Failed() {
			return
		}
	}
}
