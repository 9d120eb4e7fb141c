package load

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/gengo/v2"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

const rule = "load"

const (
	// docGo is the one file whose package tags gengo's generators read.
	docGo = "doc.go"
	// OpenAPITag marks a package whose types openapi-gen reads.
	OpenAPITag = "k8s:openapi-gen"
)

// describe works out the group, version and kinds of a loaded package, and what is missing.
func (r *Result) describe(pkg *Package) diag.List {
	src := pkg.Source
	pkg.Name, pkg.Version = src.Name, src.Name
	pkg.fields = declared(src)
	pkg.Kinds = kindsOf(src.Types)
	tags := r.tagsOf(pkg.place(), src)
	if pkg.Foreign {
		pkg.Folder = path.Dir(tags.pos.Filename)
	}
	pkg.GroupGoName = tags.groupGoName

	found, err := markers.PackageMarkers(r.Collector, src)
	if err != nil {
		src.AddError(err)
		pkg.Group = tags.groupName
		return nil
	}
	pkg.Group, _ = found.Get("groupName").(string)
	if version, ok := found.Get("versionName").(string); ok {
		pkg.Version = version
	}
	var list diag.List
	switch {
	case pkg.Group == "":
		list = append(list, tags.noGroup(pkg.Foreign))
	case pkg.Group != tags.groupName && !pkg.Foreign:
		list.Add(tags.pos, rule, "write above the package clause of "+docGo+", the one file where the other generators look for it:\n// +groupName="+pkg.Group,
			"controller-gen sees +groupName=%s, the other generators see %q", pkg.Group, tags.groupName)
	}
	if !tags.openapi && !pkg.Foreign {
		list.Add(tags.pos, rule, tags.openapiHint(), "the package has no +k8s:openapi-gen=true tag in its %s, so its zz_generated.openapi.go would be empty", docGo)
	}
	if !slices.ContainsFunc(pkg.Kinds, func(k Kind) bool { return !k.List }) {
		list.Add(tags.pos, rule, "a root kind is a struct with metav1.TypeMeta `json:\",inline\"` and metav1.ObjectMeta `json:\"metadata\"`", "the package has no root kind")
	}
	list = append(list, r.unwritten(pkg)...)
	fields := r.fields(src)
	if pkg.Foreign { // its definitions and its CRD are compared all the same
		r.warn(fields)
	} else {
		list = append(list, fields...)
	}
	if found := r.endless(src.Types); len(found) > 0 {
		return append(list, found...)
	}
	return append(list, r.twins(src.Types)...)
}

// warn notes findings that do not stop the run.
func (r *Result) warn(findings diag.List) {
	for _, d := range findings {
		d.Severity = diag.Warning
		r.Warnings = append(r.Warnings, d)
	}
}

// packageTags are the tags that gengo's generators see in a package's comments.
type packageTags struct {
	pos     token.Position   // of doc.go's package clause, or of the first file's
	hasDoc  bool             // there is a doc.go
	pkgName string           // name in the package clause
	openapi bool             // doc.go has the openapi-gen tag
	strays  []token.Position // comments of other files with the openapi-gen tag

	groupName, groupGoName string
	emptyGroup             token.Position // of a groupName tag without a value
}

func (r *Result) tagsOf(dir string, src *loader.Package) packageTags {
	tags := packageTags{pkgName: src.Name, pos: token.Position{Filename: dir}}
	for _, file := range src.Syntax {
		pos := r.position(file.Package)
		isDoc := filepath.Base(pos.Filename) == docGo
		if isDoc || tags.pos.Line == 0 {
			tags.pos = pos
		}
		tags.hasDoc = tags.hasDoc || isDoc
		for _, group := range file.Comments {
			found := gengo.ExtractCommentTags("+", strings.Split(group.Text(), "\n")) //nolint:staticcheck // deprecated, but what openapi-gen itself reads tags by
			if slices.ContainsFunc(found["groupName"], isEmpty) {
				tags.emptyGroup = r.position(tagPos(group, "groupName"))
			}
			switch openapi := found[OpenAPITag]; {
			case isDoc: // all of its comments count, the first group is taken
				tags.openapi = tags.openapi || slices.Contains(openapi, "true")
				tags.groupName = cmp.Or(tags.groupName, first(found["groupName"]))
				tags.groupGoName = cmp.Or(tags.groupGoName, first(found["groupGoName"]))
			case len(openapi) > 0 && group.Pos() < file.Package:
				tags.strays = append(tags.strays, r.position(tagPos(group, OpenAPITag)))
			}
		}
	}
	return tags
}

