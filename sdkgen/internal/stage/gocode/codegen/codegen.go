// Package codegen makes clients with the commands of a project's own version of k8s.io/code-generator: what they
// write compiles with client-go of that version. The commands are built in a scratch directory, from a module of
// their own, and write to another.
package codegen

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
)

// xTools is a version of golang.org/x/tools that today's Go compiles. Older commands require one that it does not.
const xTools = "v0.30.0"

// Module is the module of the commands; its versions are those of client-go.
const Module = "k8s.io/code-generator"

// Job says what to make.
type Job struct {
	config.Clients          // with all names
	Release        string   // version of the module
	Env            []string // of the go command, as os.Environ gives it
	From           string   // directory, absolute, in whose module the API packages are found
	Scratch        string   // absolute; directories are made in it
	Origin         string   // of the files

	APIs    []string // import paths of the packages
	Package string   // import path of Dir
	Header  string   // file with the header comment, absolute; "" for none
	Models  string   // file with the models, absolute
}

// Run builds the commands, runs them and returns their files.
func Run(ctx context.Context, job Job) (*artifact.Set, error) {
	for _, api := range job.APIs {
		if job.old() && path.Base(path.Dir(api)) == "api" {
			return nil,
				fmt.Errorf(
					"%s %s takes the directory api above %s for that of the core group: move the package, for example to "+
						"api/GROUP/%s, or require a newer client-go", Module, job.Release, api, path.Base(api))
		}
	}
	job.Scratch = filepath.Join(job.Scratch, "code-generator")
	commands := job.commands()
	if err := job.build(ctx, commands); err != nil {
		return nil, err
	}
	for _, c := range commands {
		if err := job.run(ctx, job.From, filepath.Join(job.Scratch, c.name), c.args...); err != nil {
			return nil, err
		}
	}
	return job.files()
}

// build compiles the commands.
func (j Job) build(ctx context.Context, commands []command) error {
	if err := os.MkdirAll(j.out(), 0o700); err != nil {
		return fmt.Errorf("making a scratch directory: %w", err)
	}
	goMod := fmt.Sprintf("module commands\n\ngo 1.22.0\n\nrequire (\n\t%s %s\n\tgolang.org/x/tools %s\n)\n", Module,
		j.Release, xTools)
	if err := os.WriteFile(filepath.Join(j.Scratch, "go.mod"), []byte(goMod), 0o600); err != nil {
		return fmt.Errorf("writing go.mod of the commands: %w", err)
	}
	args := []string{"build", "-mod=mod", "-o", j.Scratch + string(filepath.Separator)}
	for _, c := range commands {
		args = append(args, Module+"/cmd/"+c.name)
	}
	return j.run(ctx, j.Scratch, "go", args...)
}

// run runs a program. The error holds the last lines that it printed.
func (j Job) run(ctx context.Context, dir, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = slices.Concat(j.Env, []string{"CGO_ENABLED=0"})
	if dir == j.Scratch {
		cmd.Env = append(cmd.Env, "GOWORK=off", "GOFLAGS=")
	}
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return fmt.Errorf("running %s of %s %s: %w\n%s", filepath.Base(program), Module, j.Release, err,
			strings.Join(lines[max(0, len(lines)-20):], "\n"))
	}
	return nil
}

// out is the directory that the commands write to.
func (j Job) out() string { return filepath.Join(j.Scratch, "out") }

// files reads what the commands wrote.
func (j Job) files() (*artifact.Set, error) {
	set := &artifact.Set{}
	root := filepath.Join(j.out(), filepath.FromSlash(j.Package))
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return set.Put(artifact.File{Path: path.Join(j.Dir, filepath.ToSlash(rel)), Data: data, Origin: j.Origin})
	})
	if err != nil {
		return nil, fmt.Errorf("reading what %s wrote: %w", Module, err)
	}
	if set.Len() == 0 {
		return nil, errors.New(Module + " wrote nothing")
	}
	return set, nil
}

// old says whether the commands take --input-dirs, --output-base and --output-package, as those before 0.30.
func (j Job) old() bool { return semver.Compare(j.Release, "v0.30.0-0") < 0 }
