// Package lint checks the markers of API packages, the comment lines "+name" and "+name=value"
// that the generators read.
//
// No generator says when it does not know a marker, and none reads a comment as another does, so
// a misspelt, misplaced or detached marker is lost, or reaches the CRD and not the OpenAPI
// definitions. What a marker's value means is left to the generators' own parsers.
//
// The rules are a table (rules.go), in the order in which they run over the declarations and markers
// that read.go collects. A rule has cases in testdata/ID.txtar.
package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"path/filepath"

	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

const rule = "marker"

// Check returns the errors in the markers of the API packages, sorted by position; all diagnostics
// have the rule "marker" and, in foreign packages, which the project cannot correct, the severity
// Warning. Packages that the API imports, generated files, and types that only
// kinds which the configuration leaves out are composed of are not checked. A marker that resembles
// no known one and is in no known namespace is ignored: it may belong to another generator.
func Check(api *load.Result) diag.List {
	sources := make([]source, 0, len(api.Packages))
	for _, pkg := range api.Packages {
		sources = append(sources, source{pkg.SourceDir, pkg.Foreign, pkg.Source, api.Left})
	}
	return check(sources)
}

// source is a loaded and type-checked package, and its directory as diagnostics name it.
type source struct {
	dir     string
	foreign bool
	*loader.Package
	left func(*types.TypeName) bool // types of which no marker counts; may be nil
}

// check is Check for packages that load.Load need not accept.
func check(sources []source) diag.List {
	catalog, err := newCatalog()
	if err != nil {
		return diag.List{{Rule: rule, Message: "registering markers: " + err.Error()}}
	}
	l := &linter{catalog: catalog, types: map[*types.TypeName]*declaration{}}
	var all []*apiPackage
	for _, src := range sources {
		pkg := &apiPackage{source: src}
		l.read(pkg)
		all = append(all, pkg)
	}
	// What a marker at a field means depends on those at its type, which may come later: so each rule
	// goes through all declarations before the next one does.
	for _, rule := range rules {
		for _, pkg := range all {
			for _, decl := range pkg.declarations {
				if !pkg.leaves(decl) {
					rule.check(l, decl)
				}
			}
		}
	}
	return l.list.Sorted()
}

// linter is one run of Check.
type linter struct {
	catalog *catalog
	types   map[*types.TypeName]*declaration // the types that the API packages declare
	list    diag.List
}

// apiPackage is what was read of one package.
type apiPackage struct {
	source
	declarations []*declaration
	file         *declaration    // of the package: what stands at no declaration
	docGo        map[string]bool // texts of the markers in doc.go
}

// leaves says whether a declaration is, or is in, a type that only kinds which are left out are composed of.
func (p *apiPackage) leaves(decl *declaration) bool {
	if decl.owner != nil {
		decl = decl.owner
	}
	return p.left != nil && decl.name != nil && p.left(decl.name)
}

// complain reports an error at a marker.
func (l *linter) complain(m *marker, hint, format string, args ...any) {
	l.report(m.decl.pkg, m.pos, hint, format, args...)
}

func (l *linter) report(pkg *apiPackage, pos token.Pos, hint, format string, args ...any) {
	found := diag.Diagnostic{Pos: pkg.at(pos), Rule: rule, Hint: hint, Message: fmt.Sprintf(format, args...)}
	if pkg.foreign {
		found.Severity = diag.Warning
	}
	l.list = append(l.list, found)
}

// at returns a position with the file as diagnostics name it.
func (p *apiPackage) at(pos token.Pos) token.Position {
	out := p.Fset.PositionFor(pos, false)
	// A package's files are all in its directory.
	out.Filename = path.Join(p.dir, filepath.Base(out.Filename))
	return out
}

// line returns the line that a position is on.
func (p *apiPackage) line(pos token.Pos) int { return p.Fset.PositionFor(pos, false).Line }

// typeOf returns the type of an expression, nil if the type checker did not find it.
func (p *apiPackage) typeOf(x ast.Expr) types.Type {
	t := p.TypesInfo.TypeOf(x)
	if t == nil || t == types.Typ[types.Invalid] {
		return nil
	}
	return t
}
