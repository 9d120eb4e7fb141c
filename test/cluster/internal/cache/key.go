package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// key is a hash over the module's files, the Go version, the platform and the build flags.
func (p Program) key(ctx context.Context) (string, error) {
	command := exec.CommandContext(ctx, "go", "env", "GOVERSION", "GOOS", "GOARCH", "GOEXPERIMENT")
	command.Dir = p.Source
	command.Env = environment()
	version, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("asking go for its version: %w", err)
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s\n%q\n%q\n%q\n%q\n", version, p.Main, p.Flags, p.Links, p.Packages)
	if len(p.Packages) > 0 {
		return hex.EncodeToString(hash.Sum(nil))[:16], nil
	}
	err = fs.WalkDir(os.DirFS(p.Source), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return p.enter(path)
		}
		if ignored(path) {
			return nil
		}
		content, err := os.ReadFile(filepath.Join(p.Source, path))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(hash, "%s %d\n%s", path, len(content), content)
		return err
	})
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil))[:16], nil
}

// enter skips nested modules and files that are not part of the build.
func (p Program) enter(path string) error {
	if path == "." {
		return nil
	}
	name := filepath.Base(path)
	_, err := os.Stat(filepath.Join(p.Source, path, "go.mod"))
	if err == nil || name == "testdata" || strings.HasPrefix(name, ".") {
		return fs.SkipDir
	}
	return nil
}

func ignored(path string) bool {
	return strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".md") ||
		strings.HasPrefix(filepath.Base(path), ".")
}
