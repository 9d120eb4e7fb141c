package project

import (
	"context"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact/overlay"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project/untracked"
)

// Strays finds files that the lock does not list where all files are generated ones: in the directories of the
// SDKs, the schemas and the clients and, if their names or headers say that they are generated, beside the API types
// and the CRDs.
func (p *Project) Strays(ctx context.Context, generated *artifact.Lock) (diag.List, error) {
	var paths []string
	for file := range generated.All() {
		paths = append(paths, file.Path)
	}
	files, unasked, err := untracked.Find(ctx, p.in.Root, p.in.Env.Environ, p.places(), paths)
	if err != nil {
		return nil, err
	}
	if unasked != nil && len(files) > 0 {
		p.in.Env.Log.Debug(unasked.Error() + ": files that git ignores count too")
	}
	var list diag.List
	for _, file := range files {
		list.Add(token.Position{Filename: file.Path}, "stray", "remove it, or list it under keep in "+p.in.Env.Config, "%s",
			file.Why)
	}
	return list, nil
}

// places says where generated files are. The project's root is none of these directories: it has files of
// all kinds.
func (p *Project) places() untracked.Places {
	cfg := p.in.Config
	places := untracked.Places{Keep: p.keeps}
	for _, sdk := range []*config.SDK{cfg.Python, cfg.Go} {
		if sdk != nil && sdk.Dir != "." {
			places.Dirs = append(places.Dirs, sdk.Dir)
		}
	}
	if cfg.Schemas != nil && cfg.Schemas.Dir != "." {
		places.Dirs = append(places.Dirs, cfg.Schemas.Dir)
	}
	if cfg.Clients != nil {
		places.Dirs = append(places.Dirs, cfg.Clients.Dirs()...)
	}
	for _, api := range cfg.APIs {
		if api.Package == "" {
			places.Packages = append(places.Packages, api.Path)
		}
	}
	places.CRDs = cfg.CRDOptions().Dir
	return places
}

// keeps tells if a file, or a directory with a slash at its end, may be among the generated ones: it matches a pattern
// of keep, or sdkgen.yaml names it, or a directory that it is in, as an input.
func (p *Project) keeps(name string) bool {
	if slices.ContainsFunc(p.in.Config.Keep, func(pattern string) bool { return overlay.Match(pattern, name) }) {
		return true
	}
	return slices.ContainsFunc(p.inputs(), func(input string) bool {
		return path.Clean(name) == input || strings.HasPrefix(name, input+"/")
	})
}

// inputs are the files and directories that sdkgen.yaml names for sdkgen to read.
func (p *Project) inputs() []string {
	cfg := p.in.Config
	inputs := []string{p.in.Env.Config, cfg.Header, cfg.CRDOptions().HeaderFile, cfg.Rules.Exceptions, cfg.Generator.Jar,
		cfg.Generator.Java}
	for _, sdk := range []*config.SDK{cfg.Python, cfg.Go} {
		if sdk != nil {
			inputs = append(inputs, sdk.Config, sdk.Templates, sdk.Overlay.Dir)
		}
	}
	return slices.DeleteFunc(inputs, func(input string) bool { return input == "" })
}
