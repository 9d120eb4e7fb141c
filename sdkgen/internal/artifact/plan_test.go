package artifact

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

var update = flag.Bool("update", false, "rewrite the expected parts of testdata/plan")

// scenario is one file of testdata/plan. Its files are
//
//	wrote/STAGE/PATH  what the last run made
//	disk/PATH         what the user wrote since
//	set/STAGE/PATH    what this run made
//	diff, blocked     what the plan must say
//	tree              what Commit must leave, without the lock
//
// and its comment has lines of text and the commands below; a path that ends
// in * is executable.
type scenario struct {
	dir        string
	wrote, set map[string]files
	disk       files
	opts       Options
	stages     []string
}

func TestPlan(t *testing.T) {
	cases, err := filepath.Glob("testdata/plan/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases", err)
	}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := runScenario(t, archive)
			if *update {
				if err := os.WriteFile(name, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			same(t, name, string(txtar.Format(archive)), string(txtar.Format(got)))
		})
	}
}

// runScenario returns the archive with its expected parts as they are.
func runScenario(t *testing.T, a *txtar.Archive) *txtar.Archive {
	s := scenario{dir: t.TempDir(), wrote: map[string]files{}, set: map[string]files{}, disk: files{}}
	out := &txtar.Archive{Comment: a.Comment}
	for _, f := range a.Files {
		if s.file(f.Name, string(f.Data)) {
			out.Files = append(out.Files, f)
		}
	}
	root := openRoot(t, s.dir)
	mustGenerate(t, root, setOf(t, s.wrote))
	s.commands(t, string(a.Comment))
	for p, data := range s.disk {
		write(t, s.dir, p, data)
	}
	before := snapshot(t, s.dir)
	old, err := ReadLock(root, "sdkgen.yaml")
	if err != nil {
		t.Fatal(err)
	}
	set := setOf(t, s.set)
	plan, err := NewPlan(root, old, set, keysOf(set, s.stages...), s.opts)
	same(t, "tree after planning", before, snapshot(t, s.dir))
	if list, ok := errors.AsType[diag.List](err); ok {
		return expect(out, "blocked", list.Error()+"\n")
	}
	if err != nil {
		t.Fatal(err)
	}
	var diff bytes.Buffer
	if err := Unified(&diff, plan.changes); err != nil {
		t.Fatal(err)
	}
	expect(out, "diff", diff.String())
	if err := Commit(t.Context(), root, plan); err != nil {
		t.Fatal(err)
	}
	s.check(t, root, plan)
	tree := slices.DeleteFunc(snapshot(t, s.dir), func(l string) bool { return strings.HasPrefix(l, LockName) })
	return expect(out, "tree", strings.Join(tree, "\n")+"\n")
}

func expect(a *txtar.Archive, name, data string) *txtar.Archive {
	a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(data)})
	return a
}

// file sorts in one file of the archive and tells if it is input.
func (s *scenario) file(name, data string) bool {
	dir, rest, _ := strings.Cut(name, "/")
	stage, p, _ := strings.Cut(rest, "/")
	switch dir {
	case "wrote", "set":
		m := map[string]map[string]files{"wrote": s.wrote, "set": s.set}[dir]
		if m[stage] == nil {
			m[stage] = files{}
		}
		m[stage][p] = data
	case "disk":
		s.disk[rest] = data
	default:
		return false
	}
	return true
}

