// Package planted has the tests of what `make` does with programs that somebody put where git does not look.
package planted

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// run runs a program in a directory and returns what it printed.
func run(t *testing.T, dir, program string, args ...string) (string, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, args...)
	command.Dir = dir
	out, err := command.CombinedOutput()
	return string(out), err
}

func must(t *testing.T, dir, program string, args ...string) {
	t.Helper()
	if said, err := run(t, dir, program, args...); err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, said)
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// root returns the checkout.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestPatched: a sdkgen that was patched, though it has the build ID that Go would give it, is replaced, and the
// next `make api` runs every stage.
func TestPatched(t *testing.T) {
	dir := t.TempDir()
	sdkgen, rebuilt := filepath.Join(dir, "sdkgen"), filepath.Join(dir, "rebuilt")
	build := func() { must(t, root(t), "make", "-s", "SDKGEN="+sdkgen, "REBUILT="+rebuilt, ".built") }
	build()
	whole := read(t, sdkgen)
	// Text of a command is changed, and nothing that Go reads: the build ID is in the first 4 KB.
	const text = "Generate SDKs"
	at := bytes.LastIndex(whole, []byte(text))
	if at < 4096 {
		t.Fatalf("the program does not have the text %q", text)
	}
	patched := bytes.Clone(whole)
	copy(patched[at:], "Degenerate SD")
	if err := os.WriteFile(sdkgen, patched, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(rebuilt); err != nil {
		t.Fatal(err)
	}
	build()
	if !bytes.Equal(read(t, sdkgen), whole) {
		t.Error("the patched program is still there")
	}
	if _, err := os.Stat(rebuilt); err != nil {
		t.Errorf("no stage will run again: %v", err)
	}
	// A program that is whole is not a new one.
	if err := os.Remove(rebuilt); err != nil {
		t.Fatal(err)
	}
	build()
	if _, err := os.Stat(rebuilt); err == nil {
		t.Error("the same program is taken for a new one")
	}
	if left, err := filepath.Glob(sdkgen + ".*"); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// checkout returns a repository with the Makefile alone.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "Makefile"), string(read(t, filepath.Join(root(t), "Makefile"))))
	put(t, filepath.Join(dir, ".gitignore"), string(read(t, filepath.Join(root(t), ".gitignore"))))
	must(t, dir, "git", "init", "-q")
	return dir
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestUnknown: bin/ comes first in PATH, so make runs nothing while a program is there that it does not build.
func TestUnknown(t *testing.T) {
	dir := checkout(t)
	for _, name := range []string{"cluster", "helm"} {
		put(t, filepath.Join(dir, "bin", name), "")
	}
	must(t, dir, "make", "help")
	put(t, filepath.Join(dir, "bin", "git"), "#!/bin/sh\necho planted >&2\n")
	said, err := run(t, dir, "make", "help")
	if err == nil || !strings.Contains(said, "not built by this Makefile: bin/git: remove it") || strings.Contains(said, "planted") {
		t.Errorf("%v\n%s", err, said)
	}
}

// TestTracked: what git ignores can be committed by force.
func TestTracked(t *testing.T) {
	for _, name := range []string{"bin/helm", ".tools/bin/sdkgen", ".tools/ruff/bin/ruff", "examples/operators/sample/.tools/venv/bin/pip"} {
		dir := checkout(t)
		put(t, filepath.Join(dir, name), "")
		must(t, dir, "make", "help")
		must(t, dir, "git", "add", "--force", name)
		if said, err := run(t, dir, "make", "help"); err == nil || !strings.Contains(said, "committed, but made by make: "+name) {
			t.Errorf("%s: %v\n%s", name, err, said)
		}
	}
}

// TestRebuilt: other programs are replaced too.
func TestRebuilt(t *testing.T) {
	dir := checkout(t)
	put(t, filepath.Join(dir, "test", "cluster", "go.mod"), "module example.org/cluster\n\ngo 1.26.0\n")
	put(t, filepath.Join(dir, "test", "cluster", "main.go"), "package main\n\nfunc main() { println(\"from source\") }\n")
	cluster := filepath.Join(dir, "bin", "cluster")
	put(t, cluster, "#!/bin/sh\necho planted\n")
	must(t, dir, "make", "-s", "bin/cluster")
	if said, err := run(t, dir, cluster); err != nil || said != "from source\n" {
		t.Errorf("bin/cluster says %q, %v", said, err)
	}
	whole := read(t, cluster)
	put(t, cluster, strings.Replace(string(whole), "from source", "from planted"[:11], 1))
	must(t, dir, "make", "-s", "bin/cluster")
	if !bytes.Equal(read(t, cluster), whole) {
		t.Error("the patched bin/cluster is still there")
	}
}
