package project

import (
	"cmp"
	"context"
	"errors"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/report"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/surface"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project/baseline"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project/describe"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
)

// Surface returns what the project's API packages give to those who use them.
func (p *Project) Surface(ctx context.Context) (*surface.Surface, error) {
	api, err := describe.Load(ctx, p.in)
	if err != nil {
		return nil, err
	}
	return describe.Surface(p.in, api)
}

// Breaking returns what changed since another version of the API: a git ref, a directory, or MODULE@VERSION. Nothing
// is written outside of the scratch directory. witnesses asks for the smallest objects that show the changes.
func (p *Project) Breaking(ctx context.Context, against string, witnesses bool) (changes *report.Report, err error) {
	api, err := describe.Load(ctx, p.in)
	if err != nil {
		return nil, err
	}
	var old *otherVersion
	var oldErr error
	found := make(chan struct{})
	go func() { // it mostly waits for git and go
		defer close(found)
		old, oldErr = p.find(ctx, against, api)
	}()
	now, err := describe.Surface(p.in, api)
	<-found
	if old != nil {
		defer func() { err = errors.Join(err, old.project.Close()) }()
	}
	if err := cmp.Or(err, oldErr); err != nil {
		return nil, err
	}
	before, err := describe.Surface(old.project.in, old.api)
	old.api = nil // it is large
	if err != nil {
		return nil, old.refuse(err)
	}
	if old.published {
		before.ImportAs(now)
	}
	changes, err = report.New(old.name, before, now, witnesses)
	if err != nil {
		return nil, err
	}
	accepted, err := p.in.Files.ReadOptional(p.in.Config.Breaking.Exceptions)
	if err != nil {
		return nil, err
	}
	return changes, changes.Accept(p.in.Config.Breaking.Exceptions, accepted)
}

// otherVersion is the project of a baseline, with its API packages.
type otherVersion struct {
	project *Project
	name    string // for people
	api     *load.Result
	// published says that it is a version of a module, of which only the project of the new version makes SDKs.
	published bool
}

// find finds and loads a baseline.
func (p *Project) find(ctx context.Context, against string, now *load.Result) (*otherVersion, error) {
	scratch := filepath.Join(p.in.Scratch, "baseline")
	if err := os.Mkdir(scratch, 0o755); err != nil {
		return nil, err
	}
	opts := baseline.Options{Root: p.in.Env.Root, Against: against, Environ: p.in.Env.Environ, Scratch: scratch}
	for _, pkg := range now.Packages {
		opts.Packages = append(opts.Packages, pkg.Path)
	}
	found, err := baseline.Find(ctx, opts)
	if err != nil {
		return nil, err
	}
	old := &otherVersion{name: found.Name, published: found.Packages != nil}
	env := p.in.Env
	env.Root, env.Warn = found.Root, func(diag.List) {}
	cfg, err := p.oldConfig(env, found, now)
	if err != nil {
		return nil, old.refuse(err)
	}
	if old.project, err = open(env, cfg); err != nil {
		return nil, old.refuse(err)
	}
	if old.api, err = describe.Load(ctx, old.project.in); err != nil {
		return nil, errors.Join(old.refuse(err), old.project.Close())
	}
	return old, nil
}

// refuse makes one error of diagnostics, which have positions in another tree.
func (o *otherVersion) refuse(err error) error {
	if list, ok := errors.AsType[diag.List](err); ok {
		return diag.Errorf(token.Position{}, "against", "the other version has to be one from which sdkgen can generate",
			"%s: %v", o.name, list)
	}
	return err
}

// oldConfig returns the configuration of a baseline: its own or, where it has none, this project's with the API
// packages that are there.
func (p *Project) oldConfig(env stage.Environment, found *baseline.Baseline, now *load.Result) (*config.Config, error) {
	if found.Packages == nil {
		cfg, err := readConfig(env)
		if _, missing := errors.AsType[*MissingConfiguration](err); !missing {
			return cfg, err
		}
	}
	cfg := *p.in.Config
	cfg.APIs, cfg.Header = nil, ""
	if cfg.CRD != nil {
		options := *cfg.CRD
		options.HeaderFile, cfg.CRD = "", &options
	}
	for _, api := range p.in.Config.APIs {
		i := slices.IndexFunc(now.Packages, func(pkg *load.Package) bool { return pkg.Dir == api.OutputDir() })
		switch {
		case found.Packages != nil:
			if i < 0 || found.Packages[now.Packages[i].Path] == "" {
				continue
			}
			api.Path, api.Package, api.Dir = "", found.Packages[now.Packages[i].Path], api.OutputDir()
		case api.Package == "":
			if _, err := os.Stat(env.Path(api.Path)); errors.Is(err, fs.ErrNotExist) {
				continue
			}
		}
		cfg.APIs = append(cfg.APIs, api)
	}
	if len(cfg.APIs) == 0 {
		return nil, diag.Errorf(token.Position{}, "against", "", "%s has none of the API packages", found.Name)
	}
	return &cfg, nil
}
