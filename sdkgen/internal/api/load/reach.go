package load

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"sync"

	"sigs.k8s.io/controller-tools/pkg/loader"
)

// reach follows the API's types through the packages that they are made of. On its own,
// controller-tools' checker goes where any type of a package leads: metav1 alone leads it to
// the packages reflect and runtime, many times as much source as the API's types need.
type reach struct {
	fset    *token.FileSet
	roots   []*loader.Package
	found   map[*loader.Package]map[string]*declaration // those of a package, by name
	aside   map[ast.Node]bool                           // type expressions of types that are not reached
	checked map[*loader.Package]bool
}

// checkTypes checks the types of packages, and of what they are made of.
func checkTypes(fset *token.FileSet, roots []*loader.Package) *loader.TypeChecker {
	r := &reach{
		fset: fset, roots: roots,
		found: map[*loader.Package]map[string]*declaration{}, aside: map[ast.Node]bool{}, checked: map[*loader.Package]bool{},
	}
	checker := &loader.TypeChecker{NodeFilters: []loader.NodeFilter{r.filter}}
	for _, root := range roots {
		r.enter(root)
	}
	for _, root := range roots {
		r.check(checker, root)
	}
	return checker
}

// check checks what a package imports before itself: controller-tools' checker does not see where
// constants and type parameters lead.
func (r *reach) check(checker *loader.TypeChecker, pkg *loader.Package) {
	if r.checked[pkg] {
		return
	}
	r.checked[pkg] = true
	for _, imported := range pkg.Imports() {
		if r.found[imported] != nil {
			r.check(checker, imported)
		}
	}
	checker.Check(pkg)
}

// declaration is that of a type, or of a group of constants.
type declaration struct {
	pkg     *loader.Package
	node    ast.Node                   // *ast.TypeSpec, or the *ast.GenDecl of constants
	imports map[string]*loader.Package // of its file, by the name that they have there
	open    bool                       // it was followed, or is being
}

// filter is what controller-tools' checker asks whether to look for packages in a node.
func (r *reach) filter(node ast.Node) bool { return !r.aside[node] }

// enter reads a package. All declarations of the API, and of the project's other packages, are followed:
// Problems reports their errors. What cannot be read or parsed is left to controller-tools' loader,
// which says so.
func (r *reach) enter(pkg *loader.Package) {
	if _, ok := r.found[pkg]; ok {
		return
	}
	declared := map[string]*declaration{}
	r.found[pkg] = declared
	local := isLocal(pkg.Package)
	if pkg.Syntax = r.parse(pkg.CompiledGoFiles); pkg.Syntax == nil {
		return
	}
	for _, file := range pkg.Syntax {
		imports := importsOf(pkg, file)
		for _, decl := range file.Decls {
			group, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range group.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					declared[spec.Name.Name] = &declaration{pkg: pkg, node: spec, imports: imports}
					r.aside[spec.Type] = true
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						declared[name.Name] = &declaration{pkg: pkg, node: group, imports: imports, open: group.Tok == token.VAR}
					}
				}
			}
		}
	}
	if local || slices.Contains(r.roots, pkg) {
		for _, d := range declared {
			r.follow(d)
		}
	}
}

// parse reads files in parallel; nil if one cannot be read or parsed.
func (r *reach) parse(names []string) []*ast.File {
	files := make([]*ast.File, len(names))
	errs := make([]error, len(names))
	var wg sync.WaitGroup
	for i, name := range names {
		wg.Go(func() {
			files[i], errs[i] = parser.ParseFile(r.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil
		}
	}
	return files
}

// importsOf returns what a file imports, by the names that it uses.
func importsOf(pkg *loader.Package, file *ast.File) map[string]*loader.Package {
	imports := map[string]*loader.Package{}
	for _, spec := range file.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		imported := pkg.Imports()[importPath]
		switch {
		case err != nil || imported == nil:
		case spec.Name != nil:
			imports[spec.Name.Name] = imported
		default:
			imports[imported.Name] = imported
		}
	}
	return imports
}

// name follows the declaration of a name in a package.
func (r *reach) name(pkg *loader.Package, name string) {
	r.enter(pkg)
	if d := r.found[pkg][name]; d != nil {
		r.follow(d)
	}
}

// follow goes where a declaration leads.
func (r *reach) follow(d *declaration) {
	if d.open {
		return
	}
	d.open = true
	if spec, ok := d.node.(*ast.TypeSpec); ok {
		delete(r.aside, spec.Type)
	}
	ast.Inspect(d.node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				if imported := d.imports[x.Name]; imported != nil {
					r.name(imported, n.Sel.Name)
					return false
				}
			}
		case *ast.Ident:
			r.name(d.pkg, n.Name)
			if dot := d.imports["."]; dot != nil {
				r.name(dot, n.Name)
			}
		}
		return true
	})
}
