package python

// test reads an expression without commas.
func (p *parser) test() Expr {
	defer p.leave()
	if !p.deeper() {
		return nil
	}
	if p.take("lambda") {
		params := p.params(":", false)
		p.expect(":")
		return &Lambda{params, p.test()}
	}
	value := p.binary(0)
	if p.pattern && p.take("as") {
		return &Named{p.target(), value}
	}
	if p.pattern || !p.take("if") {
		return value
	}
	condition := p.binary(0)
	p.expect("else")
	return &Conditional{condition, value, p.test()}
}

// named is test, or a name with := in front.
func (p *parser) named() Expr {
	if p.at(name) && p.ahead(1).kind == op && p.ahead(1).text == ":=" {
		target := p.target()
		p.next++
		return &Named{target, p.test()}
	}
	return p.test()
}

func (p *parser) target() *Name {
	pos := p.token().pos
	return &Name{pos, p.identifier()}
}

// starred is named with an optional * in front.
func (p *parser) starred() Expr {
	if p.take("*") {
		return &Starred{X: p.binary(bitwise)}
	}
	return p.named()
}

// list reads expressions with commas: one is itself, several, or one with a comma, are a tuple.
func (p *parser) list() Expr {
	if p.is("yield") {
		return p.yield()
	}
	first := p.starred()
	if !p.is(",") {
		return first
	}
	tuple := &Sequence{Bracket: '(', Elements: []Expr{first}}
	for p.take(",") && p.startsExpr() {
		tuple.Elements = append(tuple.Elements, p.starred())
	}
	return tuple
}

// targets reads what a loop binds, up to the keyword in.
func (p *parser) targets() Expr {
	var all []Expr
	for {
		if p.take("*") {
			all = append(all, &Starred{X: p.binary(bitwise)})
		} else {
			all = append(all, p.binary(bitwise))
		}
		comma := p.take(",")
		if comma && p.startsExpr() {
			continue
		}
		if comma || len(all) > 1 {
			return &Sequence{Bracket: '(', Elements: all}
		}
		return all[0]
	}
}

// startsExpr says whether the next token can start an expression.
func (p *parser) startsExpr() bool {
	switch t := p.token(); t.kind {
	case name:
		return !keywords[t.text] || starters[t.text]
	case number, text, fstart:
		return true
	case op:
		return starters[t.text]
	}
	return false
}

var starters = map[string]bool{
	"None": true, "True": true, "False": true, "not": true, "lambda": true, "await": true, "yield": true,
	"(": true, "[": true, "{": true, "-": true, "+": true, "~": true, "*": true, "...": true,
}

func (p *parser) yield() Expr {
	p.expect("yield")
	if p.take("from") {
		return &Other{[]Expr{p.test()}}
	}
	if p.startsExpr() {
		return &Other{[]Expr{p.list()}}
	}
	return &Other{}
}

// levels of binary operators, from what binds least. "not in" and "is not" are read by operator.
var levels = map[string]int{
	"or": 1, "and": 2,
	"in": 4, "not in": 4, "is": 4, "is not": 4, "<": 4, ">": 4, "<=": 4, ">=": 4, "==": 4, "!=": 4,
	"|": bitwise, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "//": 10, "%": 10, "@": 10,
	"**": 12,
}

const (
	negation = 3
	bitwise  = 5 // and what binds more: no comparison
	sign     = 11
	power    = 12
)

// operator returns the binary operator that is next, and its level; 0 if there is none.
func (p *parser) operator() (text string, level int) {
	t := p.token()
	if t.kind != op && t.kind != name {
		return "", 0
	}
	text = t.text
	if second := p.ahead(1); second.kind == name && (text == "not" && second.text == "in" || text == "is" && second.text == "not") {
		text += " " + second.text
	}
	return text, levels[text]
}

// binary reads operators of that level and of those that bind more.
func (p *parser) binary(level int) Expr {
	defer p.leave()
	if !p.deeper() {
		return nil
	}
	x := p.unary(level)
	for range nesting {
		operator, at := p.operator()
		if at == 0 || at < level || p.err != nil {
			return x
		}
		p.next++
		if len(operator) > 3 { // "not in", "is not"
			p.next++
		}
		if at == power {
			x = &Binary{operator, x, p.binary(sign)}
			continue
		}
		x = &Binary{operator, x, p.binary(at + 1)}
	}
	p.fail("it is nested too deeply")
	return x
}

func (p *parser) unary(level int) Expr {
	if level <= negation && p.take("not") {
		return &Other{[]Expr{p.binary(negation)}}
	}
	for _, mark := range []string{"-", "+", "~"} {
		if level <= sign && p.take(mark) {
			return &Other{[]Expr{p.binary(sign)}}
		}
	}
	if p.take("await") {
		return &Await{p.primary()}
	}
	return p.primary()
}

// primary reads an atom with its attributes, calls and subscripts.
func (p *parser) primary() Expr {
	x := p.atom()
	for range nesting {
		switch {
		case p.take("."):
			pos := p.token().pos
			x = &Attr{x, pos, p.identifier()}
		case p.take("("):
			x = &Call{x, p.arguments()}
		case p.take("["):
			x = &Index{x, p.subscript()}
		default:
			return x
		}
	}
	p.fail("it is nested too deeply")
	return x
}

// arguments reads a call's, and the bracket that closes it.
func (p *parser) arguments() []Arg {
	args := []Arg{}
	for p.err == nil && !p.is(")") {
		arg := Arg{Pos: p.token().pos}
		switch {
		case p.take("**"):
			arg.Value = &Starred{true, p.test()}
		case p.take("*"):
			arg.Value = &Starred{X: p.test()}
		case p.at(name) && p.ahead(1).kind == op && p.ahead(1).text == "=":
			arg.Name = p.identifier()
			p.next++
			arg.Value = p.test()
		default:
			arg.Value = p.named()
			if p.is("for") || p.is("async") {
				arg.Value = p.comprehension('(', nil, arg.Value)
			}
		}
		args = append(args, arg)
		if !p.take(",") {
			break
		}
	}
	p.expect(")")
	return args
}

// subscript reads an index or slices, and the bracket that closes them.
func (p *parser) subscript() Expr {
	var all []Expr
	comma := false
	for p.err == nil && !p.is("]") {
		all = append(all, p.slice())
		if comma = p.take(","); !comma {
			break
		}
	}
	if len(all) == 0 {
		p.unexpected()
	}
	p.expect("]")
	if len(all) == 1 && !comma {
		return all[0]
	}
	return &Sequence{'(', all}
}

func (p *parser) slice() Expr {
	var parts []Expr
	if !p.is(":") {
		first := p.starred()
		if !p.is(":") {
			return first
		}
		parts = append(parts, first)
	}
	for p.take(":") {
		if p.startsExpr() {
			parts = append(parts, p.test())
		}
	}
	return &Slice{parts}
}
