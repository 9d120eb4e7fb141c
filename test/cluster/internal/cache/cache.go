// Package cache builds programs once and stores them outside of the repository, under a key over all their inputs.
package cache

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"
)

// unused is the time after which an unused program is removed.
const unused = 30 * 24 * time.Hour

// Program is a main package of a local module, or programs of published modules.
type Program struct {
	Source string   // the directory of the module
	Main   string   // the package, such as ./node; default: the one in Source
	Name   string   // what the file is called
	Flags  []string // for go build
	Links  []string // other names it can be called by
	// Packages are main packages with versions, such as example.org/a/cmd/a@v1.0.0, that `go install` builds under their
	// own names.
	Packages []string
}

// Find returns the directory of the program and its links, and whether it exists.
func Find(ctx context.Context, home string, program Program) (string, bool, error) {
	key, err := program.key(ctx)
	if err != nil {
		return "", false, fmt.Errorf("looking at the sources of %s: %w", program.Name, err)
	}
	directory := filepath.Join(home, program.Name+"-"+key)
	return filepath.Join(directory, "bin"), used(directory), nil
}

// Build builds the program unless Find finds it. Concurrent callers wait for one build.
func Build(ctx context.Context, home string, program Program, log *slog.Logger) (string, error) {
	bin, found, err := Find(ctx, home, program)
	if err != nil || found {
		return bin, err
	}
	directory := filepath.Dir(bin)
	if err := os.MkdirAll(home, 0o700); err != nil {
		return "", err
	}
	lock := flock.New(directory + ".lock")
	if err := acquire(ctx, lock, log.With("program", program.Name)); err != nil {
		return "", fmt.Errorf("waiting for another build of %s: %w", program.Name, err)
	}
	defer lock.Unlock() //nolint:errcheck // it ends with the process
	if used(directory) {
		return bin, nil
	}
	if err := program.build(ctx, directory, log); err != nil {
		return "", fmt.Errorf("building %s: %w", program.Name, err)
	}
	prune(home, program.Name, log)
	return bin, nil
}

// used reports whether the directory exists, and updates its time of last use.
func used(directory string) bool {
	now := time.Now()
	return os.Chtimes(directory, now, now) == nil
}

func acquire(ctx context.Context, lock *flock.Flock, log *slog.Logger) error {
	held, err := lock.TryLock()
	if err != nil || held {
		return err
	}
	log.Info("another process builds it; waiting")
	_, err = lock.TryLockContext(ctx, 200*time.Millisecond)
	return err
}

// build builds in a directory beside the final one and renames it. It removes what a killed build left; the caller
// holds the lock.
func (p Program) build(ctx context.Context, directory string, log *slog.Logger) error {
	unfinished := directory + ".new"
	if err := os.RemoveAll(unfinished); err != nil {
		return err
	}
	bin := filepath.Join(unfinished, "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		return err
	}
	begin := time.Now()
	log.Info("building", "program", p.Name)
	if err := p.compile(ctx, filepath.Join(bin, p.Name), log); err != nil {
		return err
	}
	for _, link := range p.Links {
		if err := os.Symlink(p.Name, filepath.Join(bin, link)); err != nil {
			return err
		}
	}
	log.Info("built", "program", p.Name, "took", time.Since(begin).Round(time.Second))
	return os.Rename(unfinished, directory)
}

func (p Program) compile(ctx context.Context, output string, log *slog.Logger) error {
	if len(p.Packages) == 0 {
		return p.run(ctx, log, nil, append(append([]string{"build", "-o", output}, p.Flags...), cmp.Or(p.Main, "."))...)
	}
	bin := []string{"GOBIN=" + filepath.Dir(output)}
	for _, name := range p.Packages {
		if err := p.run(ctx, log, bin, append(append([]string{"install"}, p.Flags...), name)...); err != nil {
			return err
		}
	}
	return nil
}

// run runs the go command, and logs that it is still running.
func (p Program) run(ctx context.Context, log *slog.Logger, env []string, args ...string) error {
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = p.Source
	command.Env = append(environment(), env...)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 10 * time.Second
	var messages bytes.Buffer
	command.Stdout, command.Stderr = &messages, &messages
	if err := command.Start(); err != nil {
		return err
	}
	done := make(chan struct{})
	defer close(done)
	go remind(done, p.Name, log)
	if err := command.Wait(); err != nil {
		return fmt.Errorf("%s: %w\n%s", command, err, bytes.TrimSpace(messages.Bytes()))
	}
	return nil
}

// remind logs that a long build is still running.
func remind(done <-chan struct{}, name string, log *slog.Logger) {
	begin := time.Now()
	ticker := time.NewTicker(time.Minute)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case now := <-ticker.C:
			log.Info("still building", "program", name, "since", now.Sub(begin).Round(time.Second))
		}
	}
}

// environment makes go build for this machine, from the program's module alone.
func environment() []string {
	return append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-buildvcs=false",
		"GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
}

// prune removes the versions of a program that are unused.
func prune(home, name string, log *slog.Logger) {
	directories, err := filepath.Glob(filepath.Join(home, name+"-*"))
	if err != nil {
		return
	}
	for _, directory := range directories {
		info, err := os.Stat(directory)
		if errors.Is(err, fs.ErrNotExist) || err != nil || time.Since(info.ModTime()) < unused {
			continue
		}
		if err := os.RemoveAll(directory); err != nil {
			log.Warn("removing an unused program", "directory", directory, "error", err)
		}
	}
}
