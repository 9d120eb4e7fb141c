package lint

import "strings"

var repeatedRule = Rule{
	ID:    "repeated",
	Doc:   "A marker that counts once stands twice, with different values.",
	check: schemaRule((*linter).checkRepeated),
}

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
