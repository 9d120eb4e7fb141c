package project

import (
	"context"
	"errors"
	"go/token"
	"os"
	"strings"

	"golang.org/x/mod/module"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/explain"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project/baseline"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project/describe"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
)

// Explained returns what can be explained of a project's API packages, or of the one that api names by directory,
// import path or version. An import path of none of them is a package of another module, which needs no configuration:
// one that go.mod requires or, as PACKAGE@VERSION, a published one; of such a package only the kind is read that the
// path begins with, if it has that. Nothing is written outside of the scratch directory.
func Explained(ctx context.Context, env stage.Environment, api, fieldPath string) (out *explain.API, err error) {
	env.Config, err = configPath(env)
	if err != nil {
		return nil, err
	}
	cfg, err := readConfig(env)
	if isForeign(env, cfg, api) {
		kind, _, _ := strings.Cut(fieldPath, ".")
		return explainedForeign(ctx, env, api, kind)
	}
	if err != nil {
		return nil, err
	}
	if cfg.CRD != nil {
		cfg.CRD.MaxDescLen = nil
	}
	p, err := open(env, cfg)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	return p.explained(ctx, p.in.LoadOptions(), api)
}

// isForeign says whether a name is the import path of a package that the configuration does not have. The first part of
// such a path has a dot, which no directory has whose name is a version.
func isForeign(env stage.Environment, cfg *config.Config, name string) bool {
	importPath, _, _ := strings.Cut(name, "@")
	first, _, below := strings.Cut(importPath, "/")
	if !below || !strings.Contains(first, ".") || module.CheckImportPath(importPath) != nil {
		return false
	}
	if cfg == nil || importPath != name {
		return true
	}
	for _, api := range cfg.APIs {
		if own, err := load.PackagePath(env.Root, api.Path); api.Package == name || api.Path == name ||
			err == nil && own == name {
			return false
		}
	}
	return true
}

// explainedForeign explains a package of another module, with the names that SDKs of it have by default.
func explainedForeign(ctx context.Context, env stage.Environment, api, kind string) (out *explain.API, err error) {
	importPath, version, published := strings.Cut(api, "@")
	scratch, err := os.MkdirTemp(env.TempDir, "sdkgen-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if published {
		opts := baseline.Options{Root: env.Root, Environ: env.Environ, Scratch: scratch}
		if err := opts.Package(ctx, importPath, version); err != nil {
			return nil, err
		}
		env.Root = scratch
	} else if _, err := load.PackagePath(env.Root, "."); err != nil {
		return nil, diag.Errorf(token.Position{}, "explain",
			"write a published version behind it: --api "+importPath+"@latest",
			"--api %s: there is no Go module here that requires it", importPath)
	}
	p, err := open(env, &config.Config{
		APIs: []config.API{{Package: importPath, Dir: "spec"}}, CRD: &config.CRD{AllowDangerousTypes: true},
		Python: &config.SDK{}, Go: &config.SDK{},
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	opts := p.in.LoadOptions()
	opts.Selections[importPath] = load.Selection{Like: kind}
	return p.explained(ctx, opts, "")
}

// explained explains the packages, or the one that api names.
func (p *Project) explained(ctx context.Context, opts load.Options, api string) (*explain.API, error) {
	loaded, err := load.Load(ctx, opts)
	if err != nil {
		return nil, err
	}
	if err := loaded.Problems(); err != nil {
		return nil, err
	}
	only := (*load.Package)(nil)
	if api != "" {
		if only, err = describe.Pick(loaded, api); err != nil {
			return nil, err
		}
	}
	return describe.Explain(p.in, loaded, only)
}
