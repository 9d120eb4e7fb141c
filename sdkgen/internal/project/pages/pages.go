// Package pages makes the stage of the reference pages: it puts together what package reference prints, from the
// documents, the CRDs, the languages' names, samples and the comparison of versions.
package pages

import (
	"context"
	"fmt"
	"go/token"
	"path"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/version"
	"sigs.k8s.io/controller-tools/pkg/crd"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/constraint"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/gotypes"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/compare"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/surface"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project/describe"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/python"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/reference"
)

// New returns the stage that generates the reference pages.
func New(run *stage.Run) stage.Stage {
	p := &pages{run}
	return stage.Stage{
		Name: reference.Stage, Doc: "reference pages", Enabled: run.Project.Config.Docs != nil,
		Inputs: []string{stage.Swagger},
		Key:    p.key, Run: p.files,
	}
}

// pages are the reference pages in a run.
type pages struct{ run *stage.Run }

func (p *pages) files(ctx context.Context) (*artifact.Set, error) {
	src, err := p.run.Source(ctx)
	if err != nil {
		return nil, err
	}
	documents, err := p.run.Documents(ctx)
	if err != nil {
		return nil, err
	}
	samples, err := p.programs(src, documents)
	if err != nil {
		return nil, err
	}
	var apis []reference.API
	for _, doc := range documents {
		crds, err := crdSchemas(src, doc.API)
		if err != nil {
			return nil, err
		}
		apis = append(apis, reference.API{
			API: doc.API, Languages: p.languages(src, doc.API), CRDs: crds,
			Shortened: p.run.Project.Config.CRDOptions().MaxDescLen != nil, Samples: samples[doc.API],
		})
	}
	comparisons, err := p.compareVersions(src, documents)
	if err != nil {
		return nil, err
	}
	opts := reference.Options{Dir: p.run.Project.Config.Docs.Dir,
		Markdown: p.run.Project.Config.Docs.Format == config.Markdown, Title: p.run.Project.Config.Swagger.Title}
	if opts.Title == "" {
		opts.Title = documents[0].API.Title
	}
	return reference.Pages(opts, apis, comparisons)
}

func (p *pages) key(k *stage.Key) error {
	k.JSON("docs", p.run.Project.Config.Docs)
	k.JSON("title", p.run.Project.Config.Swagger.Title)
	k.JSON("python", p.run.Project.Config.Python)
	k.JSON("maxDescLen", p.run.Project.Config.CRDOptions().MaxDescLen)
	if p.run.Project.Config.Python != nil {
		options, err := python.New(p.run.Project).GeneratorOptions()
		if err != nil {
			return err
		}
		k.JSON("package", options["packageName"])
	}
	return k.Source()
}

// languages are the languages that have names for the fields of an API.
func (p *pages) languages(src *gotypes.Source, api *model.API) []reference.Language {
	languages := []reference.Language{{Name: "Go", Separator: " ", Classes: describe.Structs(src, api)}}
	if p.run.Project.Config.Python != nil {
		languages = append(languages, reference.Language{Name: "Python", Separator: ": ", Classes: python.Classes(api)})
	}
	return languages
}

// crdSchemas returns the schemas that the CRDs have of an API, by kind.
func crdSchemas(s *gotypes.Source, api *model.API) (map[string]*constraint.Schema, error) {
	schemas, err := s.Schemas()
	if err != nil {
		return nil, err
	}
	found := map[string]*constraint.Schema{}
	for _, pkg := range s.API.Packages {
		for _, kind := range pkg.Kinds {
			definition := schemas.CRD(pkg.Path + "." + kind.Name)
			if definition == nil || definition.Spec.Group != api.Group {
				continue
			}
			for _, version := range definition.Spec.Versions {
				if version.Name == api.Version && version.Schema != nil {
					found[definition.Spec.Names.Kind] = version.Schema.OpenAPIV3Schema
				}
			}
		}
	}
	return found, nil
}

// compareVersions says for each kind with several versions what changes from one to the next.
func (p *pages) compareVersions(src *gotypes.Source, documents []stage.Document) ([]reference.Comparison, error) {
	if len(documents) < 2 {
		return nil, nil
	}
	schemas, err := src.Schemas()
	if err != nil {
		return nil, err
	}
	var all []reference.Comparison
	seen := surface.Surface{}
	for _, pkg := range src.API.Packages {
		for _, kind := range pkg.Kinds {
			generated := schemas.CRD(pkg.Path + "." + kind.Name)
			if generated == nil || seen.CRD(generated.Spec.Group, generated.Spec.Names.Kind) != nil {
				continue
			}
			seen.CRDs = append(seen.CRDs, generated)
			generated = generated.DeepCopy()
			crd.FixTopLevelMetadata(*generated) // as it is installed
			found, err := compareKind(generated, documents)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	return all, nil
}

// compareKind compares each version of a kind with the one before.
func compareKind(
	crd *apiextensionsv1.CustomResourceDefinition, documents []stage.Document,
) ([]reference.Comparison, error) {
	versions := slices.Clone(crd.Spec.Versions)
	slices.SortFunc(versions, func(a, b apiextensionsv1.CustomResourceDefinitionVersion) int {
		return version.CompareKubeAwareVersionStrings(a.Name, b.Name)
	})
	var all []reference.Comparison
	for i := 1; i < len(versions); i++ {
		old, now := oneVersion(crd, versions[i-1], documents), oneVersion(crd, versions[i], documents)
		changes, err := compare.Compare(old, now)
		if err != nil {
			return nil, fmt.Errorf("comparing %s and %s of %s: %w", versions[i-1].Name, versions[i].Name, crd.Name, err)
		}
		comparison := reference.Comparison{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind, From: versions[i-1].Name,
			To: versions[i].Name}
		for _, change := range changes {
			for _, at := range append([]string{change.Place.Path}, change.Others...) {
				generated := reference.Change{Path: strings.TrimPrefix(strings.TrimPrefix(at, comparison.Kind), "."),
					Text: described(change)}
				if effect := change.Effects[compare.Manifests]; effect.Verdict != compare.Compatible {
					generated.Effect = effect.Reason
				}
				comparison.Changes = append(comparison.Changes, generated)
			}
		}
		all = append(all, comparison)
	}
	return all, nil
}

// described says what changed, with the rule, whose name says of what.
func described(change *compare.Change) string {
	if change.Rule == "field-added" || change.Rule == "field-removed" {
		return change.Text
	}
	return strings.ReplaceAll(change.Rule, "-", " ") + ": " + change.Text
}

// oneVersion is a surface with one version of a CRD, under a name that all versions share, so that two can be compared.
func oneVersion(
	crd *apiextensionsv1.CustomResourceDefinition, one apiextensionsv1.CustomResourceDefinitionVersion,
	documents []stage.Document,
) *surface.Surface {
	const shared = "v1"
	out := &surface.Surface{Version: shared, Locate: func(string, string) token.Position { return token.Position{} }}
	for _, doc := range documents {
		if doc.API.Group == crd.Spec.Group && doc.API.Version == one.Name {
			api := *doc.API
			api.Version = shared
			out.Packages = append(out.Packages, surface.Package{Path: path.Dir(doc.File), Document: &api})
		}
	}
	crd = crd.DeepCopy()
	one.Name, one.Storage, one.Served = shared, true, true
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{one}
	out.CRDs = append(out.CRDs, crd)
	return out
}
