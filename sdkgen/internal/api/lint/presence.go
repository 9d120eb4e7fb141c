package lint

import (
	"strings"
)

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

var presenceRule = Rule{
	ID:    "presence",
	Doc:   "A field is both optional and required.",
	check: schemaRule((*linter).checkPresence),
}

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
