package compare

import (
	"fmt"
	"go/types"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/probe"
)

// keepGo is what to do instead of a change of the Go API.
const keepGo = "keep it for a release, marked \"// Deprecated:\""

// goAPI compares the exported API of a Go package: its objects, and the fields and methods that its types declare, and
// embed from the package. A change is breaking if code that compiled does not compile any more. Which code that is, a
// program shows, and one that compiles nevertheless corrects the verdict.
type goAPI struct {
	*comparison
	pairs    *pairs
	old, now *types.Package
}

func (g *goAPI) compare() {
	for _, name := range g.old.Scope().Names() {
		before, after := g.old.Scope().Lookup(name), g.now.Scope().Lookup(name)
		switch {
		case !before.Exported() || probe.Generic(before):
		case after == nil:
			g.breaks(name, "", "removed")
		default:
			g.object(name, before, after)
		}
	}
	for _, name := range g.now.Scope().Names() {
		if current := g.now.Scope().Lookup(name); current.Exported() && g.old.Scope().Lookup(name) == nil {
			g.record(g.about(name, "", "added"))
		}
	}
}

// object compares an object that both packages have.
func (g *goAPI) object(name string, earlier, current types.Object) {
	before, after := g.spelled(earlier), g.spelled(current)
	switch {
	case unknownType(before, after):
		return
	case g.renamed(before) != after:
		g.breaks(name, "", fmt.Sprintf("changed from %s to %s", before, after))
		return
	case !isType(earlier):
		return
	case types.Comparable(earlier.Type()) && !types.Comparable(current.Type()):
		g.breaks(name, "", "its values can no longer be compared with ==")
	}
	old, now := members(earlier), members(current)
	for _, member := range slices.Sorted(maps.Keys(old)) {
		if now[member] == nil {
			g.breaks(name, member, "removed")
			continue
		}
		before, after := g.spelled(old[member]), g.spelled(now[member])
		switch {
		case unknownType(before, after):
		case g.renamed(before) != after:
			g.breaks(name, member, fmt.Sprintf("changed from %s to %s", before, after))
		case declares(earlier, member) && !declares(current, member):
			g.breaks(name, member, "moved to an embedded struct, so a composite literal cannot have it")
		}
	}
	for _, member := range slices.Sorted(maps.Keys(now)) {
		if old[member] == nil {
			g.record(g.about(name, member, "added"))
		}
	}
}

// declares says whether a struct has a field itself.
func declares(object types.Object, field string) bool {
	fields, ok := object.Type().Underlying().(*types.Struct)
	for i := 0; ok && i < fields.NumFields(); i++ {
		if fields.Field(i).Name() == field {
			return true
		}
	}
	return false
}

// unknownType says whether one of two types is of a package that was not loaded.
func unknownType(before, after string) bool {
	return strings.Contains(before+after, "invalid type")
}

func isType(object types.Object) bool {
	_, ok := object.(*types.TypeName)
	return ok
}

// members returns the exported fields and methods of a type, with those promoted from its own package. A field promoted
// from another package is not listed; it is that package's API.
func members(object types.Object) map[string]types.Object {
	found := map[string]types.Object{}
	add := func(member types.Object) {
		if member.Exported() && found[member.Name()] == nil {
			found[member.Name()] = member
		}
	}
	if named, ok := types.Unalias(object.Type()).(*types.Named); ok {
		for method := range named.Methods() {
			add(method)
		}
	}
	fields, ok := object.Type().Underlying().(*types.Struct)
	for i := 0; ok && i < fields.NumFields(); i++ {
		add(fields.Field(i))
	}
	for i := 0; ok && i < fields.NumFields(); i++ { // what is nearer comes first
		typ := fields.Field(i).Type()
		if pointer, ok := typ.(*types.Pointer); ok {
			typ = pointer.Elem()
		}
		if named, ok := types.Unalias(typ).(*types.Named); ok && fields.Field(i).Embedded() &&
			named.Obj().Pkg() == object.Pkg() {
			for _, member := range members(named.Obj()) {
				add(member)
			}
		}
	}
	return found
}

// spelled returns what callers depend on: the type of a value, field or method, the underlying type of a type, "a
// struct" for one whose fields are members, and the value of a constant. Packages of the API's module have the paths
// of the new version.
func (g *goAPI) spelled(object types.Object) string {
	relative := func(pkg *types.Package) string {
		if pkg == g.old || pkg == g.now {
			return ""
		}
		return g.newModule(pkg.Path())
	}
	switch object := object.(type) {
	case *types.TypeName:
		under := object.Type().Underlying()
		if _, ok := under.(*types.Struct); ok {
			return "a struct"
		}
		return types.TypeString(under, relative)
	case *types.Const:
		return types.TypeString(object.Type(), relative) + " " + object.Val().ExactString()
	case *types.Func:
		signature := object.Signature() // without names, which callers do not see
		params, results := unnamed(signature.Params()), unnamed(signature.Results())
		return types.TypeString(types.NewSignatureType(nil, nil, nil, params, results, signature.Variadic()), relative)
	}
	return types.TypeString(object.Type(), relative)
}

