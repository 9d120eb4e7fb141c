// Package gocode runs the Go generators as libraries over one load: controller-tools
// (deepcopy, CRDs), kube-openapi (zz_generated.openapi.go and the report of API rule
// violations) and code-generator (clientset, listers, informers, applyconfiguration).
//
// What they write is byte-identical to what their own commands of the same version
// write; TestSameAsCommands runs both.
package gocode

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"k8s.io/gengo/v2/generator"
	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/types"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/gotypes"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// Names of the stages, the origin of their artifacts.
const (
	DeepcopyStage = "deepcopy"
	CRDStage      = "crd"
	OpenAPIStage  = "openapi"
	ClientsStage  = "clients"
)

// Generator generates Go code and CRDs from loaded API packages. It is not safe for
// concurrent use: gengo keeps state in the process.
type Generator struct {
	source  *gotypes.Source
	api     *load.Result // of source
	root    string       // the project's root, absolute
	header  string       // absolute path of the header comment in scratch, with the year; may be empty
	scratch string       // absolute path of a directory that gengo may make directories in

	controllerTools string // version
	base            *generator.Context
	more            []string // import paths to treat as API packages, too
}

// Options configure a Generator.
type Options struct {
	Root    string // the project's root, absolute
	Header  string // file with the header comment, relative to Root; empty for none
	Year    string // replaces " YEAR" in the header by a space and itself
	Scratch string // an existing directory outside the project
	// ControllerTools is the version of controller-tools that this program is built with; CRDs name it.
	ControllerTools string
}

// New returns a Generator for the loaded packages. The HeaderFile of the source's CRD options is relative to Root.
func New(source *gotypes.Source, opts Options) (*Generator, error) {
	g := &Generator{
		source: source, api: source.API, root: opts.Root, scratch: opts.Scratch, controllerTools: opts.ControllerTools,
	}
	if opts.Header == "" {
		return g, nil
	}
	header, err := readHeader(opts)
	if err != nil {
		return nil, err
	}
	g.header = filepath.Join(opts.Scratch, "header.txt")
	if err := os.WriteFile(g.header, header, 0o600); err != nil {
		return nil, fmt.Errorf("writing the header comment for the generators: %w", err)
	}
	return g, nil
}

// readHeader returns the header comment with the year, as controller-gen's object generator replaces it. What
// is left of YEAR is an error: gengo's generators would write the current year.
func readHeader(opts Options) ([]byte, error) {
	pos := token.Position{Filename: opts.Header}
	data, err := os.ReadFile(filepath.Join(opts.Root, filepath.FromSlash(opts.Header)))
	if err != nil {
		return nil, diag.Errorf(pos, "header", "correct header in sdkgen.yaml, or remove it",
			"cannot read the header comment: %v", errors.Unwrap(err))
	}
	if _, err := parser.ParseFile(token.NewFileSet(), opts.Header, append(bytes.Clone(data), "\n\npackage x\n"...),
		parser.ImportsOnly); err != nil {
		pos.Line, pos.Column = 1, 1
		return nil, diag.Errorf(pos, "header", "write // before each line", "the header is not a Go comment")
	}
	if opts.Year != "" {
		data = bytes.ReplaceAll(data, []byte(" YEAR"), []byte(" "+opts.Year))
	}
	before, _, found := bytes.Cut(data, []byte("YEAR"))
	if !found {
		return data, nil
	}
	pos.Line = bytes.Count(before, []byte("\n")) + 1
	pos.Column = len(before) - bytes.LastIndexByte(before, '\n')
	hint := "write the year in its place, or in sdkgen.yaml, beside header, for example:\nyear: 2026"
	if opts.Year != "" {
		hint = "write a space before it, or the year in its place"
	}
	return nil,
		diag.Errorf(pos, "header", hint, "the header contains the word YEAR, which generators replace with the current year")
}

// universe returns gengo's universe, made once.
func (g *Generator) universe() (types.Universe, error) {
	if g.base == nil {
		p, err := g.api.Parser(g.more...)
		if err != nil {
			return nil, err
		}
		if g.base, err = generator.NewContext(p, nil, ""); err != nil {
			return nil, fmt.Errorf("building gengo's universe: %w", err)
		}
		g.tag()
	}
	return g.base.Universe, nil
}

