package lint

import (
	"slices"
	"strings"
)

var positionRule = Rule{
	ID:    "position",
	Doc:   "A tool that knows the marker does not read it where it stands.",
	check: eachMarker((*linter).checkPosition),
}

// checkPosition reports a marker that not all the tools see that know it, because of where it stands.
// It says whether controller-gen sees it where it knows it.
func (l *linter) checkPosition(m *marker) bool {
	name, decl := "+"+word(m.text), m.decl
	commentedOut := m.place != inDoc && m.place != trailing && removed(m)
	switch {
	case m.known.reads[otherTool] != 0:
		return true
	case commentedOut && (m.place != above || m.known.reads[controllerGen]&onField == 0 || decl.says(m.text)):
		return false // nobody takes it, or it makes no difference
	case commentedOut:
		l.complain(m, "remove the markers too", "controller-gen applies %s, of a declaration that is commented out, to %s",
			name, decl.title)
		return false
	case m.place == trailing:
		l.complain(m, "write it on a line above "+decl.title, "no tool reads %s after %s on the same line%s", name,
			decl.title, nextTakes(m))
		return false
	case m.place == adrift:
		l.complain(m, "move it to the line above the declaration that it is for, or remove it",
			"%s applies to nothing: no declaration follows", name)
		return false
	case m.known.on()&decl.target == 0:
		l.misplaced(m)
		return false
	case m.known.reads[controllerGen] != 0 && m.known.reads[controllerGen]&decl.target == 0 &&
		m.known.reads[openapiGen]&decl.target != 0:
		l.complain(m, "write it at each field of that type",
			"controller-gen reads %s at fields only: the CRD would not have what the OpenAPI definitions have", name)
		return false
	case m.place == apart:
		l.complain(m, "write it directly above "+decl.title, "no tool applies %s to %s: another comment is between them",
			name, decl.title)
		return false
	}
	var blind []string
	for r, on := range m.known.reads {
		if on&decl.target != 0 && !m.seenBy(reader(r)) {
			blind = append(blind, reader(r).String())
		}
	}
	if len(blind) == 0 {
		return true
	}
	who := strings.Join(blind, " and ")
	if decl.target == onPackage {
		l.complain(m, "move it to doc.go", "%s does not read %s here: for a package it reads only doc.go", who, name)
	} else {
		l.complain(m, "remove the blank line", "%s does not read %s: a blank line separates it from %s", who, name,
			decl.title)
	}
	return m.known.reads[controllerGen] != 0
}

// seenBy says whether a tool sees a marker that stands at its declaration or above it.
func (m *marker) seenBy(r reader) bool {
	switch {
	case r == controllerGen || r == otherTool:
		return true
	case m.known.name == "groupName":
		return true // load says so, with what to write
	case m.text == "+k8s:openapi-gen=true" && m.decl.target == onType && m.decl.pkg.docGo[m.text]:
		return true // it makes no difference
	case m.decl.target == onPackage:
		return m.decl.pkg.docGo[m.text]
	case m.place == inDoc:
		return true
	case m.decl.target != onType || r == openapiGen || r == protobufGen:
		return false
	}
	// gengo calls it the second closest comment: it ends two lines above.
	return m.decl.pkg.line(m.group.End())+2 == m.decl.pkg.line(m.decl.begin)
}

// says whether the declaration's doc comment has a marker too.
func (d *declaration) says(text string) bool {
	return slices.ContainsFunc(d.markers, func(m *marker) bool { return m.place == inDoc && m.text == text })
}

// removed says whether the marker stands in a field that is commented out.
func removed(m *marker) bool {
	for _, comment := range m.group.List {
		if comment.Pos() > m.pos && strings.Contains(comment.Text, "`json:\"") {
			return true
		}
	}
	return false
}

// nextTakes says that gengo's tools take a comment at the end of a line for the doc comment of
// what is declared on the next line, where that has none.
func nextTakes(m *marker) string {
	pkg, decl := m.decl.pkg, m.decl
	if decl.owner == nil || m.known.reads[openapiGen]&onField == 0 {
		return ""
	}
	for _, next := range decl.owner.fields {
		if next.field.Doc == nil && pkg.line(next.field.Pos()) == pkg.line(m.pos)+1 {
			return ", but openapi-gen applies it to " + next.title
		}
	}
	return ""
}

// misplaced reports a marker at something of another kind than it is for.
func (l *linter) misplaced(m *marker) {
	name, on := "+"+word(m.text), m.known.on()
	var at []string
	for _, t := range []struct {
		target target
		name   string
	}{{onPackage, "packages"}, {onType, "types"}, {onField, "fields"}, {onValue, "constants and functions"}} {
		if on&t.target != 0 {
			at = append(at, t.name)
		}
	}
	hint := ""
	switch {
	case m.known.name == "enum" && m.decl.target == onField:
		hint = "write it above a string type that has constants, or list the values: +kubebuilder:validation:Enum=…"
	case on == onPackage && m.known.reads[controllerGen] == 0:
		hint = "move it to doc.go"
	case on == onPackage && (m.decl.target == onValue || m.decl.target == onType):
		hint = "add a blank line below it, so that it applies to the package"
	case m.decl.target == onPackage:
		l.complain(m, "move it directly above the declaration that it is for",
			"%s is a marker of %s, but no declaration follows it", name, strings.Join(at, " and "))
		return
	case m.decl.target == 0:
		hint = "move it to the declaration that it is for"
	}
	l.complain(m, hint, "%s is a marker of %s, no tool reads it at %s", name, strings.Join(at, " and "), m.decl.title)
}