// renamed replaces, in a type as spelled writes it, the names of types of the package that were renamed.
func (g *goAPI) renamed(text string) string {
	for before, after := range g.pairs.now {
		if before.GoType.Package == g.old.Path() && after.GoType.Package == g.now.Path() &&
			before.GoType.Name != after.GoType.Name &&
			g.now.Scope().Lookup(before.GoType.Name) == nil {
			text = regexp.MustCompile(`(^|[^.\w/])`+before.GoType.Name+`\b`).ReplaceAllString(text, "${1}"+after.GoType.Name)
		}
	}
	return text
}

func unnamed(tuple *types.Tuple) *types.Tuple {
	var vars []*types.Var
	for v := range tuple.Variables() {
		vars = append(vars, types.NewParam(v.Pos(), v.Pkg(), "", v.Type()))
	}
	return types.NewTuple(vars...)
}

// newModule maps an import path of the old version to the new one, whose module path may be the next major version's.
func (g *goAPI) newModule(importPath string) string {
	earlier, current := strings.Split(g.old.Path(), "/"), strings.Split(g.now.Path(), "/")
	for len(earlier) > 1 && len(current) > 1 && earlier[len(earlier)-1] == current[len(current)-1] {
		earlier, current = earlier[:len(earlier)-1], current[:len(current)-1]
	}
	before, after := strings.Join(earlier, "/"), strings.Join(current, "/")
	if below, ok := strings.CutPrefix(importPath, before+"/"); ok && !strings.HasPrefix(importPath, after+"/") {
		return after + "/" + below
	}
	return importPath
}

// about is a compatible change of an object, or of a member of a type.
func (g *goAPI) about(name, member, text string) finding {
	place := Place{Version: g.version, GoType: g.now.Path() + "." + name, Path: g.old.Name() + "." + name}
	entry := finding{who: Go, id: g.rule(name, member, text), place: place}
	if member != "" {
		entry.place.Path += "." + member
		entry.place.Property = key(g.old, g.now, name, member)
	}
	entry.text = entry.place.Path + ": " + text
	return entry
}

// breaks says that an object or a member changed so that a program that uses it does not compile any more. Few programs
// depend on the value of a constant, or compare structs, so that is risky.
func (g *goAPI) breaks(name, member, text string) {
	entry := g.about(name, member, text)
	entry.verdict, entry.instead = Breaking, keepGo
	p := probe.New(g.old, g.now, g.newModule)
	if p.Use(name, member) {
		switch before, after := p.Works(); {
		case before && !after:
			entry.program = p.String()
		case before:
			entry.verdict, entry.text = Risky, entry.text+"; no program that no longer compiles was found"
		}
	}
	value := sameType(g.old.Scope().Lookup(name), g.now.Scope().Lookup(name))
	if member == "" && (value || strings.HasSuffix(text, "==")) {
		entry.verdict = min(entry.verdict, Risky)
	}
	g.record(entry)
}

// rule is the rule of a change. Of what is no type, as a constant, it says "name".
func (g *goAPI) rule(name, member, text string) string {
	what := "name"
	if isType(g.old.Scope().Lookup(name)) || isType(g.now.Scope().Lookup(name)) {
		what = "class"
	}
	switch {
	case text == "added" && member == "":
		return what + "-added"
	case text == "added":
		return "attribute-added"
	case text == "removed" && member != "":
		return "attribute-removed"
	case text == "removed":
		return what + "-removed"
	case member == "":
		return what + "-changed"
	}
	return "attribute-type"
}

// sameType says whether two constants differ in their values only.
func sameType(earlier, current types.Object) bool {
	_, before := earlier.(*types.Const)
	_, after := current.(*types.Const)
	return before && after && earlier.Type().String() == current.Type().String()
}

// key returns the JSON key of a field that a struct has or embeds, "" for what is no field.
func key(old, now *types.Package, typeName, field string) string {
	for _, pkg := range []*types.Package{old, now} {
		object := pkg.Scope().Lookup(typeName)
		if object == nil {
			continue
		}
		found, index, _ := types.LookupFieldOrMethod(object.Type(), true, pkg, field)
		if _, ok := found.(*types.Var); !ok {
			continue
		}
		under, tag := object.Type(), ""
		for _, i := range index {
			if pointer, ok := under.Underlying().(*types.Pointer); ok {
				under = pointer.Elem()
			}
			fields, ok := under.Underlying().(*types.Struct)
			if !ok {
				return ""
			}
			under, tag = fields.Field(i).Type(), fields.Tag(i)
		}
		if name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ","); name != "" {
			return name
		}
	}
	return ""
}
