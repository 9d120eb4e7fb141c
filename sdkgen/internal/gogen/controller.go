package gogen

import (
	"bytes"
	"errors"
	"fmt"
	"go/token"
	"io"
	"path"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/load"
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

// CRDs generates the CustomResourceDefinitions of all packages, in dir.
func (g *Generator) CRDs(dir string) (_ *artifact.Set, err error) {
	defer rescue("controller-gen crd", &err)
	parser := &crd.Parser{Collector: g.api.Collector, Checker: g.api.Checker, AllowDangerousTypes: g.allowFloats}
	crd.AddKnownTypes(parser)
	set := &artifact.Set{}
	ctx := g.controllerContext(&outputs{set: set, dir: dir, origin: CRDStage}, g.api.Packages...)
	for _, root := range ctx.Roots {
		parser.NeedPackage(root)
	}
	for _, groupKind := range crd.FindKubeKinds(parser, crd.FindMetav1(ctx.Roots)) {
		if err := g.writeCRD(ctx, parser, groupKind); err != nil {
			return nil, fmt.Errorf("running controller-gen crd for %s: %w", groupKind, err)
		}
	}
	return set, g.api.Problems()
}

// writeCRD does for one kind what crd.Generator does, but names controller-tools' version
// where its own code would name the version of the program that it is linked into.
func (g *Generator) writeCRD(ctx *genall.GenerationContext, parser *crd.Parser, groupKind schema.GroupKind) error {
	parser.NeedCRDFor(groupKind, nil)
	raw, ok := parser.CustomResourceDefinitions[groupKind]
	if !ok {
		return errors.New("controller-tools generated no CRD")
	}
	if raw.Annotations == nil {
		raw.Annotations = map[string]string{}
	}
	raw.Annotations["controller-gen.kubebuilder.io/version"] = g.controllerTools
	crd.FixTopLevelMetadata(raw)
	object, err := crd.AsVersion(raw, apiextensionsv1.SchemeGroupVersion)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%s_%s.yaml", raw.Spec.Group, raw.Spec.Names.Plural)
	if strings.ContainsAny(name, `/\`) {
		return diag.Errorf(g.kindPos(groupKind), "crd", "remove the slashes from +groupName and +kubebuilder:resource:path", "%q is not a valid file name for the CRD", name)
	}
	return ctx.WriteYAML(name, "", []any{object}, genall.WithTransform(withoutStatus),
		genall.WithTransform(genall.TransformRemoveCreationTimestamp))
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
