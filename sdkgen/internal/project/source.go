package project

import (
	"cmp"
	"context"
	"fmt"
	"go/token"
	"path"
	"strings"
	"sync"

	"sigs.k8s.io/controller-tools/pkg/crd"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/lint"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/gocode"
)

// source is the API packages, and the Go generators over them.
type source struct {
	*load.Result
	gen     *gocode.Generator
	schemas func() (*gocode.Schemas, error) // of all types, made once
}

func (p *Project) newSource(api *load.Result) (*source, error) {
	gen, err := gocode.New(api, gocode.Options{
		Root: p.env.Root, Header: p.cfg.Header, Year: p.cfg.Year, Scratch: p.scratch,
		ControllerTools: p.env.Modules["sigs.k8s.io/controller-tools"], CRD: crdGenerator(p.cfg.CRDOptions()),
	})
	if err != nil {
		return nil, err
	}
	return &source{api, gen, sync.OnceValues(gen.Schemas)}, nil
}

// crdGenerator returns controller-gen's generator with the options of a project.
func crdGenerator(o config.CRD) crd.Generator {
	return crd.Generator{
		IgnoreUnexportedFields:     &o.IgnoreUnexportedFields,
		AllowDangerousTypes:        &o.AllowDangerousTypes,
		MaxDescLen:                 o.MaxDescLen,
		CRDVersions:                o.CRDVersions,
		GenerateEmbeddedObjectMeta: &o.GenerateEmbeddedObjectMeta,
		HeaderFile:                 o.HeaderFile,
		Year:                       o.Year,
		OmitToolVersion:            &o.OmitToolVersion,
		DeprecatedV1beta1CompatibilityPreserveUnknownFields: o.DeprecatedV1beta1CompatibilityPreserveUnknownFields,
	}
}

// Load reads the API packages and checks their markers.
func (p *Project) Load(ctx context.Context) (*load.Result, error) {
	api, err := load.Load(ctx, p.loadOptions())
	if err != nil {
		return nil, err
	}
	// The linter comes first: what it says of a marker's value is more than the generators do.
	diagnostics := append(lint.Check(api), api.Warnings...)
	diagnostics = append(append(diagnostics, checkNames(api, p.cfg.Clients != nil)...), missingLists(api)...)
	if err := diagnostics.Errors().Err(); err != nil {
		return nil, err
	}
	if err := api.Problems(); err != nil {
		return nil, err
	}
	p.warn(api, diagnostics)
	return api, nil
}

// warn logs how many diagnostics packages of other modules have, and each of them at debug level.
func (p *Project) warn(api *load.Result, diagnostics diag.List) {
	for _, pkg := range api.Packages {
		count := 0
		for _, d := range diagnostics.Sorted() {
			if path.Dir(d.Pos.Filename) == pkg.SourceDir {
				p.env.Log.Debug(d.String())
				count++
			}
		}
		if count > 0 {
			p.env.Log.Warn(fmt.Sprintf("%s: the generators do not agree on %d fields or markers, -v lists them", pkg.Path, count))
		}
	}
}

func (p *Project) loadOptions() load.Options {
	opts := load.Options{
		Root: p.env.Root, Env: p.env.Environ, IgnoreUnexportedFields: p.cfg.CRDOptions().IgnoreUnexportedFields, Selections: map[string]load.Selection{},
	}
	for i, api := range p.cfg.APIs {
		opts.Selections[cmp.Or(api.Package, api.Path)] = load.Selection{
			Kinds: p.names(api.Kinds, i, "kinds"), Exclude: p.names(api.Exclude, i, "exclude"), NoCRD: api.NoCRD(),
		}
		if api.Package != "" {
			opts.Foreign = append(opts.Foreign, load.Foreign{Path: api.Package, Dir: api.Dir})
		} else {
			opts.Dirs = append(opts.Dirs, api.Path)
		}
	}
	return opts
}

