// Package probe writes Go programs that use one object of a package, and type-checks them with two versions of it.
package probe

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

// Probe is a Go program that uses one object of a package, and checks whether it compiles with the package as it
// was and as it is.
type Probe struct {
	old, now *types.Package
	imports  map[string]string // import path to name
	code     string
	newPath  func(string) string // an import path of the old version as the new one has it
}

// New starts an empty program for a package; newPath maps an import path of the old version to the new one.
func New(old, now *types.Package, newPath func(string) string) *Probe {
	return &Probe{old: old, now: now, imports: map[string]string{old.Path(): old.Name()}, newPath: newPath}
}

// spell is a type as the program writes it; it notes what has to be imported.
func (p *Probe) spell(t types.Type) string {
	return types.TypeString(t, func(pkg *types.Package) string {
		if name, ok := p.imports[pkg.Path()]; ok {
			return name
		}
		name := pkg.Name()
		if versioned.MatchString(name) { // as Kubernetes' code has it: metav1
			name = path.Base(path.Dir(pkg.Path())) + name
		}
		name = model.Free(name, func(name string) bool {
			return slices.Contains(slices.Collect(maps.Values(p.imports)), name)
		})
		p.imports[pkg.Path()] = name
		return name
	})
}

var versioned = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// Write adds a declaration. In it "pkg." is the package that is compared.
func (p *Probe) Write(format string, args ...any) {
	p.code += "\n" + strings.ReplaceAll(fmt.Sprintf(format, args...), "pkg.", p.old.Name()+".") + "\n"
}

// String is the whole program.
func (p *Probe) String() string {
	var imports []string
	for importPath, name := range p.imports {
		line := fmt.Sprintf("\t%q\n", importPath)
		if name != path.Base(importPath) {
			line = fmt.Sprintf("\t%s %q\n", name, importPath)
		}
		imports = append(imports, line)
	}
	slices.Sort(imports)
	return "package caller\n\nimport (\n" + strings.Join(imports, "") + ")\n" + p.code
}

// Works says with which of the two packages the program compiles.
func (p *Probe) Works() (before, after bool) {
	return p.compiles(p.old, strings.Clone), p.compiles(p.now, p.newPath)
}

// compiles type-checks the program with a package in the place of the old one.
func (p *Probe) compiles(with *types.Package, pathOf func(string) string) bool {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "caller.go", p.String(), parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	config := types.Config{Importer: near{p.old.Path(), with, pathOf}}
	_, err = config.Check("caller", fset, []*ast.File{file}, nil)
	return err == nil
}

// near imports a package, by a path that may be another version's, and the packages that it imports.
type near struct {
	path   string
	pkg    *types.Package
	pathOf func(string) string
}

// Import implements types.Importer.
func (n near) Import(importPath string) (*types.Package, error) {
	if importPath == n.path {
		return n.pkg, nil
	}
	importPath = n.pathOf(importPath)
	seen := map[*types.Package]bool{}
	var search func(*types.Package) *types.Package
	search = func(pkg *types.Package) *types.Package {
		if pkg.Path() == importPath {
			return pkg
		}
		seen[pkg] = true
		for _, imported := range pkg.Imports() {
			if !seen[imported] {
				if found := search(imported); found != nil {
					return found
				}
			}
		}
		return nil
	}
	if found := search(n.pkg); found != nil {
		return found, nil
	}
	return nil, fmt.Errorf("%s does not import %s", n.pkg.Path(), importPath)
}

// Use writes the program for a member of an object, "" for the object itself. It is false for what no program can use.
func (p *Probe) Use(name, member string) bool {
	object := p.old.Scope().Lookup(name)
	if object == nil || !object.Exported() || Generic(object) {
		return false
	}
	if member != "" {
		return p.useMember(object, member)
	}
	_, same := p.now.Scope().Lookup(name).(*types.TypeName)
	switch object := object.(type) {
	case *types.TypeName:
		if same {
			p.useType(object)
			break
		}
		p.Write("var _ pkg.%s", name)
	case *types.Const:
		if basic, ok := object.Type().(*types.Basic); !ok || basic.Info()&types.IsUntyped == 0 {
			p.Write("func _() *%s {\n\tvalue := pkg.%s\n\treturn &value\n}", p.spell(object.Type()), name)
		}
		p.Write("// It compiles only if the value is this one.\nvar _ = map[bool]bool{false: false, pkg.%s == %s: true}",
			name, object.Val().ExactString())
	default:
		p.Write("var _ %s = pkg.%s", p.spell(object.Type()), name)
	}
	return true
}

// Generic reports whether an object has type parameters.
func Generic(object types.Object) bool {
	switch t := object.Type().(type) {
	case *types.Named:
		return t.TypeParams().Len() > 0
	case *types.Signature:
		return t.TypeParams().Len() > 0
	}
	return false
}

// useType writes a program for a type as a whole: its underlying type, and that it can be compared.
func (p *Probe) useType(object *types.TypeName) {
	name, under := object.Name(), object.Type().Underlying()
	switch under.(type) {
	case *types.Interface:
		p.Write("func _(value %s) pkg.%s { return value }", p.spell(under), name)
		return
	case *types.Struct: // its fields are members
	default:
		p.Write("func is[T ~%s]() {}\n\nvar _ = is[pkg.%s]", p.spell(under), name)
	}
	if types.Comparable(object.Type()) {
		p.Write("func _(a, b pkg.%s) bool { return a == b }", name)
	}
}

// useMember writes a program for a field or method of a type.
func (p *Probe) useMember(object types.Object, member string) bool {
	found, index, _ := types.LookupFieldOrMethod(object.Type(), true, object.Pkg(), member)
	switch found := found.(type) {
	case *types.Var:
		typ := p.spell(found.Type())
		if len(index) == 1 {
			p.Write("func _(value %s) %s {\n\tx := pkg.%s{%s: value}\n\treturn x.%s\n}", typ, typ, object.Name(), member, member)
			return true
		}
		p.Write("func _(x *pkg.%s, value %s) %s {\n\tx.%s = value\n\treturn x.%s\n}", object.Name(), typ, typ, member, member)
		return true
	case *types.Func:
		if target, ok := object.Type().Underlying().(*types.Interface); ok {
			p.Write("func _(value %s) pkg.%s { return value }", p.spell(target), object.Name())
		}
		if after := p.now.Scope().Lookup(object.Name()); after != nil {
			if still, _, _ := types.LookupFieldOrMethod(after.Type(), true, after.Pkg(), member); still == nil {
				p.Write("func _(x *pkg.%s) { _ = %s.%s }", object.Name(), receiver(object), member)
				return true
			}
		}
		p.Write("func _(x *pkg.%s) %s { return %s.%s }", object.Name(), p.spell(found.Type()), receiver(object), member)
		return true
	}
	if subject, ok := object.Type().Underlying().(*types.Interface); ok { // the method is new, so others lack it
		p.Write("func _(value %s) pkg.%s { return value }", p.spell(subject), object.Name())
		return true
	}
	return false
}

// receiver is how a program that has a pointer selects a method.
func receiver(object types.Object) string {
	if types.IsInterface(object.Type()) {
		return "(*x)"
	}
	return "x"
}
