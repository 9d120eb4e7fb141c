package project

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/mod/semver"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/gocode"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/gocode/codegen"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/swagger"
)

const clientGo = "k8s.io/client-go"

// clients makes clientset, listers, informers and apply configurations.
func (b *build) clients(ctx context.Context) (*artifact.Set, error) {
	src, err := b.source(ctx)
	if err != nil {
		return nil, err
	}
	opts, err := b.clientOptions()
	if err != nil {
		return nil, err
	}
	var docs [][]byte
	for _, api := range src.Packages {
		if file, ok := b.sets[swagger.Stage].Lookup(path.Join(api.Dir, swagger.Doc)); ok {
			docs = append(docs, file.Data)
		}
	}
	models, err := swagger.Models(docs...)
	if err != nil {
		return nil, err
	}
	opts.Models = filepath.Join(b.scratch, "models.json")
	if err := os.WriteFile(opts.Models, models, 0o600); err != nil {
		return nil, fmt.Errorf("writing the models for applyconfiguration-gen: %w", err)
	}
	if b.cfg.Clients.Version == config.Project {
		if err := b.excludedClients(src).Err(); err != nil {
			return nil, err
		}
		if err := b.useProjectTools(ctx, src, &opts); err != nil {
			return nil, err
		}
	}
	return src.gen.Clients(opts)
}

// excludedClients reports kinds that the configuration leaves out and code-generator's commands, which read the
// markers alone, make clients of.
func (b *build) excludedClients(src *source) (list diag.List) {
	for _, pkg := range src.Packages {
		for _, kind := range pkg.Excluded {
			if pos := src.MarkerPos(pkg, kind.Name, "+genclient", ""); pos != src.Pos(pkg.Path, kind.Name, "") {
				list.Add(pos, "clients", "remove the marker, or version under clients in sdkgen.yaml",
					"kind %s is left out, but with clients.version: %s code-generator makes clients of every kind with +genclient", kind.Name, config.Project)
			}
		}
	}
	return list
}

// clientOptions returns code-generator's options.
func (p *Project) clientOptions() (gocode.ClientOptions, error) {
	pkg, err := load.ImportPath(p.loadOptions(), p.cfg.Clients.Dir)
	if err != nil {
		return gocode.ClientOptions{}, err
	}
	return gocode.ClientOptions{Clients: p.cfg.Clients.Named(), Package: pkg}, nil
}

// clientGoVersion returns the version of client-go that the clients are compiled with, "" if it is a directory's. One that is older
// than what the linked code-generator's clients need is an error.
func (p *Project) clientGoVersion() (string, error) {
	goMod, err := load.GoModOf(p.loadOptions(), p.cfg.Clients.Dir)
	if err != nil {
		return "", err
	}
	get := fmt.Sprintf("run `go get %s@%s`%s", clientGo, cmp.Or(p.env.Modules[codegen.Module], gocode.ClientGo), goMod.Dir)
	required, ok := goMod.Require(clientGo)
	if !ok {
		return "", diag.Errorf(required.Pos, "clients", get, "the module does not require %s, which the clients in %s import", clientGo, p.cfg.Clients.Dir)
	}
	if p.cfg.Clients.Version == config.Project || required.Version == "" || semver.Compare(semver.MajorMinor(required.Version), semver.MajorMinor(gocode.ClientGo)) >= 0 {
		return required.Version, nil
	}
	return "", diag.Errorf(required.Pos, "clients", get+"; or write under clients in sdkgen.yaml, to have them made by the code-generator of that version:\nversion: "+config.Project,
		"the clients would not compile with %s %s: they need %s or newer", clientGo, required.Version, gocode.ClientGo)
}

// useProjectTools has the clients be made by the commands of the project's own version of code-generator.
func (b *build) useProjectTools(ctx context.Context, src *source, opts *gocode.ClientOptions) error {
	version, err := b.clientGoVersion()
	if err != nil {
		return err
	}
	if version == "" {
		return diag.Errorf(b.cfg.Pos("clients", "version"), "clients", "remove it, or require a published version", "clients.version is %s, but go.mod replaces %s with a directory", config.Project, clientGo)
	}
	job := codegen.Job{
		Clients: opts.Clients, Release: version, Env: b.env.Environ, From: src.ModuleDir(), Scratch: b.scratch, Origin: gocode.ClientsStage,
		Package: opts.Package, Models: opts.Models,
	}
	opts.Run = func(apis []string, header string) (*artifact.Set, error) {
		if header == "" {
			header = filepath.Join(b.scratch, "no-header.txt")
			if err := os.WriteFile(header, nil, 0o600); err != nil {
				return nil, fmt.Errorf("writing the header for code-generator: %w", err)
			}
		}
		job.APIs, job.Header = apis, header
		set, err := codegen.Run(ctx, job)
		if err != nil && ctx.Err() == nil {
			return nil, diag.Errorf(b.cfg.Pos("clients", "version"), "clients", "", "%v", err)
		}
		return set, err
	}
	return nil
}
