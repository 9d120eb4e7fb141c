package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// Kind is a root kind: a type with TypeMeta and ObjectMeta, or the list of one.
type Kind struct {
	Name string
	List bool
}

// Selection says which root kinds of a package count, and whether they are custom resources.
type Selection struct {
	Kinds   []Name // only these and their lists, if there are any
	Exclude []Name // not these, nor their lists
	// Like is a kind's name in any case, or its plural: if the package has that kind, it is the only one.
	Like  string
	NoCRD bool
}

// likes says whether a kind is the one that Like names.
func (s Selection) likes(kind string) bool {
	like, kind := strings.ToLower(s.Like), strings.ToLower(kind)
	return slices.Contains([]string{kind, kind + "s", kind + "es", strings.TrimSuffix(kind, "y") + "ies"}, like)
}

// Name is a name in the configuration.
type Name struct {
	Text string
	Pos  token.Position
}

// choose divides the kinds into those that count and the others, and reports names of none.
func (p *Package) choose() diag.List {
	var list diag.List
	p.NoCRD = p.NoCRD || p.selection.NoCRD
	var roots []string
	for _, kind := range p.Kinds {
		if !kind.List {
			roots = append(roots, kind.Name)
		}
	}
	if len(roots) == 0 {
		list.Add(p.tags.pos, rule,
			"declare a struct with metav1.TypeMeta `json:\",inline\"` and metav1.ObjectMeta `json:\"metadata\"`",
			"the package has no root kind")
		return list
	}
	if i := slices.IndexFunc(roots, p.selection.likes); i >= 0 {
		p.selection.Kinds = []Name{{Text: roots[i]}}
	}
	chosen := map[string]bool{}
	names := slices.Concat(p.selection.Kinds, p.selection.Exclude)
	for _, name := range names {
		chosen[name.Text] = true
		if !slices.Contains(roots, name.Text) {
			hint := "its kinds are " + strings.Join(roots, ", ")
			if near := diag.Nearest(name.Text, roots); near != "" {
				hint = "did you mean " + near + "? " + hint
			}
			list.Add(name.Pos, "config", hint, "%s has no root kind %q", p.place(), name.Text)
		}
	}
	if len(list) > 0 || len(names) == 0 {
		return list
	}
	keep := len(p.selection.Kinds) > 0
	var kept []Kind
	for _, kind := range p.Kinds {
		if chosen[p.rootOf(kind)] == keep {
			kept = append(kept, kind)
		} else {
			p.Excluded = append(p.Excluded, kind)
		}
	}
	if p.Kinds = kept; !slices.ContainsFunc(kept, func(k Kind) bool { return !k.List }) {
		list.Add(names[0].Pos, "config", "remove the package from apis, or keep one of its kinds",
			"exclude leaves no root kind of %s", p.place())
	}
	return list
}

// keepSkipped has controller-tools read a package that +kubebuilder:skip tells it to leave alone: its kinds have
// no CRD.
func (r *Result) keepSkipped(pkg *Package) {
	byNode, err := r.Collector.MarkersInPackage(pkg.Source)
	if err != nil {
		pkg.Source.AddError(err)
	}
	for _, file := range pkg.Source.Syntax {
		if byNode[file].Get(skipMarker) != nil {
			delete(byNode[file], skipMarker)
			pkg.NoCRD = true
		}
	}
}

// skipMarker is the marker of packages that controller-gen generates nothing for.
const skipMarker = "kubebuilder:skip"

// rootOf returns the name of a root kind, or of that whose list it is.
func (p *Package) rootOf(kind Kind) string {
	object := p.Source.Types.Scope().Lookup(kind.Name)
	if structType, ok := object.Type().Underlying().(*types.Struct); ok && kind.List {
		for field := range structType.Fields() {
			slice, ok := field.Type().Underlying().(*types.Slice)
			if !ok || field.Name() != "Items" {
				continue
			}
			if item, ok := types.Unalias(pointee(slice.Elem())).(*types.Named); ok && item.Obj().Pkg() == object.Pkg() {
				return item.Obj().Name()
			}
		}
	}
	if kind.List {
		return strings.TrimSuffix(kind.Name, "List")
	}
	return kind.Name
}

