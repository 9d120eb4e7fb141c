// Package load reads the API packages of an operator once, for every generator.
//
// One "go list" gives the package graph. Only the packages that the API's types reach are
// parsed and type-checked (see reach.go); controller-tools' generators
// work on these directly, and the same syntax and types are handed to gengo's parser
// (see universe.go), which on its own would read and check every dependency again.
package load

import (
	"cmp"
	"context"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// Options says what to load and from where.
type Options struct {
	Root string   // the project's root, absolute
	Env  []string // the environment of "go list", as os.Environ gives it
	Dirs []string // directories of the project's API packages, slash-separated, relative to Root
	// Foreign are API packages of modules that the project requires.
	Foreign []Foreign
	// IgnoreUnexportedFields takes fields with a lower-case name and a json tag, which are errors otherwise.
	IgnoreUnexportedFields bool
	// Selections choose the kinds of packages, by directory or import path; a package without one has all.
	Selections map[string]Selection
}

// Foreign names an API package that is not the project's own.
type Foreign struct {
	Path string // import path
	Dir  string // directory for what is made of it, slash-separated, relative to Root
}

// Result is the loaded API.
type Result struct {
	Packages  []*Package         // in the order of Options.Dirs, then of Options.Foreign
	Collector *markers.Collector // knows the markers of controller-tools' CRD and deepcopy generators
	Checker   *loader.TypeChecker
	// Warnings are diagnostics in foreign packages that do not stop the run.
	Warnings diag.List

	ignoreUnexported bool

	root     string
	home     *home
	composed composition
	reached  typeSet // what the kinds that count are composed of
	left     typeSet // what only the others are composed of
	fset     *token.FileSet
	config   packages.Config
}

// Package is one API package: a group and version.
type Package struct {
	// where its files go, slash-separated, relative to the root: the package's directory if it is the project's own
	Dir         string
	SourceDir   string // directory of its source, slash-separated: relative to the root, absolute if it lies outside
	Foreign     bool   // a package of another module: nothing is written to it
	Path        string // import path
	Name        string // name in the package clause
	Group       string // value of +groupName
	GroupGoName string // value of +groupGoName, empty if there is none
	// GroupElsewhere says that +groupName is in another file than doc.go.
	GroupElsewhere bool
	Version        string
	Kinds          []Kind // those that count, sorted by name
	Excluded       []Kind // those that the configuration leaves out, sorted by name
	NoCRD          bool   // its kinds are no custom resources

	// Source is the package as controller-tools loads it.
	Source *loader.Package

	fields    map[string]token.Pos // "Type" and "Type.Field" to where it is declared
	tags      packageMarkers
	selection Selection
	unusable  map[string]bool // types that no kind reaches and openapi-gen cannot take
}

// Load reads the packages. Errors in them are a diag.List: no Go files, syntax and type
// errors, imports that do not resolve, missing markers, no root kind. Marker values that
// controller-tools cannot parse are left to the linter, and to Problems.
func Load(ctx context.Context, opts Options) (*Result, error) {
	home, err := findHome(opts)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	cfg := packages.Config{
		Context: ctx,
		Mode:    packages.NeedModule,
		Dir:     home.dir,
		// Without cgo, "go list" need not run cgo for net and os/user; API types never need it, and a
		// file that does is not read. It is asked for source alone, then, and does not start the compiler.
		Env:        slices.Concat([]string{"GOGC=400"}, opts.Env, []string{"CGO_ENABLED=0"}),
		BuildFlags: []string{"-compiled=false"},
		Fset:       fset,
	}
	res := &Result{ignoreUnexported: opts.IgnoreUnexportedFields, root: opts.Root, home: home, fset: fset, config: cfg}
	res.Collector = &markers.Collector{Registry: &markers.Registry{}}
	// A package's markers are parsed once, so all generators' must be known before.
	for _, register := range []func(*markers.Registry) error{crdmarkers.Register, deepcopy.Generator{}.RegisterMarkers} {
		if err := register(res.Collector.Registry); err != nil {
			return nil, fmt.Errorf("registering markers: %w", err)
		}
	}

	roots, err := loader.LoadRootsWithConfig(&cfg, home.importPaths...)
	if err != nil {
		return nil, cmp.Or(ctx.Err(), res.listError(err))
	}
	byPath := map[string]*loader.Package{}
	for _, root := range roots {
		byPath[root.PkgPath] = root
	}
	res.Checker = checkTypes(fset, roots)
	for i, importPath := range home.importPaths {
		pkg := &Package{Path: importPath, Source: byPath[importPath]}
		if i < len(opts.Dirs) {
			pkg.Dir, pkg.SourceDir = opts.Dirs[i], opts.Dirs[i]
			pkg.selection = opts.Selections[pkg.Dir]
		} else {
			pkg.Dir, pkg.Foreign = opts.Foreign[i-len(opts.Dirs)].Dir, true
			pkg.selection = opts.Selections[importPath]
		}
		if pkg.Source == nil {
			return nil, diag.Errorf(token.Position{Filename: pkg.place()}, rule, "run `go list "+importPath+"`",
				"package not found")
		}
		res.Packages = append(res.Packages, pkg)
	}
	if err := res.Problems(); err != nil {
		return nil, err
	}
	if err := res.describeAll().Err(); err != nil {
		return nil, err
	}
	return res, nil
}

// describeAll describes the packages and checks their types.
func (r *Result) describeAll() diag.List {
	var list diag.List
	for _, pkg := range r.Packages {
		list = append(list, r.describe(pkg)...)
	}
	r.findReached()
	for _, pkg := range r.Packages {
		list = append(append(list, r.derivedKinds(pkg)...), r.checkTypes(pkg)...)
	}
	return r.Advise(list)
}

// place names the package where there is no position in it.
func (p *Package) place() string {
	if p.Foreign {
		return p.Path
	}
	return p.Dir
}

// Pos returns where a type of the package is declared, or a field of it by its Go name; field is
// empty for the type itself. The position is invalid if there is no such declaration.
func (r *Result) Pos(pkg, typeName, field string) token.Position {
	return r.declared(pkg, typeName, ".", field)
}

// PropertyPos is Pos for a field by its JSON name.
func (r *Result) PropertyPos(pkg, typeName, property string) token.Position {
	return r.declared(pkg, typeName, "#", property)
}

// At returns a position in a loaded package, relative to the root if it lies inside.
func (r *Result) At(pos token.Pos) token.Position { return r.position(pos) }

func (r *Result) declared(importPath, typeName, separator, field string) token.Position {
	pkg := r.ByPath(importPath)
	if pkg == nil {
		return token.Position{}
	}
	for _, key := range []string{typeName + separator + field, typeName} {
		if pos, ok := pkg.fields[key]; ok && key != typeName+separator {
			return r.position(pos)
		}
	}
	return token.Position{}
}

// ByPath returns the package with that import path, nil if it was not asked for.
func (r *Result) ByPath(importPath string) *Package {
	for _, pkg := range r.Packages {
		if pkg.Path == importPath {
			return pkg
		}
	}
	return nil
}

// ModuleDir is the directory, absolute, of the module that the packages are loaded from.
func (r *Result) ModuleDir() string { return r.home.dir }

// Own says whether an import path is one of a module that holds API packages of the project.
func (r *Result) Own(importPath string) bool {
	return slices.ContainsFunc(r.home.holders, func(m module) bool { return m.holds(importPath) })
}

func (r *Result) position(pos token.Pos) token.Position {
	return r.relative(r.fset.Position(pos))
}

// relative makes the file's name relative to the root if it lies inside. What the go command says is
// relative to the directory that it runs in.
func (r *Result) relative(pos token.Position) token.Position {
	if pos.Filename != "" && !filepath.IsAbs(pos.Filename) {
		pos.Filename = filepath.Join(r.home.dir, pos.Filename)
	}
	return relative(r.root, pos)
}

func relative(root string, pos token.Position) token.Position {
	if rel, err := filepath.Rel(root, pos.Filename); err == nil && filepath.IsLocal(rel) {
		pos.Filename = filepath.ToSlash(rel)
	}
	return pos
}
