package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
)

// A place is where a comment stands to the declaration it is meant for.
type place int

const (
	inDoc    place = iota // it ends on the line above the declaration
	above                 // it is the last one before the declaration, or before its doc comment
	apart                 // other comments come between
	trailing              // it follows on the declaration's last line
	adrift                // no declaration follows
)

// declaration is something that markers may stand at.
type declaration struct {
	target  target // 0 for what no marker can stand at, such as a group of types
	title   string // for messages: "type Spec", "field Size"
	pkg     *apiPackage
	markers []*marker

	begin     token.Pos // with its doc comment
	doc       *ast.CommentGroup
	typ       types.Type // of a field, or what a type is declared as; nil if unknown
	tag       jsonTag    // of a field
	structTag reflect.StructTag
	field     *ast.Field     // of a field
	owner     *declaration   // of a field: the type
	fields    []*declaration // of a struct type
	name      *types.TypeName
}

// marker is one line "+name…" of a comment.
type marker struct {
	text     string // from the plus sign on, without space at the end
	pos      token.Pos
	form     form
	place    place
	group    *ast.CommentGroup
	decl     *declaration
	known    *known // nil if no tool knows it
	rejected bool   // a rule found that no later rule needs to check it
	value    any    // what controller-gen's parser made of it, nil if it does not read it
}

// item is a declaration in the order of the source, with the comments that the parser gives to it.
type item struct {
	node          ast.Node
	doc, trailing *ast.CommentGroup
	decl          *declaration
}

// begin is where the item begins, with its doc comment.
func (it item) begin() token.Pos {
	if it.doc != nil {
		return it.doc.Pos()
	}
	return it.node.Pos()
}

// fileReader distributes the comments of one file.
type fileReader struct {
	l    *linter
	pkg  *apiPackage
	file *ast.File

	docGo bool // it is doc.go
}

// read collects the declarations and markers of a package.
func (l *linter) read(pkg *apiPackage) {
	pkg.docGo = map[string]bool{}
	pkg.file = &declaration{target: onPackage, title: "package " + pkg.Name, pkg: pkg}
	pkg.declarations = []*declaration{pkg.file}
	for _, file := range pkg.Syntax {
		if ast.IsGenerated(file) {
			continue
		}
		name := filepath.Base(pkg.Fset.PositionFor(file.FileStart, false).Filename)
		r := &fileReader{l: l, pkg: pkg, file: file, docGo: name == "doc.go"}
		r.readFile()
	}
}

func (r *fileReader) readFile() {
	items := make([]item, 0, len(r.file.Decls))
	for _, decl := range r.file.Decls {
		switch decl := decl.(type) {
		case *ast.GenDecl:
			items = append(items, r.group(decl))
		case *ast.FuncDecl:
			items = append(items, item{decl, decl.Doc, nil, r.declare(onValue, "function "+decl.Name.Name)})
		}
	}
	for _, group := range r.within(token.NoPos, r.file.Package) {
		r.give(group, inDoc, r.pkg.file)
	}
	r.distribute(items, r.within(r.file.Package, r.file.FileEnd+1), true)
}

// declare adds a declaration to the package.
func (r *fileReader) declare(on target, title string) *declaration {
	decl := &declaration{target: on, title: title, pkg: r.pkg}
	r.pkg.declarations = append(r.pkg.declarations, decl)
	return decl
}

// group reads one "type", "const", "var" or "import".
func (r *fileReader) group(decl *ast.GenDecl) item {
	single := !decl.Lparen.IsValid()
	var items []item
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			it := r.typeSpec(spec)
			if single {
				it.node, it.doc = decl, decl.Doc
				return it
			}
			items = append(items, it)
		case *ast.ValueSpec:
			it := item{spec, spec.Doc, spec.Comment, r.declare(onValue, decl.Tok.String()+" "+spec.Names[0].Name)}
			if single {
				it.node, it.doc = decl, decl.Doc
				return it
			}
			items = append(items, it)
		}
	}
	whole := item{decl, decl.Doc, nil, r.declare(0, "the "+decl.Tok.String()+" group")}
	if len(items) > 0 {
		r.distribute(items, r.within(decl.Lparen, decl.Rparen), false)
	}
	return whole
}

func (r *fileReader) typeSpec(spec *ast.TypeSpec) item {
	decl := r.declare(onType, "type "+spec.Name.Name)
	decl.typ = r.pkg.typeOf(spec.Type)
	if name, ok := r.pkg.TypesInfo.Defs[spec.Name].(*types.TypeName); ok {
		decl.name = name
		r.l.types[name] = decl
	}
	if structType, ok := spec.Type.(*ast.StructType); ok {
		decl.fields = r.fields(structType, decl)
	}
	return item{spec, spec.Doc, spec.Comment, decl}
}

