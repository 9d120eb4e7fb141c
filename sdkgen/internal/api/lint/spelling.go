package lint

import (
	"fmt"
	"strings"
	"unicode"
)

// A form is how a marker is written.
type form int

const (
	plain  form = iota // "// +name"
	tabbed             // with other space than blanks before the plus sign
	spaced             // with space after the plus sign
	block              // in a comment that begins with /*
)

// markerIn returns the marker in a line of a comment, from the plus sign on and without space at
// the end, and where in the line it begins; "" if there is none. offset is where the line begins
// in the comment.
func markerIn(line string, offset int, isBlock bool) (text string, at int, f form) {
	body := line
	if offset == 0 {
		body = line[2:]
	}
	if isBlock {
		f = block
		body = strings.TrimSuffix(strings.TrimRightFunc(body, unicode.IsSpace), "*/")
	}
	indented := strings.TrimLeftFunc(body, unicode.IsSpace)
	if strings.Trim(body[:len(body)-len(indented)], " ") != "" && !isBlock {
		f = tabbed
	}
	text = strings.TrimRightFunc(indented, unicode.IsSpace)
	if !strings.HasPrefix(text, "+") {
		return "", 0, f
	}
	if name := strings.TrimLeftFunc(text[1:], unicode.IsSpace); len(name) != len(text)-1 {
		f, text = spaced, "+"+name
	}
	if len(text) < 2 || !unicode.IsLetter(rune(text[1])) {
		return "", 0, f
	}
	return text, strings.IndexByte(line, '+'), f
}

var spellingRule = Rule{
	ID:    "spelling",
	Doc:   "No tool knows the marker, or it is written so that a tool skips it.",
	check: eachMarker((*linter).checkSpelling),
}

// checkSpelling reports a marker that no tool knows, and one written so that not all of its tools
// read it. It says whether the marker is known and read.
func (l *linter) checkSpelling(m *marker) bool {
	name := word(m.text)
	switch {
	case m.known == nil && m.form == spaced && !inNamespace(name):
		return false // a list item, or arithmetic
	case m.known == nil && m.form == tabbed:
		return false // an example in a doc comment
	case m.known == nil:
		l.unknown(m)
		return false
	case m.form == spaced:
		l.complain(m, m.text, "space after the plus sign: no tool reads this marker")
		return false
	case m.form == block && m.known.reads[controllerGen]&m.decl.target != 0:
		l.complain(m, "// "+m.text, "controller-gen does not read +%s here: it reads markers in // comments only", name)
		return false
	case m.form == tabbed && m.known.reads[openapiGen]|m.known.reads[codeGen] != 0:
		l.complain(m, "// "+m.text, "%s does not read +%s here: there is a tab before the plus sign", m.known.others(), name)
		return false
	}
	if key, value, _ := strings.Cut(m.text[1:], "="); key == m.known.name+":" && m.known.others() != "" {
		l.complain(m, "+"+m.known.name+"="+value, "%s does not know +%s=", m.known.others(), key)
		return false
	}
	return true
}

// others names the tools beside controller-gen that read the marker.
func (k *known) others() string {
	var names []string
	for r, on := range k.reads {
		if on != 0 && reader(r) != controllerGen {
			names = append(names, reader(r).String())
		}
	}
	return strings.Join(names, " and ")
}

// unknown reports a marker that no tool knows, if it is like a known one or in their namespaces.
func (l *linter) unknown(m *marker) {
	name := word(m.text)
	rest := m.text[1+len(name):]
	known := l.catalog.find("+" + name)
	switch {
	case known != nil && name == "build":
	case known != nil && strings.HasPrefix(strings.TrimLeft(rest, " \t"), "="):
		l.complain(m, "+"+name+strings.TrimSpace(rest), "space before the equals sign: no tool reads this marker as +%s",
			name)
	case known != nil && strings.HasPrefix(rest, "("):
		l.complain(m, "+"+name+"="+strings.Trim(rest, "()"), "%s after +%s: a value must follow an equals sign", rest, name)
	case known != nil && rest != "":
		l.complain(m, "+"+name, "%q after +%s: no tool reads this marker with it", strings.TrimSpace(rest), name)
	case known == nil && rest == "" && l.catalog.find("+"+name+"=") != nil:
		l.complain(m, fmt.Sprintf("+%s=…", name), "+%s has no value: controller-gen does not read it", name)
	default:
		l.misspelt(m, name, rest)
	}
}

func (l *linter) misspelt(m *marker, name, rest string) {
	right, hint := "", l.colon(name, rest)
	if hint == "" {
		right = l.catalog.nearest(name)
	}
	switch {
	case hint != "":
	case right == "" && m.form == spaced:
		return
	case strings.HasPrefix(strings.ToLower(name), "omit"):
		l.complain(m, "write it in the json tag; the marker of an optional field is +optional", "unknown marker +%s", name)
		return
	case right != "":
		hint = "+" + right + rest
	case !inNamespace(name):
		return
	case strings.HasPrefix(name, "kubebuilder:"):
		hint = "`go tool controller-gen crd -ww` lists the markers of controller-gen"
	}
	l.complain(m, hint, "unknown marker +%s", name)
}

// colon corrects a name of which a known one with a value is the beginning: +listType:set.
func (l *linter) colon(name, rest string) string {
	for i := len(name) - 1; i > 0; i-- {
		if name[i] != ':' {
			continue
		}
		if k := l.catalog.byName[name[:i]]; k != nil && (k.plain || len(allowed[k.name]) > 0 && allowed[k.name][0] != "") {
			return "+" + name[:i] + "=" + name[i+1:] + rest
		}
	}
	return ""
}
