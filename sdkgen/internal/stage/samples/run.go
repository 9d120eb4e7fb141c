package samples

import (
	"context"
	"errors"
	"go/token"
	"io/fs"
	"path"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/gotypes"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
)

// New returns the stage that generates a manifest of each kind and validates the authors'.
func New(run *stage.Run) stage.Stage {
	s := &stageRun{run: run}
	return stage.Stage{
		Name: Stage, Doc: "a manifest of each kind", Enabled: run.Project.Config.Samples != nil, Key: s.key, Run: s.files,
	}
}

// stageRun is the stage in a run.
type stageRun struct {
	run *stage.Run
	// replaced are the files of others whose place samples take; nil before the stage ran.
	replaced map[string]bool
}

func (s *stageRun) files(ctx context.Context) (*artifact.Set, error) {
	p := s.run.Project
	source, err := s.run.Source(ctx)
	if err != nil {
		return nil, err
	}
	resources, err := Resources(source)
	if err != nil {
		return nil, err
	}
	authors, err := authorsFiles(p)
	if err != nil {
		return nil, err
	}
	for file := range authors.All() {
		if _, listed := p.Lock.Lookup(file.Path); listed {
			s.run.Released = append(s.run.Released, file.Path)
		}
	}
	set, warnings, err := Files(Input{Dir: p.Config.Samples.Dir, Resources: resources, Authors: authors,
		Adopt: s.run.Adopt})
	if err != nil {
		return nil, err
	}
	p.Env.Report(append(warnings, stage.WithoutCRD(source, Stage, "sample")...))
	return set, s.seal(authors, set)
}

// seal works out the stage's key anew: placeholders that the samples replace are no input of the next run.
func (s *stageRun) seal(authors, files *artifact.Set) error {
	s.replaced = map[string]bool{}
	for file := range authors.All() {
		_, s.replaced[file.Path] = files.Lookup(file.Path)
	}
	key, err := s.run.KeyOf(stage.Stage{Name: Stage, Key: s.key})
	s.run.Keys[Stage] = key
	return err
}

func (s *stageRun) key(k *stage.Key) error {
	k.JSON("samples", s.run.Project.Config.Samples)
	authors, err := authorsFiles(s.run.Project)
	if err != nil {
		return err
	}
	for file := range authors.All() {
		if !s.replaced[file.Path] {
			k.Add(file.Path, artifact.Sum(file.Data))
		}
		if s.run.Adopt && s.replaced == nil && Placeholder(file.Data) {
			k.Add("adopt", file.Path) // never up to date
		}
	}
	return k.Source()
}

// authorsFiles are the manifests in the directory of the samples that sdkgen did not write, or that were edited since.
func authorsFiles(p *stage.Project) (*artifact.Set, error) {
	all := &artifact.Set{}
	dir := p.Config.Samples.Dir
	if _, err := p.Root.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	tree, err := p.Files.ReadTree(dir, Stage)
	if err != nil {
		return nil, err
	}
	for file := range tree.All() {
		file.Path = path.Join(dir, file.Path)
		entry, listed := p.Lock.Lookup(file.Path)
		ours := listed && entry.Stage == Stage && entry.Sum == artifact.Sum(file.Data)
		manifest := slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(file.Path)) ||
			slices.Contains(KustomizationNames, path.Base(file.Path))
		if ours || !manifest {
			continue
		}
		if err := all.Put(file); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Resources returns the served versions of the custom resources.
func Resources(source *gotypes.Source) ([]Resource, error) {
	installed, err := source.Installed()
	if err != nil {
		return nil, err
	}
	var all []Resource
	for _, crd := range installed {
		if served(crd.Definition, crd.Version) {
			all = append(all, Resource{Definition: crd.Definition, Version: crd.Version,
				Locate: func(steps []string) token.Position {
					return source.FieldPosition(crd.GoType, steps)
				}})
		}
	}
	return all, nil
}

func served(definition *apiextensionsv1.CustomResourceDefinition, version string) bool {
	return slices.ContainsFunc(definition.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool {
		return v.Name == version && v.Served && v.Schema != nil
	})
}