// names are the names of kinds in a list of an API.
func (p *Project) names(kinds []string, api int, key string) []load.Name {
	var names []load.Name
	for i, kind := range kinds {
		names = append(names, load.Name{Text: kind, Pos: p.cfg.Pos("apis", api, key, i)})
	}
	return names
}

// position returns where a type, "PACKAGE.Type", or one of its properties is declared.
func (s *source) position(goType, property string) token.Position {
	i := strings.LastIndexByte(goType, '.')
	return s.PropertyPos(goType[:max(i, 0)], goType[i+1:], property)
}

// object is position for everything that a package declares, and, of "PACKAGE.", for its clause in doc.go, or else in the
// first file.
func (s *source) object(name, property string) token.Position {
	if pos := s.position(name, property); pos.IsValid() {
		return pos
	}
	i := strings.LastIndexByte(name, '.')
	pkg := s.ByPath(name[:max(i, 0)])
	switch {
	case pkg == nil || property != "":
	case name[i+1:] != "":
		if object := pkg.Source.Types.Scope().Lookup(name[i+1:]); object != nil {
			return s.At(object.Pos())
		}
	default:
		var clause token.Position
		for _, file := range pkg.Source.Syntax {
			if pos := s.At(file.Package); !clause.IsValid() || path.Base(pos.Filename) == "doc.go" {
				clause = pos
			}
		}
		return clause
	}
	return token.Position{}
}

func (b *build) deepcopy(ctx context.Context) (*artifact.Set, error) {
	src, err := b.source(ctx)
	if err != nil {
		return nil, err
	}
	return src.gen.Deepcopy()
}

func (b *build) crds(ctx context.Context) (*artifact.Set, error) {
	src, err := b.source(ctx)
	if err != nil {
		return nil, err
	}
	found, err := src.checkPaths()
	if err != nil {
		return nil, err
	}
	if err := found.Errors().Err(); err != nil {
		return nil, err
	}
	set, large, err := src.gen.CRDs(b.cfg.CRD.Dir)
	b.env.warn(append(found, large...))
	return set, err
}

// openapi makes the definitions of the project's own packages and checks the API rules.
func (b *build) openapi(ctx context.Context) (*artifact.Set, error) {
	src, err := b.source(ctx)
	if err != nil {
		return nil, err
	}
	set, report, omitted, err := src.openapi()
	if err != nil {
		return nil, err
	}
	b.env.warn(omitted)
	_, err = b.checkRules(src, report, false)
	return set, err
}

// openapi runs openapi-gen over the project's own packages, for its files and its report on the API rules. omitted are
// warnings about types that the files lack.
func (s *source) openapi() (set *artifact.Set, report []byte, omitted diag.List, err error) {
	// controller-tools knows the position of a type that neither it nor openapi-gen can take.
	schemas, err := s.schemas()
	if err != nil {
		return nil, nil, nil, err
	}
	set = &artifact.Set{}
	for _, pkg := range s.Packages {
		if pkg.Foreign {
			continue
		}
		part, lines, left, err := s.gen.OpenAPI(pkg, schemas)
		if err != nil {
			return nil, nil, nil, err
		}
		if err := set.Merge(part); err != nil {
			return nil, nil, nil, err
		}
		report = append(report, lines...)
		for _, name := range left {
			omitted.Warn(s.Pos(pkg.Path, name, ""), gocode.OpenAPIStage, "", "%s omits the type %s: openapi-gen does not support it, and no kind uses it", gocode.OpenAPIFile, name)
		}
	}
	return set, report, omitted, nil
}

// withoutCRD warns of each kind that a stage makes nothing of, because an aggregated API server serves it.
func (s *source) withoutCRD(stage, made string) diag.List {
	var list diag.List
	for _, pkg := range s.Packages {
		for _, kind := range pkg.Kinds {
			if pkg.NoCRD && !kind.List {
				list.Warn(s.position(pkg.Path+"."+kind.Name, ""), stage, "only the code of the aggregated API server knows what it accepts of a kind that has no CRD",
					"%s %s has no %s", kind.Name, pkg.Version, made)
			}
		}
	}
	return list
}