// ListOf returns the name of the list of a root kind, "" if it has none.
func (p *Package) ListOf(kind string) string {
	for _, other := range p.Kinds {
		if other.List && p.rootOf(other) == kind {
			return other.Name
		}
	}
	return ""
}

// MarkerPos returns where a marker with that text in it is at a type of a package; the position of the type if it is
// not found.
func (r *Result) MarkerPos(pkg *Package, typeName, marker, text string) token.Position {
	pos := r.Pos(pkg.Path, typeName, "")
	loader.EachType(pkg.Source, func(file *ast.File, decl *ast.GenDecl, spec *ast.TypeSpec) {
		if spec.Name.Name != typeName {
			return
		}
		from := file.Package // the end of the declaration before
		for _, before := range file.Decls {
			if before.End() < decl.Pos() {
				from = max(from, before.End())
			}
		}
		for _, group := range file.Comments {
			for _, comment := range group.List {
				at := strings.Index(comment.Text, marker)
				if from < comment.Pos() && comment.Pos() < spec.Pos() && at >= 0 && strings.Contains(comment.Text[at:], text) {
					pos = r.position(comment.Pos() + token.Pos(at))
				}
			}
		}
	})
	return pos
}

// Excludes says whether the configuration leaves out a kind of the package, or the list of one.
func (p *Package) Excludes(name string) bool {
	return slices.ContainsFunc(p.Excluded, func(k Kind) bool { return k.Name == name })
}

const metav1 = "k8s.io/apimachinery/pkg/apis/meta/v1"

// kindsOf returns the types that embed metav1.TypeMeta and ObjectMeta or ListMeta, sorted.
func kindsOf(pkg *types.Package) []Kind {
	var kinds []Kind
	for _, name := range pkg.Scope().Names() {
		obj, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || !obj.Exported() {
			continue
		}
		structType, ok := obj.Type().Underlying().(*types.Struct)
		if !ok {
			continue
		}
		has := map[string]bool{}
		for field := range structType.Fields() {
			if named, ok := field.Type().(*types.Named); ok && field.Embedded() && named.Obj().Pkg() != nil &&
				named.Obj().Pkg().Path() == metav1 {
				has[named.Obj().Name()] = true
			}
		}
		if has["TypeMeta"] && (has["ObjectMeta"] || has["ListMeta"]) {
			kinds = append(kinds, Kind{Name: name, List: has["ListMeta"]})
		}
	}
	return kinds
}

// derivedKinds reports root kinds that are declared as another named type. controller-gen recognizes such a type
// only as a further version of a kind that is a struct in another package of the group.
func (r *Result) derivedKinds(pkg *Package) (list diag.List) {
	kinds := derived(pkg)
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		spec := kinds[name]
		known := !spec.Assign.IsValid() && slices.ContainsFunc(r.Packages, func(other *Package) bool {
			_, isDerived := derived(other)[name]
			return other.Group == pkg.Group && slices.Contains(other.Kinds, Kind{Name: name}) && !isDerived
		})
		if !known {
			list.Add(r.position(spec.Name.Pos()), rule, "declare it as a struct with metav1.TypeMeta and metav1.ObjectMeta",
				"root kind %s is declared as another named type: controller-gen generates no CRD for it", name)
		}
	}
	return list
}

// derived returns the root kinds of a package that are declared as another named type.
func derived(pkg *Package) map[string]*ast.TypeSpec {
	found := map[string]*ast.TypeSpec{}
	loader.EachType(pkg.Source, func(_ *ast.File, _ *ast.GenDecl, spec *ast.TypeSpec) {
		if _, isStruct := spec.Type.(*ast.StructType); !isStruct && slices.Contains(pkg.Kinds, Kind{Name: spec.Name.Name}) {
			found[spec.Name.Name] = spec
		}
	})
	return found
}
