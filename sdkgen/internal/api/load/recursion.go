package load

import (
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// recursive reports types that contain themselves with no struct in between, or embed
// themselves, by type. openapi-gen inlines such types where they are used, and would not terminate.
func (r *Result) recursive(pkg *types.Package) map[string]diag.List {
	e := &expander{state: map[types.Type]int{}}
	names := pkg.Scope().Names()
	slices.SortStableFunc(names, func(a, b string) int { return r.rank(pkg, a) - r.rank(pkg, b) })
	found := map[string]diag.List{}
	for _, name := range names {
		obj, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		before := len(e.found)
		e.visit(obj.Type())
		for _, other := range e.found[before:] {
			at := name
			if other.Pkg() == pkg {
				at = other.Name()
			}
			list := found[at]
			list.Add(r.position(other.Pos()), rule, "declare a struct with a field of that type, or use apiextensionsv1.JSON",
				"type %s contains itself", other.Name())
			found[at] = list
		}
	}
	return found
}

// rank sorts types that kinds reach before the others.
func (r *Result) rank(pkg *types.Package, name string) int {
	if object, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok && r.reached[object] {
		return 0
	}
	return 1
}

// expander finds cycles through types that are inlined.
type expander struct {
	state map[types.Type]int
	later []types.Type // referred to, not inlined
	found []*types.TypeName
}

// The states of a type.
const (
	unseen = iota
	open   // is being inlined
	done
)

// visit checks a type and all that it reaches.
func (e *expander) visit(t types.Type) {
	for e.later = []types.Type{t}; len(e.later) > 0; {
		next := e.later[0]
		e.later = e.later[1:]
		e.expand(next)
	}
}

// expand follows what is inlined in place of t.
func (e *expander) expand(t types.Type) {
	t = types.Unalias(t)
	named, _ := t.(*types.Named)
	if named != nil {
		t = named.Origin()
	}
	switch e.state[t] {
	case done:
		return
	case open:
		if named != nil {
			e.found = append(e.found, named.Obj())
		}
		return
	}
	e.state[t] = open
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		e.expand(u.Elem())
	case *types.Slice:
		e.expand(u.Elem())
	case *types.Array:
		e.expand(u.Elem())
	case *types.Map:
		e.expand(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if inlined(u, i) {
				e.expand(u.Field(i).Type())
			} else {
				e.later = append(e.later, u.Field(i).Type())
			}
		}
	}
	e.state[t] = done
}

// inlined says whether a field is embedded and takes part in its struct's JSON.
func inlined(s *types.Struct, i int) bool {
	name, _, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get("json"), ",")
	return s.Field(i).Embedded() && name == ""
}
