package load

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
	"k8s.io/gengo/v2"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/flux-framework/flux-operator/internal/diag"
)

const rule = "load"

const (
	// docGo is the one file whose package tags gengo's generators read.
	docGo = "doc.go"
	// openapiTag marks a package whose types openapi-gen reads.
	openapiTag = "k8s:openapi-gen"
)

// describe works out the group, version and kinds of a loaded package, and what is missing.
func (r *Result) describe(pkg *Package) diag.List {
	dir, src := pkg.Dir, pkg.Source
	pkg.Path, pkg.Name, pkg.Version = src.PkgPath, src.Name, src.Name
	pkg.fields = declared(src)
	pkg.Kinds = kindsOf(src.Types)
	tags := r.tagsOf(dir, src)
	pkg.GroupGoName = tags.groupGoName

	found, err := markers.PackageMarkers(r.Collector, src)
	if err != nil {
		src.AddError(err)
		return diag.Of(r.Problems())
	}
	pkg.Group, _ = found.Get("groupName").(string)
	if version, ok := found.Get("versionName").(string); ok {
		pkg.Version = version
	}
	var list diag.List
	switch {
	case pkg.Group == "":
		list.Add(tags.pos, rule, "add above the package clause of "+docGo+", with your API's group:\n// +groupName=example.org", "the package has no +groupName tag")
	case pkg.Group != tags.groupName:
		list.Add(tags.pos, rule, "write above the package clause of "+docGo+", the one file where the other generators look for it:\n// +groupName="+pkg.Group,
			"controller-gen sees +groupName=%s, the other generators see %q", pkg.Group, tags.groupName)
	}
	if !tags.openapi {
		list.Add(tags.pos, rule, tags.openapiHint(), "the package has no +k8s:openapi-gen=true tag in its %s, so its zz_generated.openapi.go would be empty", docGo)
	}
	if !slices.ContainsFunc(pkg.Kinds, func(k Kind) bool { return !k.List }) {
		list.Add(tags.pos, rule, "a root kind is a struct with metav1.TypeMeta `json:\",inline\"` and metav1.ObjectMeta `json:\"metadata\"`", "the package has no root kind")
	}
	list = append(list, r.fields(src)...)
	if found := r.endless(src.Types); len(found) > 0 {
		return append(list, found...)
	}
	return append(list, r.twins(src.Types)...)
}

// Problems returns what stops the packages from being used: list and parse errors, errors in type
// declarations, and what generators found since, which controller-tools' note on the package.
// Type errors elsewhere than in a declaration come from loading only what types need.
func (r *Result) Problems() error {
	folders := map[*packages.Package]string{}
	roots := make([]*packages.Package, 0, len(r.Packages))
	for _, pkg := range r.Packages {
		folders[pkg.Source.Package] = pkg.Dir
		roots = append(roots, pkg.Source.Package)
	}
	var causes, effects diag.List
	packages.Visit(roots, nil, func(pkg *packages.Package) {
		dir, own := folders[pkg]
		if own && !r.hasGoFiles(dir) {
			causes.Add(token.Position{Filename: dir}, rule, "", "there are no Go files, tests aside")
			return
		}
		for _, e := range pkg.Errors {
			found := r.finding(dir, e)
			switch {
			case e.Kind == packages.TypeError:
				if (own || isLocal(pkg)) && inTypeDecl(r.fset, pkg, parsePosition(e.Pos)) {
					effects = append(effects, found)
				}
			case e.Kind == packages.ListError && !own && !filepath.IsLocal(found.Pos.Filename):
				// Something far below does not resolve; where types need it, they are undefined.
			case e.Kind == packages.ListError || found.Pos.Line > 0:
				causes = append(causes, found)
			default:
				effects = append(effects, found)
			}
		}
	})
	if err := causes.Err(); err != nil {
		return err
	}
	return effects.Err()
}

// isLocal says whether a package is of the project's module, or of one that go.work or a
// replace directive finds in a folder.
func isLocal(pkg *packages.Package) bool {
	m := pkg.Module
	return m != nil && (m.Main || m.Replace != nil && m.Replace.Version == "")
}

