package build

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// python is the directory of the Python SDK.
const python = "sdk/python/v1alpha1"

// requirements are the tools that build the Python SDK, each with its hash.
const requirements = "hack/release/build/requirements.txt"

// Python builds the sdist of the Python SDK, and its wheel from the sdist.
func (s *Source) Python(ctx context.Context, out string) error {
	venv, err := s.scratch("venv")
	if err != nil {
		return err
	}
	pip := []string{"hack/environment.py", venv, "--require-hashes", "--only-binary", ":all:", "-r", requirements}
	if _, err := s.Run(ctx, s.Dir, "python3", pip...); err != nil {
		return err
	}
	scratch, err := s.scratch("python")
	if err != nil {
		return err
	}
	// The backend is the one with the hash: --no-isolation fetches none.
	if _, err := s.Run(ctx, s.Dir, filepath.Join(venv, "bin", "python"), "-m", "build", "--no-isolation", "--outdir",
		scratch, python); err != nil {
		return err
	}
	built, err := os.ReadDir(scratch)
	if err != nil {
		return err
	}
	for _, file := range built {
		if !strings.HasPrefix(file.Name(), "fluxoperator-") {
			return fmt.Errorf("%s built %s, which is not the package fluxoperator", python, file.Name())
		}
		if err := move(filepath.Join(scratch, file.Name()), filepath.Join(out, file.Name())); err != nil {
			return err
		}
	}
	if len(built) != 2 {
		return fmt.Errorf("%s built %d files, want a wheel and an sdist", python, len(built))
	}
	return nil
}

func move(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}
