package link

import (
	"go/ast"
	"regexp"
	"strings"
)

var (
	word    = regexp.MustCompile(`\w+`)
	capital = regexp.MustCompile(`^[a-z]+[A-Z]`) // of a word that is none of English
)

// comments are the edits that give the runtime's identifiers their new names in its comments: those of the package's
// scope that are no words of English, and those that a doc comment begins with.
func (p *program) comments(s *source) (edits []edit) {
	known := map[string]string{}
	for object, name := range p.names {
		if p.isGlobal(object) && capital.MatchString(object.Name()) {
			known[object.Name()] = name
		}
	}
	subjects := p.subjects(s)
	for _, group := range s.syntax.Comments {
		for _, comment := range group.List {
			begin := s.offset(comment.Pos())
			for _, at := range word.FindAllStringIndex(comment.Text, -1) {
				name := known[comment.Text[at[0]:at[1]]]
				if subject := subjects[begin+at[0]]; subject != "" {
					name = subject
				}
				if name != "" {
					edits = append(edits, edit{start: begin + at[0], end: begin + at[1], text: name})
				}
			}
		}
	}
	return edits
}

// subjects are the new names of what doc comments are about, by the offset of the first word where that is the old one.
func (p *program) subjects(s *source) map[int]string {
	out := map[int]string{}
	note := func(doc *ast.CommentGroup, name *ast.Ident) {
		renamed, ok := p.names[p.object(name)]
		if doc == nil || !ok {
			return
		}
		if first := word.FindString(doc.Text()); first == name.Name && strings.HasPrefix(doc.List[0].Text, "// "+first) {
			out[s.offset(doc.Pos())+len("// ")] = renamed
		}
	}
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			note(n.Doc, n.Name)
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					note(n.Doc, spec.Name)
				case *ast.ValueSpec:
					note(n.Doc, spec.Names[0])
				}
			}
		}
		return true
	})
	return out
}