// hasGoFiles says whether a folder has Go files that are not tests. The go command, asked for
// the import path of an empty folder, looks for it in other modules.
func (r *Result) hasGoFiles(dir string) bool {
	entries, err := os.ReadDir(filepath.Join(r.root, filepath.FromSlash(dir)))
	return err != nil || slices.ContainsFunc(entries, isSource)
}

// isSource says whether a file of a package's folder is Go source and no test.
func isSource(entry os.DirEntry) bool {
	return !entry.IsDir() && strings.HasSuffix(entry.Name(), ".go") && !strings.HasSuffix(entry.Name(), "_test.go")
}

// finding turns an error of the go command, the parser or the type checker into a finding; dir
// stands for its position where it has none.
func (r *Result) finding(dir string, e packages.Error) diag.Diagnostic {
	pos := r.relative(parsePosition(e.Pos))
	if pos.Line == 0 {
		pos = token.Position{Filename: dir}
	}
	message, hint := r.advice(e.Msg)
	return diag.Diagnostic{Pos: pos, Rule: rule, Message: message, Hint: hint}
}

// advice splits what the go command says into what is wrong, which is one line, and what to do.
func (r *Result) advice(text string) (message, hint string) {
	message, hint, _ = strings.Cut(strings.ReplaceAll(text, r.root+string(filepath.Separator), ""), "\n")
	hint = strings.TrimSpace(hint)
	if strings.HasPrefix(hint, "go ") {
		hint = "run `" + hint + "`"
		message = strings.TrimSuffix(strings.TrimSuffix(message, "; to add it:"), "; to add:")
	}
	if missing, ok := strings.CutPrefix(message, "no required module provides package "+r.modulePath+"/"); ok {
		hint = "this module would have it in the folder " + missing + ", where there are no Go files"
	}
	return message, hint
}

// listError is the finding for a failure of the go command itself.
func (r *Result) listError(err error) error {
	text := err.Error()
	if _, stderr, _ := strings.Cut(text, "stderr: "); strings.TrimSpace(stderr) != "" {
		text = stderr
	}
	message, hint := r.advice(strings.TrimSpace(text))
	if hint == "" {
		hint = "is the go command on PATH, and does `go list` succeed here?"
	}
	return diag.List{{Rule: rule, Message: message, Hint: hint}}
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

func inTypeDecl(fset *token.FileSet, src *packages.Package, pos token.Position) bool {
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

// packageTags are the tags that gengo's generators see in a package's comments.
type packageTags struct {
	pos     token.Position   // of doc.go's package clause, or of the first file's
	hasDoc  bool             // there is a doc.go
	pkgName string           // name in the package clause
	openapi bool             // doc.go has the openapi-gen tag
	strays  []token.Position // comments of other files with the openapi-gen tag

	groupName, groupGoName string
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
			switch openapi := found[openapiTag]; {
			case isDoc: // all of its comments count, the first group is taken
				tags.openapi = tags.openapi || slices.Contains(openapi, "true")
				tags.groupName = cmp.Or(tags.groupName, first(found["groupName"]))
				tags.groupGoName = cmp.Or(tags.groupGoName, first(found["groupGoName"]))
			case len(openapi) > 0 && group.Pos() < file.Package:
				tags.strays = append(tags.strays, r.position(tagPos(group)))
			}
		}
	}
	return tags
}

// tagPos returns the position of the comment in group that holds the openapi-gen tag.
func tagPos(group *ast.CommentGroup) token.Pos {
	for _, comment := range group.List {
		if strings.Contains(comment.Text, "+"+openapiTag) {
			return comment.Pos()
		}
	}
	return group.Pos()
}

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
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

// EachType calls f for each type declared in the package, with its doc comment and markers.
func (r *Result) EachType(pkg *Package, f func(*markers.TypeInfo)) error {
	return markers.EachType(r.Collector, pkg.Source, f)
}
