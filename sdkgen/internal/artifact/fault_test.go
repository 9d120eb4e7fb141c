package artifact

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

var errBoom = errors.New("boom")

// TestFailAnywhere fails each operation of a commit in turn: the error names a
// path of the plan, the tree is as it was if nothing was replaced or deleted,
// and the next run repairs it in any case.
func TestFailAnywhere(t *testing.T) {
	for _, tr := range trials() {
		t.Run(tr.name, func(t *testing.T) {
			t.Parallel()
			s := tr.states(t)
			for n, done := 1, false; !done && !t.Failed(); n++ {
				t.Run(strconv.Itoa(n), func(t *testing.T) { done = s.fail(t, n) })
			}
		})
	}
}

// fail fails operation n, and tells if the commit had come to its end before.
func (s *states) fail(t *testing.T, n int) bool {
	dir := s.copy(t, s.start)
	root := openRoot(t, dir)
	plan, err := planFor(root, s.newSet)
	if err != nil {
		t.Fatal(err)
	}
	count, touched, what := 0, false, ""
	err = (&commit{plan: plan, workers: 1, disk: disk{root: root, fault: func(op, p string) error {
		if count++; count == n {
			what = op + " " + p
			return errBoom
		}
		replaces := op == "rename" && p != LockName || op == "remove" && s.listed(p)
		touched = touched || what == "" && replaces
		return nil
	}}}).run(t.Context())
	done := count < n
	if done != (err == nil) || !done && (!errors.Is(err, errBoom) || !s.names(err)) {
		t.Errorf("failing %s: %v", what, err)
	}
	if !done && !touched {
		same(t, "tree after failing "+what, s.oldTree, snapshot(t, dir))
	}
	s.check(t, dir)
	return done
}

func (s *states) listed(p string) bool {
	_, ok := s.oldSet.Lookup(p)
	return ok
}

// names tells if an error says which of the plan's files or directories it is about.
func (s *states) names(err error) bool {
	if strings.Contains(err.Error(), fmt.Sprintf("%q", LockName)) || strings.Contains(err.Error(), `directory "`) {
		return true
	}
	for _, p := range append(paths(s.oldTree), paths(s.newTree)...) {
		if strings.Contains(err.Error(), fmt.Sprintf("%q", p)) {
			return true
		}
		for up := range parents(p) {
			if strings.Contains(err.Error(), fmt.Sprintf("%q", up)) {
				return true
			}
		}
	}
	return false
}

// TestCancel cancels before each operation in turn, in plans that have nothing
// to delete early: the tree is all old or all new.
func TestCancel(t *testing.T) {
	for _, tr := range trials()[1:3] {
		s := tr.states(t)
		for n, late := 0, false; !late && !t.Failed(); n++ {
			t.Run(tr.name+strconv.Itoa(n), func(t *testing.T) { late = s.cancel(t, n) })
		}
	}
}

// cancel cancels after n operations, and tells if there were no more.
func (s *states) cancel(t *testing.T, n int) bool {
	dir := s.copy(t, s.start)
	root := openRoot(t, dir)
	plan, err := planFor(root, s.newSet)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	count := 0
	err = (&commit{plan: plan, workers: 1, disk: disk{root: root, fault: func(string, string) error {
		if count++; count > n {
			cancel()
		}
		return nil
	}}}).run(ctx)
	want := s.newTree
	if err != nil {
		want = s.oldTree
		if !errors.Is(err, context.Canceled) || !s.names(err) {
			t.Error(err)
		}
	}
	same(t, fmt.Sprintf("tree, cancelled before operation %d: %v", n+1, err), want, snapshot(t, dir))
	return ctx.Err() == nil
}

func TestStalePlan(t *testing.T) {
	set := setOf(t, map[string]files{"py": {"a/b": "1", "c": "2"}})
	for _, tt := range []struct {
		name, want string
		spoil      func(t *testing.T, dir string)
	}{
		{"lock", `sdkgen.lock: the file has changed since sdkgen read it`,
			func(t *testing.T, dir string) { write(t, dir, LockName, lockHeader) }},
		{"file", `c: a regular file was created`, func(t *testing.T, dir string) { write(t, dir, "c", "mine") }},
		{"parent", `a: a regular file is where the directory of "a/b" must go`,
			func(t *testing.T, dir string) { write(t, dir, "a", "mine") }},
		{"directory", `c: a directory was created`, func(t *testing.T, dir string) { write(t, dir, "c/x", "mine") }},
		{"link", `a: a symbolic link is where the directory of "a/b" must go`, func(t *testing.T, dir string) {
			if err := os.Symlink(t.TempDir(), dir+"/a"); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			root := openRoot(t, dir)
			plan, err := planFor(root, set)
			if err != nil {
				t.Fatal(err)
			}
			tt.spoil(t, dir)
			before := snapshot(t, dir)
			if err := Commit(t.Context(), root, plan); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Commit: %v, want %s", err, tt.want)
			}
			same(t, "tree", before, snapshot(t, dir))
		})
	}
}
