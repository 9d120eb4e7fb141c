package compare

import (
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// rules compares CEL rules. Rules that mean the same count once: spaces, quotes, parentheses, the names of iteration
// variables, the order of operands and messages do not matter.
func (c *comparison) rules(at node, old, now apiextensionsv1.ValidationRules) {
	before, after := c.normalised(old), c.normalised(now)
	removed := slices.DeleteFunc(slices.Clone(before), func(r celRule) bool { return slices.ContainsFunc(after, r.equal) })
	added := slices.DeleteFunc(slices.Clone(after), func(r celRule) bool { return slices.ContainsFunc(before, r.equal) })
	for _, r := range added {
		i := slices.IndexFunc(removed, r.replaces)
		if i < 0 {
			i = slices.IndexFunc(removed, r.follows)
		}
		if len(removed) == 1 && len(added) == 1 {
			i = 0
		}
		id, text, old := "rule-added", r.Rule, ""
		if i >= 0 {
			id, text, old = "rule-changed", transition(removed[i].Rule, r.Rule), removed[i].Rule
			removed = slices.Delete(removed, i, i+1)
		}
		c.add(id, at, text, abbreviate(old, r.Rule), forUpdates(r),
			compatible(slices.ContainsFunc(before, r.follows), "what an old rule accepts, it accepts"))
	}
	for _, r := range removed {
		c.add("rule-removed", at, r.Rule, abbreviate("", r.Rule))
	}
}

// forUpdates corrects the reasons for a rule that only looks at updates.
func forUpdates(r celRule) correction {
	const reason = "updates of the value that were accepted may be refused; objects that do not change it are not " +
		"concerned"
	return func(c *Change) {
		for _, who := range []Audience{Stored, Manifests} {
			if effect := &c.Effects[who]; effect.Verdict == Risky && r.compares() {
				effect.Reason = reason
			}
		}
	}
}

// celRule is a CEL rule with its normal form, nil for one that does not parse.
type celRule struct {
	apiextensionsv1.ValidationRule
	term *term
}

// optional says whether oldSelf is an optional value, so that the rule looks at new values, too.
func (r celRule) optional() bool { return r.OptionalOldSelf != nil && *r.OptionalOldSelf }

// compares says whether the rule only looks at updates.
func (r celRule) compares() bool { return r.old() && !r.optional() }

// old says whether the rule has the old value.
func (r celRule) old() bool { return strings.Contains(r.Rule, "oldSelf") }

func (r celRule) equal(o celRule) bool {
	if r.term == nil || o.term == nil {
		return r.Rule == o.Rule && r.optional() == o.optional()
	}
	return r.term.text == o.term.text && r.optional() == o.optional()
}

// follows says whether the rule accepts what the old one does. One that only looks at updates does not say what others
// accept of new values.
func (r celRule) follows(old celRule) bool {
	if r.term == nil || old.term == nil || old.compares() && !r.compares() ||
		r.old() && old.old() && r.optional() != old.optional() {
		return false
	}
	return implies(old.term, r.term)
}

// replaces says whether two different rules check the same thing, as far as their author says so.
func (r celRule) replaces(o celRule) bool {
	return r.Message != "" && r.Message == o.Message || r.FieldPath != "" && r.FieldPath == o.FieldPath
}

// normalised returns the rules with their normal forms.
func (c *comparison) normalised(rules apiextensionsv1.ValidationRules) []celRule {
	var all []celRule
	for _, rule := range rules {
		r := celRule{ValidationRule: rule}
		if tree, issues := c.env.Parse(rule.Rule); issues.Err() == nil {
			r.term = (&reader{}).read(tree.NativeRep().Expr(), false)
		}
		all = append(all, r)
	}
	return all
}
