// Package gogen runs the Go generators as libraries over one load: controller-tools
// (deepcopy, CRDs), kube-openapi (zz_generated.openapi.go and the report of API rule
// violations) and code-generator (clientset, listers, informers, applyconfiguration).
//
// What they write is byte-identical to what their own commands of the same version
// write; TestSameAsCommands runs both.
package gogen

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/gengo/v2/generator"
	"k8s.io/gengo/v2/namer"

	"github.com/flux-framework/flux-operator/internal/artifact"
	"github.com/flux-framework/flux-operator/internal/diag"
	"github.com/flux-framework/flux-operator/internal/load"
)

// Names of the stages, the origin of their artifacts.
const (
	DeepcopyStage = "deepcopy"
	CRDStage      = "crd"
	OpenAPIStage  = "openapi"
	ClientsStage  = "clients"
)

// Generator makes Go code and CRDs from loaded API packages. It is not safe for
// concurrent use: gengo keeps state in the process.
type Generator struct {
	api     *load.Result
	root    string // the project's root, absolute
	header  string // absolute path of the header file, may be empty
	scratch string // absolute path of a folder that gengo may make folders in

	controllerTools string // version
	base            *generator.Context
}

// Options are what a Generator needs beside the API.
type Options struct {
	Root    string // the project's root, absolute
	Header  string // file with the header comment, relative to Root; empty for none
	Scratch string // an existing folder outside the project
	// ControllerTools is the version of controller-tools that this program is built with; CRDs name it.
	ControllerTools string
}

// New returns a Generator for the loaded packages.
func New(api *load.Result, opts Options) (*Generator, error) {
	g := &Generator{api: api, root: opts.Root, scratch: opts.Scratch, controllerTools: opts.ControllerTools}
	if opts.Header != "" {
		g.header = filepath.Join(opts.Root, filepath.FromSlash(opts.Header))
		data, err := os.ReadFile(g.header)
		if err != nil {
			return nil, fmt.Errorf("reading the header file: %w", err)
		}
		if strings.Contains(string(data), "YEAR") {
			return nil, diag.List{{Rule: "header", Message: opts.Header + " holds the word YEAR, which generators replace by the clock's year",
				Hint: "write the year, or none: generated files must not change with the clock"}}
		}
	}
	return g, nil
}

// context returns a copy of the one gengo context with a generator's own name systems;
// the default name system gives the order of types.
func (g *Generator) context(names namer.NameSystems, defaultName string) (*generator.Context, error) {
	if g.base == nil {
		p, err := g.api.Parser()
		if err != nil {
			return nil, err
		}
		if g.base, err = generator.NewContext(p, nil, ""); err != nil {
			return nil, fmt.Errorf("building gengo's universe: %w", err)
		}
	}
	ctx := *g.base
	ctx.Namers = namer.NameSystems{}
	for name, system := range names {
		ctx.Namers[name] = system
	}
	orderer := namer.Orderer{Namer: names[defaultName]}
	ctx.Order = orderer.OrderUniverse(ctx.Universe)
	return &ctx, nil
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
