package load

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// WithoutProse returns a Go file's source with // in place of the lines of comments that are neither
// markers nor directives: one, however many there are in a row. What reads markers alone makes the
// same of both. A file that does not parse stays as it is.
func WithoutProse(source []byte) []byte {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return source
	}
	var out []byte
	last := 0
	for _, group := range file.Comments {
		for i, comment := range group.List {
			if !isProse(comment) {
				continue
			}
			if i == 0 || !isProse(group.List[i-1]) {
				out = append(append(out, source[last:fset.PositionFor(comment.Pos(), false).Offset]...), "//"...)
			}
			last = fset.PositionFor(comment.End(), false).Offset
		}
	}
	return append(out, source[last:]...)
}

func isProse(comment *ast.Comment) bool {
	text, isLine := strings.CutPrefix(comment.Text, "//")
	blank := strings.TrimLeft(text, " \t")
	return isLine && !strings.HasPrefix(blank, "+") && (text == "" || text != blank)
}