// context returns a copy of the one gengo context with a generator's own name systems;
// the default name system gives the order of types.
func (g *Generator) context(names namer.NameSystems, defaultName string) (*generator.Context, error) {
	if _, err := g.universe(); err != nil {
		return nil, err
	}
	ctx := *g.base
	ctx.Inputs = nil
	for _, pkg := range g.own() {
		ctx.Inputs = append(ctx.Inputs, pkg.Path)
	}
	ctx.Namers = namer.NameSystems{}
	for name, system := range names {
		ctx.Namers[name] = system
	}
	orderer := namer.Orderer{Namer: names[defaultName]}
	ctx.Order = orderer.OrderUniverse(ctx.Universe)
	return &ctx, nil
}

// tag adds the marker that openapi-gen requires to packages of other modules, and removes what would
// make it call a method for a definition's name: definitions are named by their Go type. gengo reads the
// group in doc.go alone, but kubebuilder's layout has it in groupversion_info.go.
func (g *Generator) tag() {
	for _, pkg := range g.api.Packages {
		known := g.base.Universe[pkg.Path]
		if known == nil {
			continue
		}
		if pkg.GroupElsewhere {
			known.Comments = append(known.Comments, "+groupName="+pkg.Group)
		}
		if ignore := g.source.Options.IgnoreUnexportedFields; ignore != nil && *ignore {
			removeUnexported(known)
		}
		for _, kind := range pkg.Excluded {
			if t := known.Types[kind.Name]; t != nil {
				t.CommentLines, t.SecondClosestCommentLines = without(t.CommentLines, "+genclient"),
					without(t.SecondClosestCommentLines, "+genclient")
			}
		}
	}
	paths := slices.Clone(g.more)
	for _, pkg := range g.api.Packages {
		if pkg.Foreign {
			paths = append(paths, pkg.Path)
		}
	}
	for _, path := range paths {
		known := g.base.Universe[path]
		if known == nil {
			continue
		}
		known.Comments = append(without(known.Comments, modelMarker), "+"+load.OpenAPIMarker+"=true")
		for _, t := range known.Types {
			t.CommentLines = without(t.CommentLines, modelMarker)
			for _, method := range definitionMethods {
				delete(t.Methods, method)
			}
			for i := range t.Members {
				alignPatchMarkers(&t.Members[i])
			}
		}
	}
}

// removeUnexported removes the fields that controller-tools ignores; openapi-gen would define a property for each.
func removeUnexported(pkg *types.Package) {
	for _, t := range pkg.Types {
		t.Members = slices.DeleteFunc(t.Members, func(m types.Member) bool {
			return !m.Embedded &&
				!token.IsExported(m.Name)
		})
	}
}

// alignPatchMarkers gives a field the patch markers that its struct tag has: openapi-gen refuses others, and no
// custom resource is patched by them.
func alignPatchMarkers(member *types.Member) {
	for _, name := range []string{"patchMergeKey", "patchStrategy"} {
		member.CommentLines = slices.DeleteFunc(slices.Clone(member.CommentLines), func(line string) bool {
			return strings.HasPrefix(strings.TrimSpace(line), "+"+name)
		})
		if value := reflect.StructTag(member.Tags).Get(name); value != "" {
			member.CommentLines = append(member.CommentLines, "+"+name+"="+value)
		}
	}
}

// own returns the project's own packages, the only ones that Go code is generated for.
func (g *Generator) own() []*load.Package {
	return slices.DeleteFunc(slices.Clone(g.api.Packages), func(pkg *load.Package) bool { return pkg.Foreign })
}

// run executes one gengo generator, under the name that its command has, and returns its files.
func (g *Generator) run(command, stage string, names namer.NameSystems, defaultName string,
	targets func(*generator.Context) ([]generator.Target, error),
) (*artifact.Set, error) {
	set := &artifact.Set{}
	err := asCommand(command, func() error {
		ctx, err := g.context(names, defaultName)
		if err != nil {
			return err
		}
		ctx.FileTypes = map[string]generator.FileType{
			generator.GoFileType: &memory{set: set, root: g.scratch, origin: stage},
		}
		list, err := targets(ctx)
		if err != nil {
			return err
		}
		return ctx.ExecuteTargets(list)
	})
	if err != nil {
		return nil, fmt.Errorf("running %s: %w", command, err)
	}
	return set, nil
}
