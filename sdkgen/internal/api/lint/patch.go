package lint

import "slices"

var patchRule = Rule{
	ID:    "patch",
	Doc:   "A patch marker differs from the field's struct tag.",
	check: schemaRule((*linter).checkPatch),
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
