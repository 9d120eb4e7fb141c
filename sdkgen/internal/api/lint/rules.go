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
var rules = []Rule{
	{
		ID:    "characters",
		Doc:   "The comment of a type or field contains a character that YAML does not allow in a CRD.",
		check: (*linter).checkDescription,
	},
	{
		ID:    "spelling",
		Doc:   "No tool knows the marker, or it is written so that a tool skips it.",
		check: eachMarker((*linter).checkSpelling),
	},
	{
		ID:    "position",
		Doc:   "A tool that knows the marker does not read it where it stands.",
		check: eachMarker((*linter).checkPosition),
	},
	{
		ID:    "value",
		Doc:   "The tool's parser rejects the value of the marker, or the value has no meaning.",
		check: eachMarker((*linter).checkValue),
	},
	{
		ID:    "cel",
		Doc:   "openapi-gen rejects the CEL rules of a type or field.",
		check: schemaRule((*linter).checkCEL),
	},
	{
		ID:    "repeated",
		Doc:   "A marker that counts once stands twice, with different values.",
		check: schemaRule((*linter).checkRepeated),
	},
	{
		ID:    "presence",
		Doc:   "A field is both optional and required.",
		check: schemaRule((*linter).checkPresence),
	},
	{
		ID:    "patch",
		Doc:   "A patch marker differs from the field's struct tag.",
		check: schemaRule((*linter).checkPatch),
	},
	{
		ID:    "topology",
		Doc:   "List, map and struct types contradict the Go type or each other.",
		check: schemaRule((*linter).checkTopology),
	},
	{
		ID:    "bounds",
		Doc:   "A validation does not apply to the type, excludes all values or contradicts another one.",
		check: schemaRule((*linter).checkBounds),
	},
	{
		ID:    "dropped",
		Doc:   "The CRD would lack a validation, because controller-gen does not read its marker.",
		check: schemaRule((*linter).checkDropped),
	},
	{
		ID:    "default",
		Doc:   "A default does not fit the Go type or the validations, or differs from another default.",
		check: schemaRule((*linter).checkDefaults),
	},
}

// Rules returns all rules in the order in which they run.
func Rules() []Rule { return slices.Clone(rules) }

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
