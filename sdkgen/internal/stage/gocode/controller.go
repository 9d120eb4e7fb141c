package gocode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// Deepcopy generates zz_generated.deepcopy.go of each package of the project's own.
func (g *Generator) Deepcopy() (_ *artifact.Set, err error) {
	defer rescue("controller-gen object", &err)
	set := &artifact.Set{}
	for _, pkg := range g.own() {
		out := &outputs{set: set, dir: pkg.Dir, origin: DeepcopyStage}
		ctx := g.controllerContext(out, pkg)
		if err := (deepcopy.Generator{HeaderFile: g.header}).Generate(ctx); err != nil {
			return nil, fmt.Errorf("running controller-gen object: %w", err)
		}
	}
	return set, g.api.Problems()
}

// CRDs generates the CustomResourceDefinitions of all packages, in dir. The warnings are about CRDs that are too
// large for an annotation.
func (g *Generator) CRDs(dir string) (_ *artifact.Set, warnings diag.List, err error) {
	defer rescue("controller-gen crd", &err)
	header, err := g.crdHeader()
	if err != nil {
		return nil, nil, err
	}
	generated, err := g.source.Definitions()
	if err != nil {
		return nil, nil, err
	}
	out := &outputs{set: &artifact.Set{}, dir: dir, origin: CRDStage}
	ctx := g.controllerContext(out, g.api.Packages...)
	for _, kind := range generated.Kinds {
		definition, ok := generated.CRDs[kind]
		if !ok {
			return nil, nil, fmt.Errorf("running controller-gen crd for %s: controller-tools generated no CRD", kind)
		}
		size, err := g.writeCRD(ctx, definition, header)
		if err != nil {
			return nil, nil, fmt.Errorf("running controller-gen crd for %s: %w", kind, err)
		}
		if size > annotationLimit {
			warnings.Warn(g.kindPos(kind), "crd",
				"shorten the descriptions with crd.maxDescLen in the configuration (0 leaves them out), or apply the CRD with "+
					"`kubectl apply --server-side`",
				"`kubectl apply` cannot apply the CRD of %s: it has %d bytes as JSON, and the annotation with the copy that "+
					"kubectl makes may have %d", kind.Kind, size, annotationLimit)
		}
	}
	return out.set, warnings, nil
}

// annotationLimit is the size that the API server accepts of all annotations of an object.
const annotationLimit = 256 << 10

// lastApplied is the annotation of kubectl's client-side apply.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// writeCRD does for one kind what crd.Generator does, but names controller-tools' version where its own code would
// name the version of the program that it is linked into. It returns the size of the annotations that a client-side
// apply would give the CRD.
func (g *Generator) writeCRD(
	ctx *genall.GenerationContext, raw apiextensionsv1.CustomResourceDefinition, header string,
) (size int, err error) {
	raw.Annotations = maps.Clone(raw.Annotations)
	if omit := g.source.Options.OmitToolVersion; omit == nil || !*omit {
		metav1.SetMetaDataAnnotation(&raw.ObjectMeta, "controller-gen.kubebuilder.io/version", g.controllerTools)
	}
	crd.FixTopLevelMetadata(raw)
	object, err := crd.AsVersion(raw, apiextensionsv1.SchemeGroupVersion)
	if err != nil {
		return 0, err
	}
	name := fmt.Sprintf("%s_%s.yaml", raw.Spec.Group, raw.Spec.Names.Plural)
	if strings.ContainsAny(name, `/\`) {
		return 0, diag.Errorf(g.kindPos(schema.GroupKind{Group: raw.Spec.Group, Kind: raw.Spec.Names.Kind}), "crd",
			"remove the slashes from +groupName and +kubebuilder:resource:path", "%q is not a valid file name for the CRD", name)
	}
	for key, value := range raw.Annotations {
		size += len(key) + len(value)
	}
	measure := func(obj map[string]any) error {
		data, err := json.Marshal(obj)
		size += len(lastApplied) + len(data)
		return err
	}
	err = ctx.WriteYAML(name, header, []any{object}, genall.WithTransform(withoutStatus),
		genall.WithTransform(genall.TransformRemoveCreationTimestamp),
		genall.WithTransform(g.preserveUnknownFields), genall.WithTransform(measure))
	return size, err
}

// preserveUnknownFields writes spec.preserveUnknownFields, if its option is set.
func (g *Generator) preserveUnknownFields(obj map[string]any) error {
	spec, ok := obj["spec"].(map[string]any)
	if value := g.source.Options.DeprecatedV1beta1CompatibilityPreserveUnknownFields; ok && value != nil {
		spec["preserveUnknownFields"] = *value
	}
	return nil
}

// crdHeader returns the text above each CRD.
func (g *Generator) crdHeader() (string, error) {
	name := g.source.Options.HeaderFile
	if name == "" {
		return "", nil
	}
	data, err := os.ReadFile(filepath.Join(g.root, filepath.FromSlash(name)))
	if err != nil {
		return "", diag.Errorf(token.Position{Filename: name}, "header",
			"correct crd.headerFile in the configuration, or remove it", "cannot read the header of the CRDs: %v",
			errors.Unwrap(err))
	}
	return strings.ReplaceAll(string(data), " YEAR", " "+g.source.Options.Year), nil
}

// kindPos returns where a root kind is declared.
func (g *Generator) kindPos(kind schema.GroupKind) token.Position {
	for _, pkg := range g.api.Packages {
		if pos := g.api.Pos(pkg.Path, kind.Kind, ""); pkg.Group == kind.Group && pos.Line > 0 {
			return pos
		}
	}
	return token.Position{}
}

func withoutStatus(obj map[string]any) error {
	delete(obj, "status")
	return nil
}

func (g *Generator) controllerContext(out genall.OutputRule, pkgs ...*load.Package) *genall.GenerationContext {
	ctx := &genall.GenerationContext{
		Collector: g.api.Collector, Checker: g.api.Checker,
		OutputRule: out, InputRule: genall.InputFromFileSystem,
	}
	for _, pkg := range pkgs {
		ctx.Roots = append(ctx.Roots, pkg.Source)
	}
	return ctx
}

// outputs is an output rule that keeps what is written.
type outputs struct {
	set    *artifact.Set
	dir    string
	origin string
}

// Open implements genall.OutputRule.
func (o *outputs) Open(_ *loader.Package, name string) (io.WriteCloser, error) {
	return &output{rule: o, path: path.Join(o.dir, name)}, nil
}

type output struct {
	bytes.Buffer
	rule *outputs
	path string
}

func (o *output) Close() error {
	return o.rule.set.Put(artifact.File{Path: o.path, Data: o.Bytes(), Origin: o.rule.origin})
}
