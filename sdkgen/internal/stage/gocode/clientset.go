package gocode

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/mod/semver"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/swagger"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/gocode/codegen"
)

const clientGo = "k8s.io/client-go"

// ClientSet returns the stage that generates clientset, listers, informers and apply configurations.
func (s *Stages) ClientSet() stage.Stage {
	cfg := s.run.Project.Config
	return stage.Stage{
		Name: ClientsStage, Doc: "clientset, listers, informers and apply configurations", Enabled: cfg.Clients != nil,
		Inputs: []string{stage.Swagger}, Key: s.clientsKey, Run: s.clients,
	}
}

func (s *Stages) clientsKey(k *stage.Key) error {
	cfg := s.run.Project.Config
	k.JSON("clients", cfg.Clients)
	pkg, err := load.ImportPath(s.run.Project.LoadOptions(), cfg.Clients.Dir)
	if err != nil {
		return err
	}
	k.Add("package", pkg)
	version, err := clientGoVersion(s.run.Project)
	if err != nil {
		return err
	}
	if cfg.Clients.Version == config.Project {
		k.Add(clientGo, version)
	}
	return k.Source()
}

func (s *Stages) clients(ctx context.Context) (*artifact.Set, error) {
	p := s.run.Project
	gen, err := s.Generator(ctx)
	if err != nil {
		return nil, err
	}
	pkg, err := load.ImportPath(p.LoadOptions(), p.Config.Clients.Dir)
	if err != nil {
		return nil, err
	}
	opts := ClientOptions{Clients: p.Config.Clients.Named(), Package: pkg}
	documents, err := s.run.Documents(ctx)
	if err != nil {
		return nil, err
	}
	var apis []*model.API
	for _, document := range documents {
		apis = append(apis, document.API)
	}
	models, err := swagger.Models(apis...)
	if err != nil {
		return nil, err
	}
	opts.Models = filepath.Join(p.Scratch, "models.json")
	if err := os.WriteFile(opts.Models, models, 0o600); err != nil {
		return nil, fmt.Errorf("writing the models for applyconfiguration-gen: %w", err)
	}
	if p.Config.Clients.Version == config.Project {
		if err := excludedClients(gen.api).Err(); err != nil {
			return nil, err
		}
		if err := s.useProjectTools(ctx, gen.api, &opts); err != nil {
			return nil, err
		}
	}
	return gen.Clients(opts)
}

// excludedClients reports kinds that the configuration leaves out and code-generator's commands, which read the
// markers alone, make clients of.
func excludedClients(api *load.Result) diag.List {
	var list diag.List
	for _, pkg := range api.Packages {
		for _, kind := range pkg.Excluded {
			if pos := api.MarkerPos(pkg, kind.Name, "+genclient", ""); pos != api.Pos(pkg.Path, kind.Name, "") {
				list.Add(pos, "clients", "remove the marker, or version under clients in sdkgen.yaml",
					"kind %s is left out, but with clients.version: %s code-generator makes clients of every kind with +genclient",
					kind.Name, config.Project)
			}
		}
	}
	return list
}

// clientGoVersion returns the version of client-go that the clients are compiled with, "" if it is a directory's. One
// that is older than what the linked code-generator's clients need is an error.
func clientGoVersion(p *stage.Project) (string, error) {
	goMod, err := load.GoModOf(p.LoadOptions(), p.Config.Clients.Dir)
	if err != nil {
		return "", err
	}
	get := fmt.Sprintf("run `go get %s@%s`%s", clientGo, cmp.Or(p.Env.Modules[codegen.Module], ClientGo), goMod.Dir)
	required, ok := goMod.Require(clientGo)
	if !ok {
		return "", diag.Errorf(required.Pos, "clients", get, "the module does not require %s, which the clients in %s import",
			clientGo, p.Config.Clients.Dir)
	}
	if p.Config.Clients.Version == config.Project || required.Version == "" ||
		semver.Compare(semver.MajorMinor(required.Version), semver.MajorMinor(ClientGo)) >= 0 {
		return required.Version, nil
	}
	return "", diag.Errorf(required.Pos, "clients",
		get+"; or write under clients in sdkgen.yaml, to have them made by the code-generator of that version:\nversion: "+
			config.Project,
		"the clients would not compile with %s %s: they need %s or newer", clientGo, required.Version, ClientGo)
}

// useProjectTools has the clients be made by the commands of the project's own version of code-generator.
func (s *Stages) useProjectTools(ctx context.Context, api *load.Result, opts *ClientOptions) error {
	p := s.run.Project
	version, err := clientGoVersion(p)
	if err != nil {
		return err
	}
	if version == "" {
		return diag.Errorf(p.Config.Pos("clients", "version"), "clients", "remove it, or require a published version",
			"clients.version is %s, but go.mod replaces %s with a directory", config.Project, clientGo)
	}
	job := codegen.Job{
		Clients: opts.Clients, Release: version, Env: p.Env.Environ, From: api.ModuleDir(), Scratch: p.Scratch,
		Origin:  ClientsStage,
		Package: opts.Package, Models: opts.Models,
	}
	opts.Run = func(apis []string, header string) (*artifact.Set, error) {
		if header == "" {
			header = filepath.Join(p.Scratch, "no-header.txt")
			if err := os.WriteFile(header, nil, 0o600); err != nil {
				return nil, fmt.Errorf("writing the header for code-generator: %w", err)
			}
		}
		job.APIs, job.Header = apis, header
		set, err := codegen.Run(ctx, job)
		if err != nil && ctx.Err() == nil {
			return nil, diag.Errorf(p.Config.Pos("clients", "version"), "clients", "", "%v", err)
		}
		return set, err
	}
	return nil
}
