package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMedian(t *testing.T) {
	at := func(ms int) sample {
		return sample{Wall: time.Duration(ms) * time.Millisecond, CPU: time.Duration(2*ms) * time.Millisecond, Peak: int64(ms)}
	}
	for _, c := range []struct {
		in   []sample
		want sample
	}{
		{nil, sample{}},
		{[]sample{at(7)}, at(7)},
		{[]sample{at(9), at(1), at(4)}, at(4)},
		{[]sample{at(8), at(2), at(4), at(100)}, at(6)},
	} {
		if diff := cmp.Diff(c.want, median(c.in)); diff != "" {
			t.Errorf("median of %v (-want +got):\n%s", c.in, diff)
		}
	}
}

func TestThen(t *testing.T) {
	got := sample{Wall: 1, CPU: 2, Peak: 30}.then(sample{Wall: 10, CPU: 20, Peak: 3})
	if want := (sample{Wall: 11, CPU: 22, Peak: 30}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestPrint(t *testing.T) {
	second := func(s float64, mib int64) []sample {
		return []sample{{Wall: time.Duration(s * 1e9), CPU: time.Duration(2 * s * 1e9), Peak: mib << 20}}
	}
	r := &result{
		machine: "here", everything: second(1, 100), classic: second(4, 400), unchanged: second(0.1, 10),
		names: []string{"one", "two"}, steps: map[string][]sample{"one": second(3, 400), "two": second(1, 5)},
	}
	const want = `here; medians of n=1

                              wall s    cpu s  peak MiB
A sdkgen generate              1.000    2.000       100
B classic recipe               4.000    8.000       400
    one                        3.000    6.000       400
    two                        1.000    2.000         5
C sdkgen, nothing changed      0.100    0.200        10
A/B                            0.250    0.250     0.250
C/A                            0.100    0.100     0.100
`
	var got bytes.Buffer
	if err := r.print(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCopyTree(t *testing.T) {
	root, dest := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	for name, text := range map[string]string{
		".gitignore": "/.tools/\n/bin/\n", "go.mod": "module x\n", "api/v1/untracked.go": "package v1\n", "gone.txt": "",
		"bin/ignored": "", ".tools/generator.jar": "jar", ".tools/java/bin/java": "java", ".tools/python/ignored": "",
	} {
		name = filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "go.mod", "gone.txt"}} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	for name, change := range map[string]func(string) error{
		"gone.txt": os.Remove, ".tools/java/bin/java": func(name string) error { return os.Chmod(name, 0o755) },
	} {
		if err := change(filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := copyTree(t.Context(), root, dest); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := filepath.WalkDir(dest, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			name, _ := filepath.Rel(dest, path)
			got = append(got, filepath.ToSlash(name))
		}
		return err
	})
	want := []string{".gitignore", ".tools/generator.jar", ".tools/java/bin/java", "api/v1/untracked.go", "go.mod"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, files (-want +got):\n%s", err, diff)
	}
	if info, err := os.Stat(filepath.Join(dest, ".tools/java/bin/java")); err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("java is not executable: %v, %v", info, err)
	}
}

func TestCopyTreeWithoutTools(t *testing.T) {
	root := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "git", "init", "-q", root)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	err := copyTree(t.Context(), root, filepath.Join(t.TempDir(), "copy"))
	if err == nil || !strings.Contains(err.Error(), "run python3 hack/tools.py") {
		t.Errorf("got %v", err)
	}
}

// TestStep runs this test's own binary: it stands in for a program.
func TestStep(t *testing.T) {
	if os.Getenv("BENCH_STEP") != "" {
		if _, err := io.WriteString(os.Stdout, "data"); err != nil || os.Getenv("BENCH_STEP") == "bad" {
			os.Exit(3)
		}
		os.Exit(0)
	}
	t.Setenv("BENCH_STEP", "good")
	out := filepath.Join(t.TempDir(), "out")
	argv := []string{os.Args[0], "-test.run=^TestStep$"}
	got, err := step{name: "ours", argv: argv, stdout: out}.run(t.Context())
	if err != nil || got.Wall <= 0 || got.CPU <= 0 || got.Wall > time.Minute {
		t.Errorf("got %+v, %v", got, err)
	}
	if data, err := os.ReadFile(out); err != nil || string(data) != "data" {
		t.Errorf("got %q, %v", data, err)
	}
	t.Setenv("BENCH_STEP", "bad")
	_, err = step{name: "ours", argv: argv}.run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "data") {
		t.Errorf("the error does not say what happened: %v", err)
	}
}

func TestFlags(t *testing.T) {
	none := func(string) string { return "" }
	for args, want := range map[string]int{"-h": exitOK, "-n 0": exitBroken, "extra": exitBroken, "-unknown": exitBroken} {
		var out bytes.Buffer
		if got := run(context.Background(), strings.Fields(args), &out, io.Discard, none); got != want || out.Len() > 0 {
			t.Errorf("bench %s: exit %d with %q on stdout, want %d and nothing", args, got, &out, want)
		}
	}
}
