package link

import (
	"cmp"
	"go/ast"
	"go/format"
	"go/token"
	"slices"
	"strconv"
)

// source is a Go file.
type source struct {
	path    string
	data    []byte
	syntax  *ast.File
	file    *token.File
	runtime bool
}

// edit puts a text in the place of a part of a source, by its offsets.
type edit struct {
	start, end int
	text       string
	global     bool // an identifier of the package's scope
}

func (s *source) offset(pos token.Pos) int { return s.file.Offset(pos) }

// apply returns the source with edits, formatted.
func (s *source) apply(edits []edit) ([]byte, error) {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var out []byte
	done := 0
	for _, e := range edits {
		out = append(append(out, s.data[done:e.start]...), e.text...)
		done = e.end
	}
	return format.Source(append(out, s.data[done:]...))
}

// importsEnd is the offset of the parenthesis that closes the import declaration, -1 if there is none.
func (s *source) importsEnd() int {
	for _, decl := range s.syntax.Decls {
		if imports, ok := decl.(*ast.GenDecl); ok && imports.Tok == token.IMPORT && imports.Rparen.IsValid() {
			return s.offset(imports.Rparen)
		}
	}
	return -1
}

// free returns a name, with a number if an identifier of the source has it.
func (s *source) free(name string) string {
	taken := map[string]bool{}
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		if ident, ok := n.(*ast.Ident); ok {
			taken[ident.Name] = true
		}
		return true
	})
	free := name
	for n := 2; taken[free]; n++ {
		free = name + strconv.Itoa(n)
	}
	return free
}
