package link

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/runtime"
)

// program is the runtime and the files of a version, type-checked as one package.
type program struct {
	fset     *token.FileSet
	sources  []*source
	pkg      *types.Package
	info     types.Info
	selected map[*ast.Ident]bool     // identifiers behind a dot
	names    map[types.Object]string // what the runtime's unexported objects become
}

// check reads and type-checks the runtime and the Go files among files, of a package that has the name pkg or, without
// one, that of the files.
func check(pkg string, files *artifact.Set) (*program, error) {
	p := &program{
		fset: token.NewFileSet(), selected: map[*ast.Ident]bool{},
		info: types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}},
	}
	for file := range files.All() {
		if path.Ext(file.Path) != ".go" {
			continue
		}
		if err := p.add(file.Path, file.Data, false); err != nil {
			return nil, err
		}
		pkg = p.sources[0].syntax.Name.Name
	}
	common, err := runtime.Go(pkg)
	if err != nil {
		return nil, err
	}
	for _, file := range common {
		if err := p.add(file.Path, file.Data, true); err != nil {
			return nil, err
		}
	}
	var syntax []*ast.File
	for _, s := range p.sources {
		syntax = append(syntax, s.syntax)
	}
	// What comes of other packages has no type. Nothing here depends on it, so errors that follow are none.
	config := types.Config{Importer: unloaded{}, Error: func(error) {}}
	if p.pkg, err = config.Check(pkg, p.fset, syntax, &p.info); p.pkg == nil {
		return nil, fmt.Errorf("checking the types of the package %s: %w", pkg, err)
	}
	p.export()
	return p, nil
}

// unloaded is the importer that has no package.
type unloaded struct{}

var errUnloaded = errors.New("not loaded")

func (unloaded) Import(string) (*types.Package, error) { return nil, errUnloaded }

func (p *program) add(name string, data []byte, ofRuntime bool) error {
	syntax, err := parser.ParseFile(p.fset, name, data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("reading generated code: %w", err)
	}
	ast.Inspect(syntax, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			p.selected[selector.Sel] = true
		}
		return true
	})
	p.sources = append(p.sources, &source{name, data, syntax, p.fset.File(syntax.FileStart), ofRuntime})
	return nil
}

// source returns the version's file of a path, nil if it is none of Go.
func (p *program) source(name string) *source {
	for _, s := range p.sources {
		if s.path == name && !s.runtime {
			return s
		}
	}
	return nil
}

// export works out the names of what the runtime declares in the package's scope, and of the fields and methods of its
// types but the exported ones, of which users see the fields.
func (p *program) export() {
	p.names = map[types.Object]string{}
	add := func(object types.Object) {
		if !object.Exported() {
			p.names[object] = exported(object.Name())
		}
	}
	scope := p.pkg.Scope()
	for _, name := range scope.Names() {
		object := scope.Lookup(name)
		if !p.isRuntime(object) || object.Exported() {
			continue
		}
		add(object)
		named, ok := object.Type().(*types.Named)
		if _, declares := object.(*types.TypeName); !ok || !declares {
			continue
		}
		for method := range named.Methods() {
			add(method)
		}
		if fields, ok := named.Underlying().(*types.Struct); ok {
			for field := range fields.Fields() {
				add(field)
			}
		}
	}
}

// exported spells an unexported name as an exported one.
func exported(name string) string {
	for _, initials := range []string{"http", "json", "url"} {
		if rest, ok := strings.CutPrefix(name, initials); ok && (rest == "" || unicode.IsUpper(rune(rest[0]))) {
			return strings.ToUpper(initials) + rest
		}
	}
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(first)) + name[size:]
}

// object returns what an identifier declares or refers to, nil if that is in another package.
func (p *program) object(ident *ast.Ident) types.Object {
	switch object := p.info.ObjectOf(ident).(type) {
	case nil: // in an expression that has a part without a type, of which not all is recorded
		if inner := p.pkg.Scope().Innermost(ident.Pos()); inner != nil && !p.selected[ident] {
			_, found := inner.LookupParent(ident.Name, ident.Pos())
			return found
		}
	case *types.Var:
		return object.Origin()
	case *types.Func:
		return object.Origin()
	default:
		return object
	}
	return nil
}

func (p *program) isRuntime(object types.Object) bool {
	file := p.fset.File(object.Pos())
	for _, s := range p.sources {
		if s.file == file {
			return s.runtime
		}
	}
	return false
}

func (p *program) isGlobal(object types.Object) bool { return object.Parent() == p.pkg.Scope() }

// isField says whether an identifier refers to a field of one of the runtime's structs.
func (p *program) isField(ident *ast.Ident) bool {
	field, ok := p.object(ident).(*types.Var)
	return ok && field.IsField() && p.isRuntime(field)
}