// fields reads the fields of a struct, and of structs in place in it.
func (r *fileReader) fields(structType *ast.StructType, owner *declaration) []*declaration {
	var items []item
	var out []*declaration
	for _, field := range structType.Fields.List {
		decl := r.declare(onField, "field "+fieldName(field))
		decl.field, decl.owner = field, owner
		decl.typ = r.pkg.typeOf(field.Type)
		decl.structTag = loader.ParseAstTag(field.Tag)
		decl.tag = parseTag(decl.structTag, fieldName(field), len(field.Names) == 0)
		items = append(items, item{field, field.Doc, field.Comment, decl})
		out = append(out, decl)
		ast.Inspect(field.Type, func(n ast.Node) bool {
			inner, ok := n.(*ast.StructType)
			if ok {
				r.fields(inner, &declaration{pkg: r.pkg})
			}
			return !ok
		})
	}
	r.distribute(items, r.within(structType.Fields.Opening, structType.Fields.Closing), false)
	return out
}

// fieldName returns the first Go name of a field; an embedded one is named by its type.
func fieldName(field *ast.Field) string {
	if names := load.FieldNames(field); len(names) > 0 {
		return names[0].Name
	}
	return types.ExprString(field.Type)
}

// within returns the comments between two positions.
func (r *fileReader) within(from, to token.Pos) []*ast.CommentGroup {
	var out []*ast.CommentGroup
	for _, group := range r.file.Comments {
		if from < group.Pos() && group.Pos() < to {
			out = append(out, group)
		}
	}
	return out
}

// distribute gives comments to the items of a scope: its doc comment and the one that follows on
// its line to each, and what stands between two of them to the second. Comments inside an item
// are left out. At the top of a file, what is meant for the package goes to it.
func (r *fileReader) distribute(items []item, groups []*ast.CommentGroup, top bool) {
	for _, it := range items {
		it.decl.begin = it.begin()
		it.decl.doc = it.doc
		r.give(it.doc, inDoc, it.decl)
		r.give(it.trailing, trailing, it.decl)
	}
	n := 0
	for i, group := range groups {
		for n < len(items) && items[n].node.End() <= group.Pos() && (items[n].trailing != group) {
			n++
		}
		switch {
		case n < len(items) && (group == items[n].doc || group == items[n].trailing || items[n].node.Pos() <= group.Pos()):
			continue
		case n == len(items) && top:
			r.give(group, inDoc, r.pkg.file)
		case n == len(items):
			r.give(group, adrift, r.declare(0, ""))
		case i+1 < len(groups) && groups[i+1].Pos() < items[n].begin():
			r.loose(group, apart, items[n], top)
		default:
			r.loose(group, above, items[n], top)
		}
	}
}

// loose gives a comment that is no doc comment to the declaration that follows, or at the top of
// a file to the package, marker by marker as controller-gen does.
func (r *fileReader) loose(group *ast.CommentGroup, at place, it item, top bool) {
	for _, m := range r.markersOf(group) {
		var on target
		if m.known != nil {
			on = m.known.on()
		}
		toType := at == above && it.decl.target&on&onType != 0
		if top && !toType && (m.known == nil || on&onPackage != 0) {
			r.add(m, inDoc, r.pkg.file)
		} else {
			r.add(m, at, it.decl)
		}
	}
}

func (r *fileReader) give(group *ast.CommentGroup, at place, decl *declaration) {
	if group == nil {
		return
	}
	for _, m := range r.markersOf(group) {
		r.add(m, at, decl)
	}
}

func (r *fileReader) add(m *marker, at place, decl *declaration) {
	if m.text == "+genclient" && len(r.file.Decls) == 0 {
		return // in a file of nothing else it is for kube_codegen.sh, which looks for API packages by it
	}
	m.place, m.decl = at, decl
	decl.markers = append(decl.markers, m)
	if r.docGo {
		r.pkg.docGo[m.text] = true
	}
}

// markersOf finds the markers in a comment, in every form that is meant to be one.
func (r *fileReader) markersOf(group *ast.CommentGroup) []*marker {
	var out []*marker
	for _, comment := range group.List {
		offset := 0
		for line := range strings.Lines(comment.Text) {
			if text, at, form := markerIn(line, offset, comment.Text[:2] == "/*"); text != "" {
				m := &marker{text: text, pos: comment.Slash + token.Pos(offset+at), form: form, group: group}
				m.known = r.l.catalog.find(text)
				out = append(out, m)
			}
			offset += len(line)
		}
	}
	return out
}
