package artifact

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func openRoot(t testing.TB, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := root.Close(); err != nil {
			t.Error(err)
		}
	})
	return root
}

// files is a set in one stage: path -> content; a path ending in * is executable.
type files map[string]string

// setOf makes a set of stage -> files.
func setOf(t testing.TB, stages map[string]files) *Set {
	t.Helper()
	set, err := makeSet(stages)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func makeSet(stages map[string]files) (*Set, error) {
	set := &Set{}
	for stage, fs := range stages {
		for p, data := range fs {
			p, exec := strings.CutSuffix(p, "*")
			f := File{Path: p, Data: []byte(data), Origin: stage}
			if exec {
				f.Mode = 0o755
			}
			if err := set.Put(f); err != nil {
				return nil, err
			}
		}
	}
	return set, nil
}

// keysOf gives every stage of set a key that depends on what it made.
func keysOf(set *Set, more ...string) map[string]string {
	text := map[string]string{}
	for _, stage := range more {
		text[stage] = ""
	}
	for f := range set.All() {
		text[f.Origin] += fmt.Sprintf("%s %v %q\n", f.Path, f.Mode, f.Data)
	}
	keys := map[string]string{}
	for stage, t := range text {
		keys[stage] = Sum([]byte(t))
	}
	return keys
}

// generate is what the pipeline does with a finished set.
func generate(root *os.Root, set *Set) error {
	plan, err := planFor(root, set)
	if err != nil {
		return err
	}
	return Commit(context.Background(), root, plan)
}

func planFor(root *os.Root, set *Set) (*Plan, error) {
	old, err := ReadLock(root, "sdkgen.yaml")
	if err != nil {
		return nil, err
	}
	return NewPlan(root, old, set, keysOf(set), Options{})
}

func mustGenerate(t testing.TB, root *os.Root, set *Set) {
	t.Helper()
	if err := generate(root, set); err != nil {
		t.Fatal(err)
	}
}

// snapshot lists what is below dir, one line a file, link or empty directory:
// the path, * if it is executable, and the content.
func snapshot(t testing.TB, dir string) []string {
	t.Helper()
	lines := []string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == dir {
			return err
		}
		line, err := snapshotLine(p, d)
		rel, _ := filepath.Rel(dir, p)
		if line != "" {
			lines = append(lines, filepath.ToSlash(rel)+line)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return lines
}

func snapshotLine(p string, d fs.DirEntry) (string, error) {
	info, err := d.Info()
	switch {
	case err != nil:
		return "", err
	case d.IsDir():
		in, err := os.ReadDir(p)
		if err != nil || len(in) > 0 {
			return "", err
		}
		return "/", nil
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(p)
		return " -> " + to, err
	}
	data, err := os.ReadFile(p)
	mode := ""
	if info.Mode()&0o111 != 0 {
		mode = "*"
	}
	return fmt.Sprintf("%s %q", mode, data), err
}

func write(t testing.TB, dir, p, data string) {
	t.Helper()
	name := filepath.Join(dir, filepath.FromSlash(p))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func same(t testing.TB, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}
