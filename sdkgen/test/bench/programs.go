package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
)

// program is one that was built, and what is in it.
type program struct {
	name     string
	packages int // Go's own among them
	modules  int // linked, without its own
	size     int64
}

// programs looks into the programs of both sides.
func (p *place) programs(ctx context.Context) ([]program, error) {
	var all []program
	for _, pkg := range slices.Concat(sdkgenPrograms, classicPrograms) {
		one := program{name: programName(pkg)}
		cmd := exec.CommandContext(ctx, "go", "list", "-deps", pkg)
		cmd.Dir = filepath.Join(p.root, "sdkgen")
		listed, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("listing the packages of %s: %w", pkg, err)
		}
		one.packages = bytes.Count(listed, []byte("\n"))
		info, err := buildinfo.ReadFile(p.program(one.name))
		if err != nil {
			return nil, err
		}
		one.modules = len(info.Deps)
		file, err := os.Stat(p.program(one.name))
		if err != nil {
			return nil, err
		}
		one.size = file.Size()
		all = append(all, one)
	}
	return all, nil
}

// programName is what go build calls the program of a package.
func programName(pkg string) string {
	if pkg == "." {
		return "sdkgen"
	}
	return path.Base(pkg)
}

// programTable is what the programs hold and weigh.
func (r *result) programTable() string {
	var lines [][]string
	for _, p := range r.programs {
		lines = append(lines, []string{p.name, fmt.Sprint(p.modules), fmt.Sprint(p.packages), mebibytes(p.size)})
	}
	return markdown([]string{"program", "modules", "packages", "MiB"}, lines)
}
