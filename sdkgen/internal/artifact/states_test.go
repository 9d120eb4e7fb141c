package artifact

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

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
			"added": "added", "name/is/directory": "f", "dir": "now a file", "go/moved": "moved",
		}, "go": {"go/same": "same", "go/big": strings.Repeat("0123456789abcdef", 5000), "Old/Name": "2"},
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

// states holds what a killed run may and must leave.
type states struct {
	trial
	oldSet, newSet   *Set
	oldTree, newTree []string
	start            string // a directory in the old state
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

// copy lasts as long as t. It lies in memory where that is to be had: a killed
// process, unlike a power cut, shows nothing that needs a disk.
func (s *states) copy(t *testing.T, from string) string {
	memory := "/dev/shm"
	if info, err := os.Stat(memory); err != nil || !info.IsDir() {
		memory = ""
	}
	dir, err := os.MkdirTemp(memory, "sdkgen-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	to := filepath.Join(dir, "copy")
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
	lock, err := ReadLock(openRoot(t, dir), "sdkgen.yaml")
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
			if err != nil {
				t.Error(err)
			}
			if !clean || !lock.Sealed(stage, keys[stage]) {
				continue
			}
			same(t, "clean stage "+stage, keys[stage], keysOf(got, stage)[stage])
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
