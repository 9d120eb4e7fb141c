package load

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
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
	// docGo is the one file whose package markers gengo's generators read.
	docGo = "doc.go"
	// OpenAPIMarker marks a package whose types openapi-gen reads.
	OpenAPIMarker = "k8s:openapi-gen"
)

// describe sets the group, version and kinds of a loaded package, and reports missing markers.
func (r *Result) describe(pkg *Package) diag.List {
	src := pkg.Source
	pkg.Name, pkg.Version = src.Name, src.Name
	pkg.fields = declared(src)
	pkg.Kinds = kindsOf(src.Types)
	tags := r.tagsOf(pkg.place(), src)
	pkg.tags = tags
	if pkg.Foreign {
		pkg.SourceDir = path.Dir(tags.pos.Filename)
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
	r.keepSkipped(pkg)
	var list diag.List
	switch {
	case pkg.Group == "":
		list = append(list, tags.noGroup(pkg.Foreign))
	case tags.groupName == "":
		pkg.GroupElsewhere = true
	case pkg.Group != tags.groupName && !pkg.Foreign:
		list.Add(tags.pos, rule, "write the marker once, with the group of your API",
			"the package has +groupName=%s and +groupName=%s", pkg.Group, tags.groupName)
	}
	if !tags.openapi && !pkg.Foreign {
		list.Add(tags.pos, rule, tags.openapiHint(),
			"the package has no +k8s:openapi-gen=true marker in %s: zz_generated.openapi.go would be empty", docGo)
	}
	return append(list, pkg.choose()...)
}

// checkTypes reports types that a generator cannot handle. Those that no kind reaches do not count: of a
// package of the project's own, zz_generated.openapi.go does without them.
func (r *Result) checkTypes(pkg *Package) diag.List {
	found := r.recursive(pkg.Source.Types)
	if len(found) == 0 { // properties of recursive types never end
		found = r.duplicateProperties(pkg.Source.Types)
	}
	for name, list := range r.fields(pkg.Source) {
		if pkg.Foreign { // its definitions and its CRD are compared all the same
			r.warn(list)
		} else {
			found[name] = append(found[name], list...)
		}
	}
	return r.setAside(pkg, found)
}

// warn records diagnostics as warnings.
func (r *Result) warn(list diag.List) {
	for _, d := range list {
		d.Severity = diag.Warning
		r.Warnings = append(r.Warnings, d)
	}
}

// packageMarkers are the markers that gengo's generators read in a package's comments.
type packageMarkers struct {
	pos     token.Position   // of doc.go's package clause, or of the first file's
	hasDoc  bool             // there is a doc.go
	pkgName string           // name in the package clause
	openapi bool             // doc.go has the openapi-gen marker
	strays  []token.Position // comments of other files with the openapi-gen marker

	groupName, groupGoName string
	emptyGroup             token.Position // of a groupName marker without a value
}

func (r *Result) tagsOf(dir string, src *loader.Package) packageMarkers {
	tags := packageMarkers{pkgName: src.Name, pos: token.Position{Filename: dir}}
	for _, file := range src.Syntax {
		pos := r.position(file.Package)
		isDoc := filepath.Base(pos.Filename) == docGo
		if isDoc || tags.pos.Line == 0 {
			tags.pos = pos
		}
		tags.hasDoc = tags.hasDoc || isDoc
		for _, group := range file.Comments {
			found := gengo.ExtractCommentTags("+", strings.Split(group.Text(), "\n")) //nolint:staticcheck // deprecated, but the parser that openapi-gen itself uses
			if slices.ContainsFunc(found["groupName"], isEmpty) {
				tags.emptyGroup = r.position(markerPos(group, "groupName"))
			}
			switch openapi := found[OpenAPIMarker]; {
			case isDoc: // all of its comments count, the first group is taken
				tags.openapi = tags.openapi || slices.Contains(openapi, "true")
				tags.groupName = cmp.Or(tags.groupName, first(found["groupName"]))
				tags.groupGoName = cmp.Or(tags.groupGoName, first(found["groupGoName"]))
			case len(openapi) > 0 && group.Pos() < file.Package:
				tags.strays = append(tags.strays, r.position(markerPos(group, OpenAPIMarker)))
			}
		}
	}
	return tags
}

// markerPos returns the position of the comment in group that holds a marker.
func markerPos(group *ast.CommentGroup, name string) token.Pos {
	for _, comment := range group.List {
		if strings.Contains(comment.Text, "+"+name) {
			return comment.Pos()
		}
	}
	return group.Pos()
}

// isEmpty says whether a marker's value is empty, in quotes or without.
func isEmpty(value string) bool { return value == "" || value == `""` }

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// noGroup reports that a package has no group.
func (t packageMarkers) noGroup(foreign bool) diag.Diagnostic {
	out := diag.Diagnostic{Pos: t.pos, Rule: rule, Message: "the package has no +groupName marker",
		Hint: "add above the package clause of " + docGo + ", with the group of your API:\n// +groupName=example.org"}
	if t.emptyGroup.IsValid() {
		out.Pos, out.Message = t.emptyGroup, "+groupName is empty: that is the core API group, which no CRD can be in"
		out.Hint = "write the group of your API above the package clause of " + docGo + ":\n// +groupName=example.org"
	}
	if foreign { // nobody here can write it
		out.Hint = "list only packages with root kinds under apis in sdkgen.yaml; the types of their fields are included"
	}
	return out
}

func (t packageMarkers) openapiHint() string {
	var b strings.Builder
	for _, stray := range t.strays {
		fmt.Fprintf(&b, "the marker at %s has no effect there; move it to %s\n", stray, docGo)
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
			for _, name := range FieldNames(field) {
				out[spec.Name.Name+"."+name.Name] = name.Pos()
			}
			if name, _, _ := strings.Cut(loader.ParseAstTag(field.Tag).Get("json"), ","); name != "" {
				out[spec.Name.Name+"#"+name] = field.Pos()
			}
		}
	})
	return out
}

// FieldNames returns the names of a field; an embedded one is named by its type.
func FieldNames(field *ast.Field) []*ast.Ident {
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
