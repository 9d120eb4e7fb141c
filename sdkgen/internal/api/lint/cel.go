package lint

import (
	"strings"

	"k8s.io/kube-openapi/pkg/generators"
)

var celRule = Rule{
	ID:    "cel",
	Doc:   "openapi-gen rejects the CEL rules of a type or field.",
	check: schemaRule((*linter).checkCEL),
}

// checkCEL reports what openapi-gen refuses of the CEL rules at a declaration, which have a
// marker for each of their parts.
func (l *linter) checkCEL(decl *declaration) {
	var first *marker
	var texts []string
	for _, m := range decl.attached() {
		if m.place == inDoc && strings.HasPrefix(m.known.name, validationPrefix+"cel[") {
			texts = append(texts, m.text)
			if first == nil {
				first = m
			}
		}
	}
	if first == nil {
		return
	}
	if _, err := generators.ParseCommentTags(nil, texts, "+"+validationPrefix); err != nil {
		l.complain(first, "", "openapi-gen rejects the rules of %s: %s", decl.title, rootCause(err))
	}
}
