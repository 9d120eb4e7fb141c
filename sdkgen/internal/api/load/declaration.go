package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/loader"
)

// Declaration is where a type is declared, or a field of a struct.
type Declaration struct {
	Pos     token.Position
	Package string   // import path
	Name    string   // "Type" or "Type.Field"; Type is the struct that has the field, which others may embed
	Type    string   // of a field, as it is written
	Markers []string // the lines of its comments that begin with "+", without the slashes
	// Of is the declaration of the type that a field, or what it has elements of, is of; nil for one of no package that
	// was loaded.
	Of *Declaration
}

// Declarations finds declarations in the packages that were loaded. It is not safe for concurrent use.
type Declarations struct {
	result   *Result
	packages map[string]*loader.Package               // that were read, by import path
	specs    map[*loader.Package]map[string]*typeSpec // by name, of the packages that were asked for
}

// typeSpec is the declaration of a type, with the file that it is in.
type typeSpec struct {
	*ast.TypeSpec
	file *ast.File
}

// Declarations returns what finds declarations.
func (r *Result) Declarations() *Declarations {
	d := &Declarations{result: r, packages: map[string]*loader.Package{},
		specs: map[*loader.Package]map[string]*typeSpec{}}
	for _, pkg := range r.Packages {
		d.add(pkg.Source)
	}
	return d
}

func (d *Declarations) add(pkg *loader.Package) {
	if d.packages[pkg.PkgPath] != nil || pkg.Syntax == nil {
		return
	}
	d.packages[pkg.PkgPath] = pkg
	for _, imported := range pkg.Imports() {
		d.add(imported)
	}
}

// Find returns where a type is declared, or the field of it that has a JSON name; property is empty for the type
// itself. It is nil if there is no such declaration.
func (d *Declarations) Find(importPath, typeName, property string) *Declaration {
	pkg := d.packages[importPath]
	if property == "" {
		return d.typed(pkg, typeName)
	}
	return d.field(pkg, typeName, property, map[*typeSpec]bool{})
}

// spec returns the declaration of a type, nil if the package has no such type.
func (d *Declarations) spec(pkg *loader.Package, name string) *typeSpec {
	if pkg == nil {
		return nil
	}
	if d.specs[pkg] == nil {
		d.specs[pkg] = map[string]*typeSpec{}
		loader.EachType(pkg, func(file *ast.File, _ *ast.GenDecl, spec *ast.TypeSpec) {
			d.specs[pkg][spec.Name.Name] = &typeSpec{spec, file}
		})
	}
	return d.specs[pkg][name]
}

func (d *Declarations) typed(pkg *loader.Package, name string) *Declaration {
	spec := d.spec(pkg, name)
	if spec == nil {
		return nil
	}
	from := spec.file.Name.End() // the end of the declaration before
	for _, decl := range spec.file.Decls {
		if decl.End() < spec.Pos() {
			from = decl.End()
		}
		group, ok := decl.(*ast.GenDecl)
		for i := 0; ok && i < len(group.Specs); i++ {
			if end := group.Specs[i].End(); end < spec.Pos() {
				from = max(from, end)
			}
		}
	}
	return &Declaration{Pos: d.result.position(spec.Name.Pos()), Package: pkg.PkgPath, Name: name,
		Markers: markersIn(spec.file, from, spec.Pos(), nil)}
}

// field finds a field in a struct, or in those that it inlines. seen are those on the way.
func (d *Declarations) field(pkg *loader.Package, typeName, property string, seen map[*typeSpec]bool) *Declaration {
	spec := d.spec(pkg, typeName)
	if spec == nil || seen[spec] {
		return nil
	}
	seen[spec] = true
	structType, ok := spec.Type.(*ast.StructType)
	if !ok { // type Other Struct
		used, name := d.named(pkg, spec.file, spec.Type)
		return d.field(used, name, property, seen)
	}
	from, trailing := structType.Fields.Opening, (*ast.CommentGroup)(nil)
	for _, field := range structType.Fields.List {
		key, options, _ := strings.Cut(loader.ParseAstTag(field.Tag).Get("json"), ",")
		used, name := d.named(pkg, spec.file, field.Type)
		switch names := FieldNames(field); {
		case key == property && len(names) > 0:
			return &Declaration{
				Pos: d.result.position(field.Pos()), Package: pkg.PkgPath, Name: typeName + "." + names[0].Name,
				Type:    types.ExprString(field.Type),
				Markers: markersIn(spec.file, from, field.Type.Pos(), trailing), Of: d.typed(used, name),
			}
		case key == "" && (len(field.Names) == 0 || strings.Contains(options, "inline")):
			if found := d.field(used, name, property, seen); found != nil {
				return found
			}
		}
		from, trailing = field.End(), field.Comment
	}
	return nil
}

// named returns the package and the name of the type in a type expression: that of elements in a list, map or pointer.
// The package is nil if it was not loaded.
func (d *Declarations) named(pkg *loader.Package, file *ast.File, x ast.Expr) (*loader.Package, string) {
	switch x := x.(type) {
	case *ast.StarExpr:
		return d.named(pkg, file, x.X)
	case *ast.ArrayType:
		return d.named(pkg, file, x.Elt)
	case *ast.MapType:
		return d.named(pkg, file, x.Value)
	case *ast.Ident:
		return pkg, x.Name
	case *ast.SelectorExpr:
		if name, ok := x.X.(*ast.Ident); ok {
			if imported := importsOf(pkg, file)[name.Name]; imported != nil {
				return d.packages[imported.PkgPath], x.Sel.Name
			}
		}
	}
	return nil, ""
}

// markersIn returns the markers in the comments between two places. The comment at the end of the line before is none
// of them.
func markersIn(file *ast.File, from, to token.Pos, trailing *ast.CommentGroup) []string {
	var found []string
	for _, group := range file.Comments {
		if group.Pos() <= from || group.Pos() >= to || group == trailing {
			continue
		}
		for _, comment := range group.List {
			if text := strings.TrimSpace(strings.TrimPrefix(comment.Text, "//")); strings.HasPrefix(text, "+") {
				found = append(found, text)
			}
		}
	}
	return found
}
