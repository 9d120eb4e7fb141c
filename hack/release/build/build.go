// Package build makes the files of a release from a checkout. What it makes depends on the files of the checkout, its
// version
// and the time of its commit, the Go toolchain and the zlib of Python: neither on where the checkout is, nor on the
// clock, the time zone, the umask or the environment.
package build

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Source is a checkout that files are built from.
type Source struct {
	Dir     string    // root of the checkout
	Version string    // without v
	Time    time.Time // of the commit: that of all files in archives
	Scratch string    // directory for intermediate files
	Env     []string  // for child processes: see Environment
	Log     *slog.Logger
}

// cleared are variables that would change the files, or have git work on another repository.
var cleared = []string{"GOFLAGS", "GOEXPERIMENT", "GOAMD64", "GOARM64", "GODEBUG", "GOFIPS140", "GOOS", "GOARCH",
	"GIT_DIR", "GIT_WORK_TREE",
	"GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "PYTHONPATH", "PYTHONHOME", "MAKEFLAGS", "MFLAGS", "MAKELEVEL",
	"SOURCE_DATE_EPOCH"}

// Clean returns an environment without the variables that would change the files.
func Clean(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(cleared, name) || strings.HasPrefix(name, "LC_")
	})
}

// Environment returns the environment in which a release is built: the given one, cleaned, with fixed values for the
// rest.
func Environment(environ []string, toolchain string, commit time.Time) []string {
	return append(Clean(environ), "GOTOOLCHAIN="+toolchain, "GOWORK=off", "CGO_ENABLED=0", "TZ=UTC", "LC_ALL=C.UTF-8",
		"PYTHONHASHSEED=0",
		"PYTHONDONTWRITEBYTECODE=1", "SOURCE_DATE_EPOCH="+strconv.FormatInt(commit.Unix(), 10))
}

// Run runs a program in a directory of the checkout and returns what it prints. An error has what it says.
func (s *Source) Run(ctx context.Context, dir, program string, args ...string) (string, error) {
	s.Log.Debug("run", "dir", dir, "program", program, "args", args)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = dir, s.Env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		text := bytes.TrimSpace(append(stderr.Bytes(), stdout.Bytes()...))
		return stdout.String(), fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, text)
	}
	return stdout.String(), nil
}

// scratch makes an empty directory for intermediate files.
func (s *Source) scratch(name string) (string, error) {
	return os.MkdirTemp(s.Scratch, name+"-")
}
