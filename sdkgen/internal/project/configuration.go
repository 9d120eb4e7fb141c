package project

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
)

// MissingConfiguration says that a project has no configuration.
type MissingConfiguration struct {
	Above string // the nearest directory above that has one, "" if there is none
	List  diag.List
}

// Error implements error.
func (e *MissingConfiguration) Error() string { return e.List.Error() }

// Unwrap returns the diagnostics.
func (e *MissingConfiguration) Unwrap() error { return e.List }

// configPath returns the path of the configuration, relative to the root and clean.
func configPath(env stage.Environment) (string, error) {
	name := filepath.FromSlash(cmp.Or(env.Config, config.File))
	if filepath.IsAbs(name) {
		if rel, err := filepath.Rel(env.Root, name); err == nil {
			name = rel
		}
	}
	if !filepath.IsLocal(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return "", diag.Errorf(token.Position{}, "config",
			"-C names the project's directory; the paths in a configuration are relative to it",
			"--config: %q is not a file inside the project", env.Config)
	}
	return path.Clean(filepath.ToSlash(name)), nil
}

func readConfig(env stage.Environment) (*config.Config, error) {
	data, err := os.ReadFile(filepath.Join(env.Root, filepath.FromSlash(env.Config)))
	if errors.Is(err, fs.ErrNotExist) {
		hint, dir := "run sdkgen in the project's root, name it with -C, or run `sdkgen init`, which writes one", above(env)
		if dir != "" {
			hint = "there is one in " + dir + ": run sdkgen -C " + dir
		}
		message := fmt.Sprintf("there is no %s in %s", env.Config, env.Root)
		return nil, &MissingConfiguration{dir, diag.List{{Rule: "config", Message: message, Hint: hint}}}
	}
	if err != nil {
		return nil, stage.Unreadable(env.Config, "it must be a file", err)
	}
	return config.Parse(env.Config, data)
}

// above returns the nearest directory above the root that has the configuration, as the user would call it;
// "" if there is none.
func above(env stage.Environment) string {
	dir := cmp.Or(env.Dir, ".")
	for at := env.Root; at != filepath.Dir(at); {
		at, dir = filepath.Dir(at), filepath.Join(dir, "..")
		if info, err := os.Stat(filepath.Join(at, filepath.FromSlash(env.Config))); err == nil && info.Mode().IsRegular() {
			return dir
		}
	}
	return ""
}