func (s *scenario) commands(t *testing.T, comment string) {
	for line := range strings.Lines(comment) {
		word := strings.Fields(line)
		if len(word) == 0 {
			continue
		}
		at := func(i int) string { return filepath.Join(s.dir, filepath.FromSlash(word[i])) }
		var err error
		switch word[0] {
		case "adopt":
			s.opts.Adopt = true
		case "only":
			s.opts.Partial, s.stages = true, word[1:]
		case "rm":
			err = os.RemoveAll(at(1))
		case "mkdir":
			err = os.MkdirAll(at(1), 0o755)
		case "chmod":
			err = os.Chmod(at(1), 0o755)
		case "ln": // ln TARGET NAME
			err = os.Symlink(word[1], at(2))
		case "link": // link FILE NAME
			err = os.Link(at(1), at(2))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// check holds the tree and the lock against the plan, and shows that a second
// run finds nothing to do.
func (s *scenario) check(t *testing.T, root *os.Root, plan *Plan) {
	t.Helper()
	lock, err := ReadLock(root, "sdkgen.yaml")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "lock", string(plan.final.Encode()), string(lock.Encode()))
	drift, err := lock.Drift(root, s.stages...)
	if err != nil || len(drift) > 0 {
		t.Errorf("Drift: %v, %v", drift, err)
	}
	set := setOf(t, s.set)
	again, err := NewPlan(root, lock, set, keysOf(set, s.stages...), s.opts)
	if err != nil || len(again.Changes()) > 0 {
		t.Errorf("a second run: %v, %v", again, err)
	}
}

func TestSecondRunTouchesNothing(t *testing.T) {
	dir := t.TempDir()
	root := openRoot(t, dir)
	set := setOf(t, map[string]files{"py": {"a/x": "1", "a/run*": "2"}, "go": {"b": "3"}})
	mustGenerate(t, root, set)
	old := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	names := []string{"a/x", "a/run", "b", LockName, "a", "."}
	for _, p := range names {
		if err := os.Chtimes(filepath.Join(dir, p), old, old); err != nil {
			t.Fatal(err)
		}
	}
	mustGenerate(t, root, set)
	for _, p := range names {
		if info, err := os.Stat(filepath.Join(dir, p)); err != nil || !info.ModTime().Equal(old) {
			t.Errorf("%s was touched: %v %v", p, info.ModTime(), err)
		}
	}
	mustGenerate(t, root, setOf(t, map[string]files{"py": {"a/x": "new", "a/run*": "2"}, "go": {"b": "3"}}))
	for _, p := range []string{"a/run", "b"} {
		if info, err := os.Stat(filepath.Join(dir, p)); err != nil || !info.ModTime().Equal(old) {
			t.Errorf("%s was touched: %v %v", p, info.ModTime(), err)
		}
	}
}

func TestTwentyRuns(t *testing.T) {
	stages := map[string]files{"py": {}, "go": {}}
	for _, p := range strings.Fields("a b c d/e d/f d.x d/g/h run*") {
		stages["py"]["py/"+p], stages["go"]["go/"+p] = "py "+p, "go "+p
	}
	var tree, diff string
	for i := range 20 {
		var list []File
		for f := range setOf(t, stages).All() {
			list = append(list, f)
		}
		rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		var set Set
		for _, f := range list {
			if err := set.Put(f); err != nil {
				t.Fatal(err)
			}
		}
		dir := t.TempDir()
		root := openRoot(t, dir)
		plan, err := planFor(root, &set)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := errors.Join(Unified(&b, plan.Changes()), Commit(t.Context(), root, plan)); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(snapshot(t, dir), "\n")
		if i == 0 {
			tree, diff = got, b.String()
		}
		if got != tree || b.String() != diff {
			t.Fatalf("run %d differs", i)
		}
	}
}

func TestModesAreExact(t *testing.T) {
	dir := t.TempDir()
	mustGenerate(t, openRoot(t, dir), setOf(t, map[string]files{"a": {"x": "", "y*": ""}}))
	for p, want := range map[string]fs.FileMode{"x": 0o644, "y": 0o755, LockName: 0o644} {
		info, err := os.Stat(filepath.Join(dir, p))
		if err != nil || modeOf(info, want) != want || info.Mode().Perm() != want && os.PathSeparator == '/' {
			t.Errorf("%s: %v %v", p, info.Mode(), err)
		}
	}
}
