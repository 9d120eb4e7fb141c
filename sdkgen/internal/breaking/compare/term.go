package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types/ref"
)

// term is a CEL expression in a normal form: operands of && and || and items of lists to look in are sorted, iteration
// variables are numbered, comparisons are < or <=, and ! is only where it cannot be pushed down.
type term struct {
	op      string
	args    []*term
	literal ref.Val // of op "literal"
	text    string  // the whole term, spelled in one way
}

func newTerm(op string, args ...*term) *term {
	t := &term{op: op, args: args}
	var b strings.Builder
	fmt.Fprintf(&b, "%s(", op)
	for _, arg := range args {
		b.WriteString(arg.text + ",")
	}
	t.text = b.String() + ")"
	return t
}

// sorted is a term whose operands have no order.
func sorted(op string, args []*term) *term {
	args = slices.Clone(args)
	slices.SortStableFunc(args, func(a, b *term) int { return strings.Compare(a.text, b.text) })
	args = slices.CompactFunc(args, func(a, b *term) bool { return a.text == b.text })
	if len(args) == 1 && (op == operators.LogicalAnd || op == operators.LogicalOr) {
		return args[0]
	}
	return newTerm(op, args...)
}

// reader turns syntax trees into terms.
type reader struct {
	bound map[string]string // iteration variables
	depth int
}

func (r *reader) read(e ast.Expr, negated bool) *term {
	t := r.plain(e, &negated)
	if negated {
		return newTerm(operators.LogicalNot, t)
	}
	return t
}

// plain reads an expression, and resets negated if the term has the negation in it.
func (r *reader) plain(e ast.Expr, negated *bool) *term {
	switch e.Kind() {
	case ast.LiteralKind:
		value := e.AsLiteral()
		t := newTerm(fmt.Sprintf("literal %s %#v", value.Type().TypeName(), value.Value()))
		t.op, t.literal = "literal", value
		return t
	case ast.IdentKind:
		if name, ok := r.bound[e.AsIdent()]; ok {
			return newTerm(name)
		}
		return newTerm("name " + e.AsIdent())
	case ast.SelectKind:
		op := "select "
		if e.AsSelect().IsTestOnly() {
			op = "has "
		}
		return newTerm(op+e.AsSelect().FieldName(), r.read(e.AsSelect().Operand(), false))
	case ast.ListKind:
		list := e.AsList()
		return newTerm(fmt.Sprint("list ", list.OptionalIndices()), r.all(list.Elements())...)
	case ast.MapKind:
		var args []*term
		for _, entry := range e.AsMap().Entries() {
			pair := entry.AsMapEntry()
			args = append(args, newTerm(fmt.Sprint("entry ", pair.IsOptional()), r.read(pair.Key(), false),
				r.read(pair.Value(), false)))
		}
		return newTerm("map", args...)
	case ast.ComprehensionKind:
		return r.comprehension(e.AsComprehension())
	case ast.CallKind:
		return r.call(e.AsCall(), negated)
	}
	return newTerm(fmt.Sprintf("expression %d", e.ID())) // a message of protobuf: equal to none
}

func (r *reader) all(list []ast.Expr) []*term {
	var terms []*term
	for _, e := range list {
		terms = append(terms, r.read(e, false))
	}
	return terms
}

func (r *reader) call(call ast.CallExpr, negated *bool) *term {
	op, args := call.FunctionName(), call.Args()
	not := *negated
	switch op {
	case operators.LogicalNot:
		*negated = false
		return r.read(args[0], !not)
	case operators.LogicalAnd, operators.LogicalOr:
		if *negated = false; not {
			op = map[string]string{operators.LogicalAnd: operators.LogicalOr, operators.LogicalOr: operators.LogicalAnd}[op]
		}
		var operands []*term
		for _, arg := range args {
			if t := r.read(arg, not); t.op == op {
				operands = append(operands, t.args...)
			} else {
				operands = append(operands, t)
			}
		}
		return sorted(op, operands)
	case operators.Equals, operators.NotEquals:
		if *negated = false; not {
			op = map[string]string{operators.Equals: operators.NotEquals, operators.NotEquals: operators.Equals}[op]
		}
		terms := r.all(args)
		slices.SortFunc(terms, func(a, b *term) int { return strings.Compare(a.text, b.text) })
		return newTerm(op, terms...)
	case operators.Greater:
		return newTerm(operators.Less, r.read(args[1], false), r.read(args[0], false))
	case operators.GreaterEquals:
		return newTerm(operators.LessEquals, r.read(args[1], false), r.read(args[0], false))
	case operators.In:
		list := r.read(args[1], false)
		if strings.HasPrefix(list.op, "list ") {
			list = sorted("list []", list.args)
		}
		return newTerm(op, r.read(args[0], false), list)
	}
	terms := r.all(args)
	if call.IsMemberFunction() {
		terms = append([]*term{r.read(call.Target(), false)}, terms...)
		if op != "size" { // the one function that has both forms
			op = "." + op
		}
	}
	return newTerm(op, terms...)
}

// comprehension reads what macros such as all and exists are made of.
func (r *reader) comprehension(c ast.ComprehensionExpr) *term {
	over, start := r.read(c.IterRange(), false), r.read(c.AccuInit(), false)
	inner := &reader{bound: map[string]string{}, depth: r.depth + 1}
	for name, number := range r.bound {
		inner.bound[name] = number
	}
	for i, name := range []string{c.IterVar(), c.IterVar2(), c.AccuVar()} {
		if name != "" {
			inner.bound[name] = fmt.Sprintf("variable %d.%d", inner.depth, i)
		}
	}
	return newTerm("comprehension", over, start, inner.read(c.LoopCondition(), false), inner.read(c.LoopStep(), false),
		inner.read(c.Result(), false))
}
