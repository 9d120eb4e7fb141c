package lint

import (
	"fmt"
	"go/token"
	"strings"
	"unicode"
)

// unwritable are the characters that YAML does not allow, and U+0085, which it reads as a line break. JSON has an
// escape for each of the other control characters.
func unwritable(r rune) bool {
	return unicode.IsControl(r) && r > ' ' || r == '\ufffe' || r == '\uffff'
}

// character names the first character of text.
func character(text string) string {
	return fmt.Sprintf("%U, which YAML does not allow in a CRD", []rune(text)[0])
}

var charactersRule = Rule{
	ID:    "characters",
	Doc:   "The comment of a type or field contains a character that YAML does not allow in a CRD.",
	check: (*linter).checkDescription,
}

// checkDescription reports a character in the comment of a type or field that controller-gen
// cannot write into the CRD.
func (l *linter) checkDescription(decl *declaration) {
	if decl.doc == nil || decl.target != onType && decl.target != onField {
		return
	}
	for _, comment := range decl.doc.List {
		if i := strings.IndexFunc(comment.Text, unwritable); i >= 0 {
			l.report(decl.pkg, comment.Slash+token.Pos(i), "remove it", "the comment of %s contains %s", decl.title,
				character(comment.Text[i:]))
		}
	}
}

// checkCharacters does the same for a marker's value, where it is written as an escape.
func (l *linter) checkCharacters(m *marker) {
	value := asJSON(m.value)
	if i := strings.IndexFunc(value, unwritable); i >= 0 && strings.IndexFunc(m.text, unwritable) < 0 {
		l.complain(m, "", "+%s contains %s", m.known.name, character(value[i:]))
	}
}
