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
	if err := errors.Join(copyTree(t.Context(), root, dest),
		copyTools(filepath.Join(root, ".tools"), filepath.Join(dest, ".tools"))); err != nil {
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

func TestCopyToolsWithoutJar(t *testing.T) {
	err := copyTools(t.TempDir(), filepath.Join(t.TempDir(), "copy"))
	if err == nil || !strings.Contains(err.Error(), "run `make tools`") {
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
	for args, want := range map[string]int{"-h": exitOK, "-n 0": exitBroken, "extra": exitBroken, "-unknown": exitBroken} {
		var out bytes.Buffer
		if got := run(context.Background(), strings.Fields(args), &out, io.Discard); got != want || out.Len() > 0 {
			t.Errorf("bench %s: exit %d with %q on stdout, want %d and nothing", args, got, &out, want)
		}
	}
}