// tagPos returns the position of the comment in group that holds a tag.
func tagPos(group *ast.CommentGroup, tag string) token.Pos {
	for _, comment := range group.List {
		if strings.Contains(comment.Text, "+"+tag) {
			return comment.Pos()
		}
	}
	return group.Pos()
}

// isEmpty says whether a tag's value is empty, in quotes or without.
func isEmpty(value string) bool { return value == "" || value == `""` }

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// noGroup says that a package has no group.
func (t packageTags) noGroup(foreign bool) diag.Diagnostic {
	found := diag.Diagnostic{Pos: t.pos, Rule: rule, Message: "the package has no +groupName tag",
		Hint: "add above the package clause of " + docGo + ", with your API's group:\n// +groupName=example.org"}
	if t.emptyGroup.IsValid() {
		found.Pos, found.Message = t.emptyGroup, "+groupName is empty, which means the core group of Kubernetes: no CRD can be in it"
		found.Hint = "write your API's group, above the package clause of " + docGo + ":\n// +groupName=example.org"
	}
	if foreign { // nobody here can write it
		found.Hint = "name only packages whose kinds are CRDs under apis in sdkgen.yaml: the types of their fields come with them"
	}
	return found
}

func (t packageTags) openapiHint() string {
	var b strings.Builder
	for _, stray := range t.strays {
		fmt.Fprintf(&b, "the tag at %s is not seen there; move it to %s\n", stray, docGo)
	}
	verb := "add to"
	if !t.hasDoc {
		verb = "write"
	}
	fmt.Fprintf(&b, "%s %s, above the package clause:\n// +k8s:openapi-gen=true\npackage %s", verb, docGo, t.pkgName)
	return b.String()
}

// declared maps each type, and each field of a struct type by its Go name ("Type.Field") and
// by its JSON name ("Type#field"), to its position.
func declared(src *loader.Package) map[string]token.Pos {
	out := map[string]token.Pos{}
	loader.EachType(src, func(_ *ast.File, _ *ast.GenDecl, spec *ast.TypeSpec) {
		out[spec.Name.Name] = spec.Name.Pos()
		structType, ok := spec.Type.(*ast.StructType)
		if !ok {
			return
		}
		for _, field := range structType.Fields.List {
			for _, name := range fieldNames(field) {
				out[spec.Name.Name+"."+name.Name] = name.Pos()
			}
			if name, _, _ := strings.Cut(loader.ParseAstTag(field.Tag).Get("json"), ","); name != "" {
				out[spec.Name.Name+"#"+name] = field.Pos()
			}
		}
	})
	return out
}

// fieldNames returns the names of a field; an embedded one is named by its type.
func fieldNames(field *ast.Field) []*ast.Ident {
	if len(field.Names) > 0 {
		return field.Names
	}
	x := field.Type
	if star, ok := x.(*ast.StarExpr); ok {
		x = star.X
	}
	switch x := x.(type) {
	case *ast.Ident:
		return []*ast.Ident{x}
	case *ast.SelectorExpr:
		return []*ast.Ident{x.Sel}
	}
	return nil
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

// unwritten finds root kinds, but for lists, that are declared by the name of another struct.
// controller-gen takes no such type for a kind.
func (r *Result) unwritten(pkg *Package) (list diag.List) {
	loader.EachType(pkg.Source, func(_ *ast.File, _ *ast.GenDecl, spec *ast.TypeSpec) {
		name := spec.Name.Name
		if _, written := spec.Type.(*ast.StructType); !written && slices.Contains(pkg.Kinds, Kind{Name: name}) {
			list.Add(r.position(spec.Name.Pos()), rule, "write out the struct, with its metav1.TypeMeta and metav1.ObjectMeta",
				"%s is a root kind by the name of another type: controller-gen makes no CRD of it", name)
		}
	})
	return list
}

// EachType calls f for each type declared in the package, with its doc comment and markers.
func (r *Result) EachType(pkg *Package, f func(*markers.TypeInfo)) error {
	return markers.EachType(r.Collector, pkg.Source, f)
}
