package compare

import (
	"slices"
	"strings"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// implies says whether b is true wherever a is, as far as their forms show it. An error counts as not true, so
// nothing is concluded from a being false.
func implies(a, b *term) bool {
	follows := func(t *term) bool { return implies(t, b) }
	asked := func(t *term) bool { return implies(a, t) }
	switch {
	case a.text == b.text, b.literal == types.True:
		return true
	case b.op == operators.LogicalAnd:
		return !slices.ContainsFunc(b.args, func(t *term) bool { return !asked(t) })
	case a.op == operators.LogicalOr:
		return !slices.ContainsFunc(a.args, func(t *term) bool { return !follows(t) })
	case b.op == operators.LogicalOr && slices.ContainsFunc(b.args, asked),
		a.op == operators.LogicalAnd && slices.ContainsFunc(a.args, follows):
		return true
	case a.op == "comprehension" && b.op == "comprehension":
		return loops(a, b)
	case a.op == operators.Conditional && b.op == operators.Conditional:
		return a.args[0].text == b.args[0].text && implies(a.args[1], b.args[1]) && implies(a.args[2], b.args[2])
	}
	return tighter(a, b) || listed(a, b)
}

// loops says so of two loops that differ in what they ask of an item: all and exists add it to their result by && and
// ||.
func loops(a, b *term) bool {
	const step = 3
	for i := range a.args {
		if i != step && a.args[i].text != b.args[i].text {
			return false
		}
	}
	result, init := a.args[4], a.args[1]
	if !strings.HasPrefix(result.op, "variable ") || init.literal != types.True && init.literal != types.False {
		return false
	}
	return implies(a.args[step], b.args[step])
}

// limit is a comparison with a literal.
type limit struct {
	of     string  // what is compared
	sign   int     // 1 for a lower bound, -1 for an upper one, 0 for equality
	value  ref.Val // the literal
	strict bool
}

// limitOf reads a comparison of numbers with a literal.
func limitOf(t *term) (limit, bool) {
	if len(t.args) != 2 {
		return limit{}, false
	}
	left, right := t.args[0], t.args[1]
	strict := t.op == operators.Less
	switch {
	case (left.literal == nil) == (right.literal == nil):
	case t.op == operators.Equals && left.literal != nil:
		return limit{right.text, 0, left.literal, false}, true
	case t.op == operators.Equals:
		return limit{left.text, 0, right.literal, false}, true
	case t.op != operators.Less && t.op != operators.LessEquals:
	case left.literal != nil:
		return limit{right.text, 1, left.literal, strict}, true
	default:
		return limit{left.text, -1, right.literal, strict}, true
	}
	return limit{}, false
}

// tighter says so of two bounds of the same value.
func tighter(a, b *term) bool {
	before, ok := limitOf(a)
	after, also := limitOf(b)
	if !ok || !also || before.of != after.of || after.sign == 0 || before.sign != 0 && before.sign != after.sign ||
		before.value.Type() != after.value.Type() {
		return false
	}
	comparer, ok := before.value.(traits.Comparer)
	if !ok {
		return false
	}
	order, ok := comparer.Compare(after.value).(types.Int)
	if !ok {
		return false
	}
	inside := int(order) * after.sign
	return inside > 0 || inside == 0 && (!after.strict || before.strict)
}

// listed says so of lists that a value is to be in, or is not to be in.
func listed(a, b *term) bool {
	if a.op == operators.LogicalNot && b.op == operators.LogicalNot {
		after, before, ok := lists(b.args[0], a.args[0])
		return ok && subset(after, before)
	}
	if single, ok := limitOf(a); ok && single.sign == 0 && b.op == operators.In && b.args[0].text == single.of {
		return slices.ContainsFunc(b.args[1].args, func(t *term) bool {
			return t.literal != nil && t.literal.Equal(single.value) == types.True
		})
	}
	earlier, current, ok := lists(a, b)
	return ok && subset(earlier, current)
}

// lists returns the items of the lists in which the same value is looked for.
func lists(a, b *term) (first, second []*term, ok bool) {
	if a.op != operators.In || b.op != operators.In || a.args[0].text != b.args[0].text || a.args[1].op != "list []" ||
		b.args[1].op != "list []" {
		return nil, nil, false
	}
	for _, item := range slices.Concat(a.args[1].args, b.args[1].args) {
		if item.literal == nil { // it may be an error
			return nil, nil, false
		}
	}
	return a.args[1].args, b.args[1].args, true
}

func subset(a, b []*term) bool {
	return !slices.ContainsFunc(a, func(t *term) bool {
		return !slices.ContainsFunc(b, func(u *term) bool { return u.text == t.text })
	})
}
