package python

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// columns is how long a line of Python may be.
const columns = 100

// source is a piece of Python that fits on a line or is printed on several, in the style of
// `ruff format`: then each item in its brackets has a line of its own, with a comma behind it.
type source struct {
	flat  string   // all of it, on one line
	open  string   // up to the opening bracket
	items []source // in the brackets; nil if it cannot be split
	comma string   // behind each item
	close string   // from the closing bracket on
	call  bool     // items that fit on one line share it
	long  string   // a string that is split into parts where it is printed
}

// atom returns a piece that cannot be split.
func atom(text string) source { return source{flat: text} }

// group returns items in brackets. open ends with the opening bracket.
func group(open, end string, items ...source) source {
	return source{flat: open + join(items) + end, open: open, items: items, comma: ",", close: end}
}

// call returns a call or the head of a method: group, whose items share a line if they fit.
func call(open, end string, items ...source) source {
	s := group(open, end, items...)
	s.call = true
	return s
}

// subscript returns a type with parameters. Behind a single one a comma would make a tuple of it.
func subscript(name string, parameters ...source) source {
	s := group(name+"[", "]", parameters...)
	if len(parameters) == 1 {
		s.comma = ""
	}
	return s
}

// fromImport returns an import of names, which it sorts.
func fromImport(module string, names ...string) source {
	slices.SortFunc(names, compareNames)
	head := "from " + module + " import "
	s := group(head+"(", ")", atoms(names)...)
	s.flat = head + join(s.items)
	return s
}

func atoms(texts []string) []source {
	var out []source
	for _, text := range texts {
		out = append(out, atom(text))
	}
	return out
}

func join(items []source) string {
	var flat []string
	for _, item := range items {
		flat = append(flat, item.flat)
	}
	return strings.Join(flat, ", ")
}

// after returns the piece with text in front.
func (s source) after(text string) source {
	s.flat, s.open = text+s.flat, text+s.open
	return s
}

// before returns the piece with text behind it.
func (s source) before(text string) source {
	s.flat, s.close = s.flat+text, s.close+text
	return s
}

// render returns the piece as it stands in a line that starts with indent blanks; lines that follow
// are indented.
func (s source) render(indent int) string {
	if fits(indent, s.flat) {
		return s.flat
	}
	return s.split(indent)
}

// split returns the piece with each item on a line, if it has items.
func (s source) split(indent int) string {
	if s.long != "" {
		s.items = atoms(quoteParts(s.long, columns-indent-4))
	}
	if len(s.items) == 0 {
		return s.flat
	}
	end := "\n" + strings.Repeat(" ", indent)
	if flat := join(s.items); s.call && fits(indent+4, flat) {
		return s.open + end + "    " + flat + end + s.close
	}
	var b strings.Builder
	b.WriteString(s.open)
	for _, item := range s.items {
		b.WriteString(end + "    ")
		if fits(indent+4, item.flat+s.comma) {
			b.WriteString(item.flat)
		} else {
			b.WriteString(item.split(indent + 4))
		}
		b.WriteString(s.comma)
	}
	b.WriteString(end + s.close)
	return b.String()
}

// annotated returns the assignment of a call to an annotated attribute. The call is split first, or put in
// parentheses if its start does not fit; the annotation is split if it leaves no room for those.
func annotated(attr string, hint, call source, indent int) string {
	head := attr + ": " + hint.flat + " = "
	switch {
	case fits(indent, head+call.flat):
		return head + call.flat
	case fits(indent, head+call.open):
		return head + call.split(indent)
	case fits(indent, head+"("):
		return head + source{open: "(", close: ")", items: []source{call}}.split(indent)
	case hint.items == nil:
		return head + call.split(indent)
	}
	head = attr + ": " + hint.split(indent) + " = "
	if last := head[strings.LastIndexByte(head, '\n')+1:]; fits(0, last+call.flat) {
		return head + call.flat
	}
	return head + call.split(indent)
}

// signature returns the head of a method.
func signature(name string, params []source, returns source, indent int) string {
	whole := call("def "+name+"(", ") -> "+returns.flat+":", params...)
	if !fits(indent, whole.flat) {
		whole.close = returns.after(") -> ").before(":").render(indent)
	}
	return whole.render(indent)
}

// fits says whether a text ends in the last column or before, behind so many blanks.
func fits(indent int, text string) bool { return indent+textWidth(text) <= columns }

// textWidth returns how many columns a text takes.
func textWidth(text string) int {
	n := 0
	for _, r := range text {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	if r < 0x80 {
		return 1
	}
	switch kind := width.LookupRune(r).Kind(); {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case kind == width.EastAsianWide || kind == width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// compareNames orders imported names as isort does: constants, classes, then others, each without regard
// to case and with digits as numbers.
func compareNames(a, b string) int {
	return cmp.Or(cmp.Compare(nameRank(a), nameRank(b)), natural(strings.ToLower(a), strings.ToLower(b)), natural(a, b))
}

func nameRank(name string) int {
	switch {
	case len(name) > 1 && strings.ToUpper(name) == name:
		return 0
	case name != "" && unicode.IsUpper(rune(name[0])):
		return 1
	}
	return 2
}

// natural compares texts, with digits in them as numbers.
func natural(a, b string) int {
	for a != "" && b != "" {
		x, y := leadingDigits(a), leadingDigits(b)
		order := cmp.Compare(a[0], b[0])
		if x != "" && y != "" {
			order = cmp.Compare(len(x), len(y))
			if x[0] == '0' || y[0] == '0' {
				order = 0
			}
			order = cmp.Or(order, strings.Compare(x, y))
		}
		if order != 0 {
			return order
		}
		skip := max(1, len(x))
		a, b = a[skip:], b[skip:]
	}
	return cmp.Compare(len(a), len(b))
}

func leadingDigits(text string) string {
	return text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
}
