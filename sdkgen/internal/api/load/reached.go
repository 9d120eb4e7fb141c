package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// typeSet are declared types.
type typeSet map[*types.TypeName]bool

// composition knows what the types of API packages are declared as: the type Part in "type Spare Part", of
// which go/types only knows what that is.
type composition map[*types.TypeName]types.Type

// add adds the types that values of t are composed of.
func (c composition) add(set typeSet, t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		set[t.Obj()] = true
		c.add(set, types.Unalias(t))
	case *types.Named:
		if set[t.Obj()] {
			return
		}
		set[t.Obj()] = true
		for arg := range t.TypeArgs().Types() {
			c.add(set, arg)
		}
		if declared := c[t.Obj()]; declared != nil {
			c.add(set, declared)
		}
		c.add(set, t.Underlying())
	case *types.Pointer:
		c.add(set, t.Elem())
	case *types.Slice:
		c.add(set, t.Elem())
	case *types.Array:
		c.add(set, t.Elem())
	case *types.Map:
		c.add(set, t.Key())
		c.add(set, t.Elem())
	case *types.Struct:
		for i := range t.NumFields() {
			if reflect.StructTag(t.Tag(i)).Get("json") != "-" {
				c.add(set, t.Field(i).Type())
			}
		}
	}
}

// findReached works out which types the kinds that count are composed of, and which only those that do not.
func (r *Result) findReached() {
	r.composed, r.reached, r.left = composition{}, typeSet{}, typeSet{}
	for _, pkg := range r.Packages {
		src := pkg.Source
		loader.EachType(src, func(_ *ast.File, _ *ast.GenDecl, spec *ast.TypeSpec) {
			if name, ok := src.TypesInfo.Defs[spec.Name].(*types.TypeName); ok {
				r.composed[name] = src.TypesInfo.TypeOf(spec.Type)
			}
		})
	}
	for _, pkg := range r.Packages {
		for _, kind := range pkg.Kinds {
			r.composed.add(r.reached, pkg.typeOf(kind.Name))
		}
	}
	for _, pkg := range r.Packages {
		for _, kind := range pkg.Excluded {
			r.composed.add(r.left, pkg.typeOf(kind.Name))
		}
	}
	for name := range r.reached {
		delete(r.left, name)
	}
}

func (p *Package) typeOf(name string) types.Type { return p.Source.Types.Scope().Lookup(name).Type() }

// Left says whether only kinds that the configuration leaves out are composed of a type.
func (r *Result) Left(name *types.TypeName) bool { return r.left[name] }

// setAside returns the errors in types that kinds reach. The other types with errors, and those that are
// composed of them, are unusable.
func (r *Result) setAside(pkg *Package, found map[string]diag.List) diag.List {
	var list, aside diag.List
	bad := typeSet{}
	for name, errors := range found {
		object, _ := pkg.Source.Types.Scope().Lookup(name).(*types.TypeName)
		if object == nil || r.reached[object] {
			list = append(list, errors...)
			continue
		}
		bad[object] = true
		aside = append(aside, errors...)
	}
	if len(bad) == 0 {
		return list
	}
	if !pkg.Foreign {
		r.warn(aside)
	}
	pkg.unusable = map[string]bool{}
	for _, name := range pkg.Source.Types.Scope().Names() {
		object, ok := pkg.Source.Types.Scope().Lookup(name).(*types.TypeName)
		if !ok || r.reached[object] {
			continue
		}
		parts := typeSet{}
		r.composed.add(parts, object.Type())
		for part := range parts {
			pkg.unusable[name] = pkg.unusable[name] || bad[part]
		}
	}
	return list
}

// Unusable says whether openapi-gen cannot take a type, which no kind reaches.
func (p *Package) Unusable(typeName string) bool { return p.unusable[typeName] }

// Advise completes the hints of errors in types: they name the kinds that can be left out and, where the type
// is of a module that is not the project's, nothing that only its owner can do.
func (r *Result) Advise(list diag.List) diag.List {
	if r.reached == nil { // the kinds are not known yet
		return list
	}
	out := slices.Clone(list)
	for i, d := range out {
		name, own := r.typeAt(d.Pos)
		if name == nil || d.Severity == diag.Warning || strings.HasPrefix(d.Hint, "bug in sdkgen") {
			continue
		}
		out[i].Hint = hintFor(d.Hint, own, r.exclusion(name))
	}
	return out
}

// hintFor joins what the owner of a type can write, if that is one's own, with what everyone can.
func hintFor(hint string, own bool, exclude []string) string {
	setting := strings.Index(hint, "write under crd in sdkgen.yaml")
	switch {
	case !own && setting >= 0:
		hint = hint[setting:]
	case !own && !strings.Contains(hint, "sdkgen.yaml"):
		hint = ""
	}
	switch {
	case len(exclude) > 0 && hint != "":
		return hint + "\nor leave out the kinds that have it, in sdkgen.yaml:\nexclude: [" + strings.Join(exclude, ", ") + "]"
	case len(exclude) > 0:
		return "leave out the kinds that have it, in sdkgen.yaml:\nexclude: [" + strings.Join(exclude, ", ") + "]"
	case hint == "" && !own:
		return "all kinds of the package have it, and it is another module's: replace that module in go.mod with a copy in " +
			"which it is corrected"
	}
	return hint
}

// exclusion returns the names of the root kinds that are composed of a type, each once, nil if none of their package
// would be left.
func (r *Result) exclusion(name *types.TypeName) []string {
	var exclude []string
	for _, pkg := range r.Packages {
		var with []string
		left := 0
		for _, kind := range pkg.Kinds {
			parts := typeSet{}
			switch r.composed.add(parts, pkg.typeOf(kind.Name)); {
			case kind.List:
			case parts[name]:
				with = append(with, kind.Name)
			default:
				left++
			}
		}
		if len(with) > 0 && left == 0 {
			return nil
		}
		for _, kind := range with { // several packages may have a kind of that name
			if !slices.Contains(exclude, kind) {
				exclude = append(exclude, kind)
			}
		}
	}
	return exclude
}

// typeAt returns the type in whose declaration a position is, and whether the project can change it; nil
// if it is in none.
func (r *Result) typeAt(pos token.Position) (name *types.TypeName, own bool) {
	if pos.Line == 0 {
		return nil, false
	}
	roots := make([]*packages.Package, 0, len(r.Packages))
	for _, pkg := range r.Packages {
		roots = append(roots, pkg.Source.Package)
	}
	packages.Visit(roots, nil, func(pkg *packages.Package) {
		if pkg.TypesInfo == nil {
			return
		}
		for _, file := range pkg.Syntax {
			if full := r.fset.Position(
				file.FileStart).Filename; r.relative(token.Position{Filename: full}).Filename != pos.Filename &&
				filepath.ToSlash(full) != pos.Filename {
				continue
			}
			for _, decl := range file.Decls {
				group, ok := decl.(*ast.GenDecl)
				if !ok {
					continue
				}
				for _, spec := range group.Specs {
					spec, ok := spec.(*ast.TypeSpec)
					if ok && r.fset.Position(spec.Pos()).Line <= pos.Line && pos.Line <= r.fset.Position(spec.End()).Line {
						name, _ = pkg.TypesInfo.Defs[spec.Name].(*types.TypeName)
						own = isLocal(pkg)
					}
				}
			}
		}
	})
	return name, own
}
