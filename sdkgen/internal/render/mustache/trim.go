package mustache

import (
	"strings"
	"unicode"
)

// A line that has nothing but the tag of a section or a comment leaves nothing behind. As in JMustache,
// the opening and the closing tag are each looked at with the text beside them, inner sections first; a
// tag beside another tag is not alone in its line.

// blanks are the blank parts at both ends of a text. A part that was cut is one no more; what is left
// begins or ends a line still.
type blanks struct {
	start int // offset of the first end of a line, if there are only blanks in front of it; otherwise -1
	end   int // offset behind the last one, if there are only blanks behind it; otherwise -1
}

// findBlanks looks at a text. The template's first text begins a line.
func findBlanks(text string, first bool) blanks {
	found := blanks{-1, -1}
	if at := strings.IndexByte(text, '\n'); at >= 0 && isBlank(text[:at]) {
		found.start = at
	}
	if at := strings.LastIndexByte(text, '\n') + 1; (at > 0 || first) && isBlank(text[at:]) {
		found.end = at
	}
	return found
}

func isBlank(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return !unicode.IsSpace(r) }) < 0
}

// trim cuts such lines out of the texts beside the tags of a body. The start and the end of the
// template, whose body is top, are those of a line.
func trim(body []node, top bool) []node {
	for i := range body {
		n := &body[i]
		before, after := textAt(body, i-1), textAt(body, i+1)
		begins := before == nil && top && i == 0 || before.endsBlank()
		ends := after == nil && top && i == len(body)-1 || after.startsBlank()
		switch n.sign {
		case comment:
			if begins && ends {
				before.cutEnd()
				after.cutStart()
			}
		case section, inverted:
			if inner := textAt(n.body, 0); begins && inner.startsBlank() {
				before.cutEnd()
				inner.cutStart()
			}
			if inner := textAt(n.body, len(n.body)-1); ends && inner.endsBlank() {
				inner.cutEnd()
				after.cutStart()
			}
		}
	}
	return body
}

// textAt returns the text at an index of a body, nil if there is none.
func textAt(body []node, i int) *node {
	if i < 0 || i >= len(body) || body[i].sign != literal {
		return nil
	}
	return &body[i]
}

func (n *node) startsBlank() bool { return n != nil && n.blanks.start >= 0 }

func (n *node) endsBlank() bool { return n != nil && n.blanks.end >= 0 }

// cutStart cuts a blank start off, with its end of the line. A nil text has none.
func (n *node) cutStart() {
	if !n.startsBlank() {
		return
	}
	cut := n.blanks.start + 1
	n.text = n.text[cut:]
	n.blanks.start = -1
	if n.blanks.end >= 0 {
		n.blanks.end -= cut
	}
}

// cutEnd cuts a blank end off. A nil text has none.
func (n *node) cutEnd() {
	if n.endsBlank() {
		n.text = n.text[:n.blanks.end]
		n.blanks.end = -1
	}
}
