package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
)

// buildTable has a row for each program: what it pulls in, how large it is and how long it builds.
func buildTable(examples string, cold bool) (string, error) {
	var b strings.Builder
	b.WriteString(
		"| program | modules in its graph | modules linked | packages linked | of them Go's own | binary, MiB | build " +
			"without cache, CPU s |\n|---|---:|---:|---:|---:|---:|---:|\n")
	for _, side := range sides {
		row, err := buildRow(examples, side, cold)
		if err != nil {
			return "", fmt.Errorf("measuring %s: %w", side, err)
		}
		b.WriteString(row)
	}
	return b.String(), nil
}

func buildRow(examples, side string, cold bool) (string, error) {
	dir, err := os.MkdirTemp("", "goclients-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is a temporary directory
	if err := alone(dir, examples, side); err != nil {
		return "", err
	}
	graph, err := command(dir, nil, "list", "-m", "all")
	if err != nil {
		return "", err
	}
	packages, err := command(dir, nil, "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{else}}std{{end}}", ".")
	if err != nil {
		return "", err
	}
	modules := strings.Fields(packages.out)
	count := len(modules)
	own := count - len(slices.DeleteFunc(slices.Clone(modules), func(m string) bool { return m == "std" }))
	slices.Sort(modules)
	linked := len(slices.Compact(modules)) - 2 // std and the program's own
	env, spent := []string(nil), "-"
	if cold {
		env = []string{"GOCACHE=" + filepath.Join(dir, ".cache")}
	}
	built, err := command(dir, env, "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(dir, "program"), ".")
	if err != nil {
		return "", err
	}
	if cold {
		spent = fmt.Sprintf("%.0f", built.cpu.Seconds())
	}
	info, err := os.Stat(filepath.Join(dir, "program"))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("| `%s` | %d | %d | %d | %d | %.1f | %s |\n", side,
		len(strings.Split(strings.TrimSpace(graph.out), "\n"))-1,
		linked, count, own, float64(info.Size())/(1<<20), spent), nil
}

// alone makes a module that has one of the programs only.
func alone(dir, examples, side string) error {
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(examples, side))); err != nil {
		return err
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(examples, name))
		if err != nil {
			return err
		}
		if name == "go.mod" {
			if data, err = absolute(data, examples); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	_, err := command(dir, nil, "mod", "tidy")
	return err
}

// absolute makes the directories of a go.mod's replace directives absolute.
func absolute(data []byte, base string) ([]byte, error) {
	file, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		return nil, err
	}
	for _, r := range file.Replace {
		target, err := filepath.Abs(filepath.Join(base, r.New.Path))
		if err != nil {
			return nil, err
		}
		if err := file.AddReplace(r.Old.Path, r.Old.Version, target, ""); err != nil {
			return nil, err
		}
	}
	return file.Format()
}

type result struct {
	out string
	cpu time.Duration
}

// command runs the go command in dir.
func command(dir string, env []string, args ...string) (result, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off"), env...)
	var text strings.Builder
	cmd.Stderr = &text
	out, err := cmd.Output()
	if err != nil {
		return result{}, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, text.String())
	}
	return result{string(out), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, nil
}
