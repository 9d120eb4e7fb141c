package project

import (
	"context"
	"errors"
	"go/token"
	"io/fs"
	"path"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/gocode"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/samples"
)

// samples makes a manifest of each kind, and validates those of the authors.
func (b *build) samples(ctx context.Context) (*artifact.Set, error) {
	src, err := b.source(ctx)
	if err != nil {
		return nil, err
	}
	resources, err := src.resources()
	if err != nil {
		return nil, err
	}
	authors, err := b.authorsSamples()
	if err != nil {
		return nil, err
	}
	for file := range authors.All() {
		if _, listed := b.lock.Lookup(file.Path); listed {
			b.released = append(b.released, file.Path)
		}
	}
	set, warnings, err := samples.Files(samples.Input{Dir: b.cfg.Samples.Dir, Resources: resources, Authors: authors, Adopt: b.adopt})
	if err != nil {
		return nil, err
	}
	b.env.warn(append(warnings, src.withoutCRD(samples.Stage, "sample")...))
	return set, b.seal(authors, set)
}

// seal works out the stage's key anew: placeholders that the samples replace are no input of the next run.
func (b *build) seal(authors, made *artifact.Set) error {
	b.replaced = map[string]bool{}
	for file := range authors.All() {
		_, b.replaced[file.Path] = made.Lookup(file.Path)
	}
	for _, s := range b.plan().stages() {
		if s.name == samples.Stage {
			key, err := b.key(s)
			b.keys[s.name] = key
			return err
		}
	}
	return nil
}

func (b *build) samplesKey(k *keyer) error {
	k.json("samples", b.cfg.Samples)
	authors, err := b.authorsSamples()
	if err != nil {
		return err
	}
	for file := range authors.All() {
		if !b.replaced[file.Path] {
			k.add(file.Path, artifact.Sum(file.Data))
		}
		if b.adopt && b.replaced == nil && samples.Placeholder(file.Data) {
			k.add("adopt", file.Path) // never up to date
		}
	}
	return b.sourceKey(k)
}

// authorsSamples are the manifests in the directory of the samples that sdkgen did not write, or that were edited since.
func (b *build) authorsSamples() (*artifact.Set, error) {
	all := &artifact.Set{}
	dir := b.cfg.Samples.Dir
	if _, err := b.root.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	found, err := b.files.readTree(dir, samples.Stage)
	if err != nil {
		return nil, err
	}
	for file := range found.All() {
		file.Path = path.Join(dir, file.Path)
		entry, listed := b.lock.Lookup(file.Path)
		ours := listed && entry.Stage == samples.Stage && entry.Sum == artifact.Sum(file.Data)
		manifest := slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(file.Path)) || slices.Contains(samples.KustomizationNames, path.Base(file.Path))
		if ours || !manifest {
			continue
		}
		if err := all.Put(file); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// resources returns the served versions of the custom resources.
func (s *source) resources() ([]samples.Resource, error) {
	schemas, err := s.schemas()
	if err != nil {
		return nil, err
	}
	var all []samples.Resource
	for _, pkg := range s.Packages {
		for _, kind := range pkg.Kinds {
			goType := pkg.Path + "." + kind.Name
			made := schemas.CRD(goType)
			if made == nil || !served(made, pkg.Version) {
				continue
			}
			made = made.DeepCopy()
			crd.FixTopLevelMetadata(*made) // as it is installed
			all = append(all, samples.Resource{Definition: made, Version: pkg.Version, Locate: func(steps []string) token.Position {
				return s.fieldPosition(goType, steps)
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

// fieldPosition returns where the field at a path below a Go type is declared, or the last one on the way that is known.
func (s *source) fieldPosition(goType string, steps []string) token.Position {
	pos := s.position(goType, "")
	schemas, err := s.schemas()
	if err != nil {
		return pos
	}
	at, _ := schemas.Schema(goType)
	for _, step := range steps {
		owner, next := stepInto(schemas, goType, at, step)
		if next == nil {
			break
		}
		if found := s.position(owner, step); found.IsValid() && step != samples.ItemStep && step != samples.ValueStep {
			pos = found
		}
		goType, at = owner, *next
	}
	return pos
}

// stepInto returns the schema one step below that of a Go type, or below what it refers to, and the Go type that has it.
func stepInto(schemas *gocode.Schemas, goType string, at apiextensionsv1.JSONSchemaProps, step string) (string, *apiextensionsv1.JSONSchemaProps) {
	switch property, ok := at.Properties[step]; {
	case ok:
		return goType, &property
	case step == samples.ItemStep && at.Items != nil:
		return goType, at.Items.Schema
	case step == samples.ValueStep && at.AdditionalProperties != nil:
		return goType, at.AdditionalProperties.Schema
	case at.Ref != nil:
		name, pkg, err := crd.RefParts(*at.Ref)
		if err != nil {
			return "", nil
		}
		referred, _ := schemas.Schema(pkg + "." + name)
		return stepInto(schemas, pkg+"."+name, referred, step)
	}
	for _, part := range at.AllOf { // types that are inline, and references with more beside them
		if owner, next := stepInto(schemas, goType, part, step); next != nil {
			return owner, next
		}
	}
	return "", nil
}
