package lint

import (
	"slices"
	"strings"
)

// checkRepeated reports a marker of a single value that a declaration has more than once.
func (l *linter) checkRepeated(decl *declaration) {
	first := map[string]*marker{}
	for _, m := range decl.attached() {
		name := m.known.name
		if repeatable[name] || m.known.only(validationGen) || m.known.reads[otherTool] != 0 ||
			strings.HasPrefix(name, validationPrefix) && strings.Contains(m.text, ">") {
			continue
		}
		before := first[name]
		switch _, text, _ := strings.Cut(m.text, "="); {
		case before == nil:
			first[name] = m
		case strings.TrimSpace(text) != valueOf(before):
			l.complain(m, "keep one of them", "duplicate +%s: %s and %s", name, before.text, m.text)
		case name == "default" || name == "patchStrategy" || name == "patchMergeKey" ||
			strings.HasPrefix(name, validationPrefix):
			l.complain(m, "remove one of them", "duplicate +%s: openapi-gen rejects it", name)
		}
	}
}

func valueOf(m *marker) string {
	_, text, _ := strings.Cut(m.text, "=")
	return strings.TrimSpace(text)
}

// attached returns the known markers that at least one tool takes for the declaration.
func (d *declaration) attached() []*marker {
	var out []*marker
	for _, m := range d.markers {
		if m.known != nil && m.known.on()&d.target != 0 && (m.place == inDoc || m.place == above) && m.form != spaced {
			out = append(out, m)
		}
	}
	return out
}

// has returns the first of the named markers that is attached to the declaration, nil if none is.
func (d *declaration) has(names ...string) *marker {
	for _, m := range d.attached() {
		for _, name := range names {
			if m.known.name == name {
				return m
			}
		}
	}
	return nil
}

var (
	optionalNames = []string{"optional", "kubebuilder:validation:Optional", "k8s:optional"}
	requiredNames = []string{"required", "kubebuilder:validation:Required", "k8s:required"}
)

// checkPresence reports a field that is optional and required.
func (l *linter) checkPresence(decl *declaration) {
	if decl.target != onField {
		return
	}
	optional, required := decl.has(optionalNames...), decl.has(requiredNames...)
	if optional == nil || required == nil {
		return
	}
	first, second := optional, required
	if second.pos < first.pos {
		first, second = second, first
	}
	l.complain(second, "keep one of them", "+%s contradicts +%s", second.known.name, first.known.name)
}

// required says whether controller-gen puts a field among the required ones.
func (d *declaration) required() bool {
	switch {
	case d.has("kubebuilder:validation:Optional") != nil:
		return false
	case d.has("kubebuilder:validation:Required") != nil:
		return true
	case d.has(optionalNames...) != nil:
		return false
	case d.has(requiredNames...) != nil:
		return true
	case d.pkg.file.has("kubebuilder:validation:Optional") != nil:
		return false
	}
	return !d.tag.inline && !d.tag.omitEmpty && !d.tag.omitZero
}

// checkPatch reports patch markers that differ from the struct tags of the same names, which
// openapi-gen rejects.
func (l *linter) checkPatch(decl *declaration) {
	if decl.target != onField || decl.tag.name == "" || decl.tag.missing {
		return
	}
	for _, name := range []string{"patchStrategy", "patchMergeKey"} {
		m, tag := decl.has(name), decl.structTag.Get(name)
		switch {
		case m == nil && tag != "" || m != nil && valueOf(m) == tag:
			// A tag alone is parseFailed too, but no marker is wrong.
		case m != nil && tag == "":
			l.complain(m, "add to the struct tag: "+name+":\""+valueOf(m)+"\"",
				"openapi-gen rejects +%s: the struct tag has no %s", name, name)
		case m != nil && (allowed[name] == nil || slices.Contains(allowed[name], valueOf(m))):
			l.complain(m, "+"+name+"="+tag, "openapi-gen rejects +%s=%s: the struct tag has %s:%q", name, valueOf(m), name, tag)
		}
	}
}
