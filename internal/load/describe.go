package load

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/flux-framework/flux-operator/internal/diag"
)

const rule = "load"

// docGo is the one file whose package tags gengo's generators read.
const docGo = "doc.go"

// describe works out the group, version and kinds of a loaded package, and what is wrong with it.
func (r *Result) describe(dir string, src *loader.Package) (*Package, diag.List) {
	if list := r.errorsOf(dir, src); list != nil {
		return nil, list
	}
	pkg := &Package{Dir: dir, Path: src.PkgPath, Name: src.Name, Version: src.Name, Source: src}
	pkg.fields = declared(src)
	pkg.Kinds = kindsOf(src.Types)

	var list diag.List
	tags := r.tagsOf(dir, src)
	pkg.Group, pkg.GroupGoName = tags.values["groupName"], tags.values["groupGoName"]
	if v := tags.values["versionName"]; v != "" {
		pkg.Version = v
	}
	if pkg.Group == "" {
		list.Add(tags.pos, rule, "add above the package clause of "+docGo+", with your API's group:\n// +groupName=example.org", "the package has no +groupName tag")
	}
	if tags.values["k8s:openapi-gen"] != "true" {
		list.Add(tags.pos, rule, tags.openapiHint(), "the package has no +k8s:openapi-gen=true tag in its %s, so its zz_generated.openapi.go would be empty", docGo)
	}
	if !slices.ContainsFunc(pkg.Kinds, func(k Kind) bool { return !k.List }) {
		list.Add(tags.pos, rule, "a root kind is a struct with metav1.TypeMeta `json:\",inline\"` and metav1.ObjectMeta `json:\"metadata\"`", "the package has no root kind")
	}
	return pkg, list
}

// errorsOf returns what stops a package from being used: list, parse and declaration errors.
// Type errors elsewhere than in a type declaration come from loading only what types need.
func (r *Result) errorsOf(dir string, src *loader.Package) diag.List {
	if src == nil {
		return diag.List{{Rule: rule, Message: dir + ": no package was found", Hint: "run `go list ./" + dir + "`"}}
	}
	var list diag.List
	for _, e := range src.Errors {
		pos := parsePosition(e.Pos)
		if e.Kind == packages.TypeError && !inTypeDecl(r.fset, src, pos) {
			continue
		}
		list.Add(r.relative(pos), rule, hintFor(e), "%s", e.Msg)
	}
	if len(list) == 0 && len(src.GoFiles) == 0 {
		list.Add(token.Position{Filename: dir}, rule, "", "there are no Go files")
	}
	return list
}

func hintFor(e packages.Error) string {
	if strings.Contains(e.Msg, "no required module provides package") || strings.Contains(e.Msg, "cannot find module") {
		return "run `go mod tidy`"
	}
	return ""
}

// parsePosition reads "file:line:col", "file:line" or "-".
func parsePosition(s string) token.Position {
	pos := token.Position{Filename: s}
	var numbers []int
	for range 2 {
		i := strings.LastIndexByte(pos.Filename, ':')
		if i < 0 {
			break
		}
		n, err := strconv.Atoi(pos.Filename[i+1:])
		if err != nil {
			break
		}
		numbers = append([]int{n}, numbers...)
		pos.Filename = pos.Filename[:i]
	}
	if len(numbers) > 0 {
		pos.Line = numbers[0]
	}
	if len(numbers) > 1 {
		pos.Column = numbers[1]
	}
	if pos.Filename == "-" {
		pos.Filename = ""
	}
	return pos
}

func inTypeDecl(fset *token.FileSet, src *loader.Package, pos token.Position) bool {
	for _, file := range src.Syntax {
		if fset.Position(file.FileStart).Filename != pos.Filename {
			continue
		}
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if ok && gen.Tok == token.TYPE && fset.Position(gen.Pos()).Line <= pos.Line && pos.Line <= fset.Position(gen.End()).Line {
				return true
			}
		}
	}
	return false
}

// packageTags are the tags in a package's comments.
type packageTags struct {
	pos     token.Position    // of doc.go's package clause, or of the first file's
	hasDoc  bool              // there is a doc.go
	pkgName string            // name in the package clause
	values  map[string]string // of doc.go; groupName, groupGoName and versionName of any file
	strays  []token.Position  // files other than doc.go with the openapi-gen tag
}

func (r *Result) tagsOf(dir string, src *loader.Package) packageTags {
	tags := packageTags{values: map[string]string{}, pkgName: src.Name, pos: token.Position{Filename: dir}}
	for _, file := range src.Syntax {
		pos := r.position(file.Package)
		isDoc := filepath.Base(pos.Filename) == docGo
		if isDoc || tags.pos.Line == 0 {
			tags.pos = pos
		}
		tags.hasDoc = tags.hasDoc || isDoc
		for _, group := range file.Comments {
			if group.Pos() > file.Package {
				break
			}
			r.readTags(&tags, group, isDoc)
		}
	}
	return tags
}

func (r *Result) readTags(tags *packageTags, group *ast.CommentGroup, isDoc bool) {
	for _, comment := range group.List {
		text, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(comment.Text, "//")), "+")
		if !ok {
			continue
		}
		name, value, _ := strings.Cut(text, "=")
		switch {
		case isDoc || name == "groupName" || name == "groupGoName" || name == "versionName":
			tags.values[name] = value
		case name == "k8s:openapi-gen":
			tags.strays = append(tags.strays, r.position(comment.Pos()))
		}
	}
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
			for _, name := range field.Names {
				out[spec.Name.Name+"."+name.Name] = name.Pos()
			}
			if name, _, _ := strings.Cut(loader.ParseAstTag(field.Tag).Get("json"), ","); name != "" {
				out[spec.Name.Name+"#"+name] = field.Pos()
			}
		}
	})
	return out
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

// EachType calls f for each type declared in the package, with its doc comment and markers.
func (r *Result) EachType(pkg *Package, f func(*markers.TypeInfo)) error {
	return markers.EachType(r.Collector, pkg.Source, f)
}
