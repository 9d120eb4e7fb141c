package artifact

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
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
	failed   = 3 // exit code of a child that did not do its part; Windows kills with 1
)

func TestMain(m *testing.M) {
	child, args := os.Getenv(envChild), strings.Split(os.Getenv(envArgs), "\n")
	run := map[string]func([]string) error{"commit": childCommit, "loop": childLoop, "hold": childHold}[child]
	if run == nil {
		os.Exit(m.Run())
	}
	if err := run(args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(failed)
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

func TestKillAnywhere(t *testing.T) {
	for _, tr := range trials() {
		for _, workers := range []int{1, stagers} {
			t.Run(fmt.Sprintf("%s-%d", tr.name, workers), func(t *testing.T) {
				t.Parallel()
				s := tr.states(t)
				// Several workers make no order to be complete about.
				for n, done := 1, false; !done && !t.Failed(); n += 1 + workers/2 {
					t.Run(strconv.Itoa(n), func(t *testing.T) { done = s.kill(t, workers, n) })
				}
			})
		}
	}
}

// kill lets a child commit until operation n, and tells if it came to its end.
func (s *states) kill(t *testing.T, workers, n int) bool {
	dir := s.copy(t, s.start)
	err := child(t, "commit", dir, s.name, strconv.Itoa(workers), strconv.Itoa(n)).Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		same(t, "tree", s.newTree, snapshot(t, dir))
	case !errors.As(err, &exit) || exit.Exited() && exit.ExitCode() == failed:
		t.Fatalf("operation %d: %v", n, err)
	}
	s.check(t, dir)
	return err == nil
}

func TestKillAnytime(t *testing.T) {
	s := trials()[0].states(t)
	for i := range 20 {
		t.Run(strconv.Itoa(i), func(t *testing.T) { s.killLater(t) })
	}
}

// killLater kills a child that commits in a loop, after a random time.
func (s *states) killLater(t *testing.T) {
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
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() == failed {
		t.Fatalf("the child ended by itself: %v", err)
	}
	s.check(t, dir)
}
