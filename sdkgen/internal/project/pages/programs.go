package pages

import (
	"path"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/gotypes"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/surface"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project/describe"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/golang/gosource"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/python"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/reference"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/samples"
)

// programs returns a sample of each custom resource, as a manifest and as programs that make the same object, by API
// and kind. What cannot be written in a language is left out, with a line at debug level.
func (p *pages) programs(
	src *gotypes.Source, documents []stage.Document,
) (map[*model.API]map[string][]reference.Sample, error) {
	resources, err := samples.Resources(src)
	if err != nil {
		return nil, err
	}
	modules := p.modules(documents)
	all := map[*model.API]map[string][]reference.Sample{}
	for _, doc := range documents {
		all[doc.API] = map[string][]reference.Sample{}
		for _, resource := range resources {
			names := resource.Definition.Spec
			if names.Group != doc.API.Group || resource.Version != doc.API.Version {
				continue
			}
			generated, err := samples.Make(resource.Definition, resource.Version)
			if err != nil {
				p.run.Project.Env.Log.Debug("no sample", "kind", names.Names.Kind, "version", resource.Version, "reason", err)
				continue
			}
			for _, definition := range doc.API.Definitions {
				if definition.Root != nil && definition.Root.Kind == names.Names.Kind &&
					definition.Root.Version == doc.API.Version {
					found, err := p.written(src, definition, modules[doc.API], generated)
					if err != nil {
						return nil, err
					}
					all[doc.API][definition.Name] = found
				}
			}
		}
	}
	return all, nil
}

// modules returns the names by which programs import the Python package of each API, none of those that no SDK is made
// of.
func (p *pages) modules(documents []stage.Document) map[*model.API]string {
	api := &surface.Surface{}
	for _, doc := range documents {
		api.Packages = append(api.Packages, surface.Package{Document: doc.API, Dir: path.Dir(doc.File)})
	}
	describe.NameSDKs(p.run.Project, api, documents)
	modules := map[*model.API]string{}
	for _, pkg := range api.Packages {
		modules[pkg.Document] = pkg.Module
	}
	return modules
}

// written returns a sample in all languages.
func (p *pages) written(
	src *gotypes.Source, definition *model.Definition, module string, sample *samples.Sample,
) ([]reference.Sample, error) {
	manifest, err := sample.YAML()
	if err != nil {
		return nil, err
	}
	out := []reference.Sample{{Name: "YAML", Text: string(manifest)}}
	add := func(name, text string, err error) {
		if err != nil {
			p.run.Project.Env.Log.Debug("no sample", "kind", definition.Name, "language", name, "reason", err)
			return
		}
		out = append(out, reference.Sample{Name: name, Text: text})
	}
	if module != "" {
		text, err := python.Program(definition, module, sample.Object)
		add("Python", text, err)
	}
	if pkg := src.API.ByPath(definition.GoType.Package); pkg != nil {
		text, err := gosource.Program(pkg.Source.Types, definition.GoType.Name, sample.Object)
		add("Go", text, err)
	}
	return out, nil
}
