package lint

import "slices"

// Rule is one check of the markers of an API.
type Rule struct {
	ID  string // unique; testdata/ID.txtar has the rule's cases
	Doc string // what the rule reports, and why

	check func(*linter, *declaration)
}

// rules are in the order in which they run. A marker that the rules spelling or position reject is
// not checked further.
var rules = []*Rule{
	&charactersRule, &spellingRule, &positionRule, &valuesRule, &celRule, &repeatedRule,
	&presenceRule, &patchRule, &topologyRule, &boundsRule, &droppedRule, &defaultsRule,
}

// Rules returns all rules in the order in which they run.
func Rules() []*Rule { return slices.Clone(rules) }

// eachMarker is a check of a declaration by a check of its markers, which returns false to reject one.
func eachMarker(check func(*linter, *marker) bool) func(*linter, *declaration) {
	return func(l *linter, decl *declaration) {
		for _, m := range decl.markers {
			m.rejected = m.rejected || !check(l, m)
		}
	}
}

// schemaRule limits a check to types and fields, which have a schema.
func schemaRule(check func(*linter, *declaration)) func(*linter, *declaration) {
	return func(l *linter, decl *declaration) {
		if decl.target == onType || decl.target == onField {
			check(l, decl)
		}
	}
}
