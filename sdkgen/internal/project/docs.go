package project

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/version"
	"sigs.k8s.io/controller-tools/pkg/crd"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/constraint"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/compare"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/surface"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/python"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/reference"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/swagger"
)

// docs makes the reference pages.
func (b *build) docs(ctx context.Context) (*artifact.Set, error) {
	src, err := b.source(ctx)
	if err != nil {
		return nil, err
	}
	documents, err := readDocuments(b.sets[swagger.Stage])
	if err != nil {
		return nil, err
	}
	samples, err := b.programs(src, documents)
	if err != nil {
		return nil, err
	}
	var apis []reference.API
	for _, doc := range documents {
		crds, err := src.crdSchemas(doc.API)
		if err != nil {
			return nil, err
		}
		apis = append(apis, reference.API{
			API: doc.API, Languages: b.languages(src, doc.API), CRDs: crds, Shortened: b.cfg.CRDOptions().MaxDescLen != nil, Samples: samples[doc.API],
		})
	}
	comparisons, err := b.compareVersions(src, documents)
	if err != nil {
		return nil, err
	}
	opts := reference.Options{Dir: b.cfg.Docs.Dir, Markdown: b.cfg.Docs.Format == config.Markdown, Title: b.cfg.Swagger.Title}
	if opts.Title == "" {
		opts.Title = documents[0].Title
	}
	return reference.Pages(opts, apis, comparisons)
}

func (b *build) docsKey(k *keyer) error {
	k.json("docs", b.cfg.Docs)
	k.json("title", b.cfg.Swagger.Title)
	k.json("python", b.cfg.Python)
	k.json("maxDescLen", b.cfg.CRDOptions().MaxDescLen)
	if b.cfg.Python != nil {
		options, err := b.newSDK(pythonLanguage).generatorOptions()
		if err != nil {
			return err
		}
		k.json("package", options["packageName"])
	}
	return b.sourceKey(k)
}

// languages are the languages that have names for the fields of an API.
func (b *build) languages(src *source, api *model.API) []reference.Language {
	languages := []reference.Language{{Name: "Go", Separator: " ", Classes: src.structs(api)}}
	if b.cfg.Python != nil {
		languages = append(languages, reference.Language{Name: "Python", Separator: ": ", Classes: python.Classes(api)})
	}
	return languages
}

// crdSchemas returns the schemas that the CRDs have of an API, by kind.
func (s *source) crdSchemas(api *model.API) (map[string]*constraint.Schema, error) {
	schemas, err := s.schemas()
	if err != nil {
		return nil, err
	}
	found := map[string]*constraint.Schema{}
	for _, pkg := range s.Packages {
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
func (b *build) compareVersions(src *source, documents []apiDocument) ([]reference.Comparison, error) {
	if len(documents) < 2 {
		return nil, nil
	}
	schemas, err := src.schemas()
	if err != nil {
		return nil, err
	}
	var all []reference.Comparison
	seen := surface.Surface{}
	for _, pkg := range src.Packages {
		for _, kind := range pkg.Kinds {
			made := schemas.CRD(pkg.Path + "." + kind.Name)
			if made == nil || seen.CRD(made.Spec.Group, made.Spec.Names.Kind) != nil {
				continue
			}
			seen.CRDs = append(seen.CRDs, made)
			made = made.DeepCopy()
			crd.FixTopLevelMetadata(*made) // as it is installed
			found, err := compareKind(made, documents)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	return all, nil
}

// compareKind compares each version of a kind with the one before.
func compareKind(crd *apiextensionsv1.CustomResourceDefinition, documents []apiDocument) ([]reference.Comparison, error) {
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
		comparison := reference.Comparison{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind, From: versions[i-1].Name, To: versions[i].Name}
		for _, change := range changes {
			for _, at := range append([]string{change.Place.Path}, change.Others...) {
				made := reference.Change{Path: strings.TrimPrefix(strings.TrimPrefix(at, comparison.Kind), "."), Text: described(change)}
				if effect := change.Effects[compare.Manifests]; effect.Verdict != compare.Compatible {
					made.Effect = effect.Reason
				}
				comparison.Changes = append(comparison.Changes, made)
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
func oneVersion(crd *apiextensionsv1.CustomResourceDefinition, one apiextensionsv1.CustomResourceDefinitionVersion, documents []apiDocument) *surface.Surface {
	const shared = "v1"
	out := &surface.Surface{Version: shared, Locate: nowhere}
	for _, doc := range documents {
		if doc.Group == crd.Spec.Group && doc.Version == one.Name {
			api := *doc.API
			api.Version = shared
			out.Packages = append(out.Packages, surface.Package{Path: path.Dir(doc.file), Document: &api})
		}
	}
	crd = crd.DeepCopy()
	one.Name, one.Storage, one.Served = shared, true, true
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{one}
	out.CRDs = append(out.CRDs, crd)
	return out
}

// docsLock names the lock of a directory that WriteDocs writes to.
const docsLock = "docs.yaml"

// WriteDocs writes the reference pages to a directory that is none of the project's outputs, and returns how many. The
// directory has a lock of its own, docs.lock: pages of kinds that are gone are removed, and files of others are kept.
func (p *Project) WriteDocs(ctx context.Context, dir, format string) (pages int, err error) {
	cfg, other := *p.cfg, *p
	cfg.Docs, other.cfg = &config.Docs{Dir: ".", Format: format}, &cfg
	b := other.newBuild(Options{})
	if err := b.run(ctx, []string{reference.Stage}); err != nil {
		return 0, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	lock, err := artifact.ReadLock(root, docsLock)
	if err != nil {
		return 0, err
	}
	plan, err := artifact.NewPlan(root, lock, b.sets[reference.Stage], map[string]string{reference.Stage: b.keys[reference.Stage]}, artifact.Options{})
	if err != nil {
		return 0, err
	}
	return b.sets[reference.Stage].Len(), artifact.Commit(ctx, root, plan)
}
