package testkit

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Ruff checks that `ruff check` and `ruff format`, as the pyproject.toml in the directory of a Python SDK configures
// them, have nothing to change in it, nor the latter in the examples of its pages.
func Ruff(t *testing.T, dir string) {
	t.Helper()
	ruff(t, dir, "check", "--output-format", "concise")
	RuffFormat(t, dir)
}

// RuffFormat checks the format only.
func RuffFormat(t *testing.T, dir string) {
	t.Helper()
	ruff(t, dir, "format", "--check", "--diff")
}

func ruff(t *testing.T, dir string, args ...string) {
	t.Helper()
	program, err := filepath.Abs(filepath.Join(Repository, ".tools", "ruff", "bin", "ruff"))
	if err == nil {
		_, err = os.Stat(program)
	}
	if err != nil {
		Missing(t, fmt.Sprintf("ruff is missing: make test installs it (%v)", err))
	}
	cmd := exec.CommandContext(t.Context(), program, append(args, "--no-cache", ".")...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("ruff %s: %v\n%s", args[0], err, out)
	}
}
