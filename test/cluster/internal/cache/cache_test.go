package cache_test

import (
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flux-framework/flux-operator/test/cluster/internal/cache"
)

const source = `package main

import "os"

func main() { os.Stdout.WriteString("one") }
`

// newProgram is a program with a link, in a module of its own.
func newProgram(t *testing.T) cache.Program {
	t.Helper()
	program := cache.Program{Source: t.TempDir(), Name: "program", Links: []string{"link"}}
	write(t, program, "go.mod", "module example.org/program\n\ngo 1.26\n")
	write(t, program, "main.go", source)
	return program
}

func write(t *testing.T, program cache.Program, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(program.Source, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func build(t *testing.T, home string, program cache.Program) string {
	t.Helper()
	bin, err := cache.Build(t.Context(), home, program, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// built is when the program was written.
func built(t *testing.T, bin string) time.Time {
	t.Helper()
	info, err := os.Stat(filepath.Join(bin, "program"))
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}

func TestSecondBuildFindsTheFirst(t *testing.T) {
	home, program := t.TempDir(), newProgram(t)
	first := build(t, home, program)
	output, err := exec.Command(filepath.Join(first, "link")).Output()
	if err != nil || string(output) != "one" {
		t.Errorf("the program by its other name: %q, %v", output, err)
	}
	before := built(t, first)
	write(t, program, "main_test.go", "package main\n")
	write(t, program, "README.md", "Text.\n")
	if second := build(t, home, program); second != first || !built(t, second).Equal(before) {
		t.Errorf("it was built again, in %s after %s", second, first)
	}
}

func TestEveryInputCounts(t *testing.T) {
	home, program := t.TempDir(), newProgram(t)
	directories := map[string]string{build(t, home, program): "nothing"}
	for _, change := range []struct {
		what string
		do   func()
	}{
		{"a source", func() { write(t, program, "main.go", strings.Replace(source, "one", "two", 1)) }},
		{"an embedded file", func() { write(t, program, "data.yaml", "a: 1\n") }},
		{"go.mod", func() { write(t, program, "go.mod", "module example.org/program\n\ngo 1.26.0\n") }},
		{"go.sum", func() { write(t, program, "go.sum", "") }},
		{"a flag", func() { program.Flags = []string{"-trimpath"} }},
		{"a link", func() { program.Links = []string{"link", "other"} }},
	} {
		change.do()
		bin := build(t, home, program)
		if earlier, found := directories[bin]; found {
			t.Errorf("after a change of %s it is the program from after a change of %s", change.what, earlier)
		}
		directories[bin] = change.what
	}
}

func TestOneBuildsTheOthersWait(t *testing.T) {
	home, program := t.TempDir(), newProgram(t)
	var messages strings.Builder
	var mutex sync.Mutex
	log := slog.New(slog.NewTextHandler(writer(func(p []byte) (int, error) {
		mutex.Lock()
		defer mutex.Unlock()
		return messages.Write(p)
	}), nil))
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if _, err := cache.Build(t.Context(), home, program, log); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if got := strings.Count(messages.String(), "msg=building"); got != 1 {
		t.Errorf("it was built %d times:\n%s", got, messages.String())
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

func TestFailedBuildLeavesNothing(t *testing.T) {
	home, program := t.TempDir(), newProgram(t)
	write(t, program, "main.go", "package main\n\nfunc main() { undefined() }\n")
	_, err := cache.Build(t.Context(), home, program, slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "main.go:3:15: undefined: undefined") {
		t.Errorf("got %v, want the compiler's message", err)
	}
	write(t, program, "main.go", source)
	build(t, home, program)
}

func TestRestOfAKilledBuildIsReplaced(t *testing.T) {
	home, program := t.TempDir(), newProgram(t)
	bin := build(t, home, program)
	directory := filepath.Dir(bin)
	if err := os.Rename(directory, directory+".new"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(directory+".new", "bin", "half"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	build(t, home, program)
	if _, err := os.Stat(filepath.Join(bin, "half")); err == nil {
		t.Error("a file of the killed build is there")
	}
}

func TestProgramsThatNobodyUsesGo(t *testing.T) {
	home, program := t.TempDir(), newProgram(t)
	old := build(t, home, program)
	long := time.Now().Add(-31 * 24 * time.Hour)
	if err := os.Chtimes(filepath.Dir(old), long, long); err != nil {
		t.Fatal(err)
	}
	write(t, program, "main.go", strings.Replace(source, "one", "two", 1))
	recent := build(t, home, program)
	if _, err := os.Stat(old); err == nil {
		t.Error("the old program is there")
	}
	if _, err := os.Stat(recent); err != nil {
		t.Error(err)
	}
}
