package python

import "strings"

// atom reads a name, a literal, or what stands in brackets.
func (p *parser) atom() Expr {
	t := p.token()
	switch t.kind {
	case number:
		p.next++
		return &Constant{t.text}
	case text, fstart:
		return p.strings()
	case name:
		switch t.text {
		case "None", "True", "False":
			p.next++
			return &Constant{t.text}
		}
		return p.target()
	case op:
		switch t.text {
		case "...":
			p.next++
			return &Constant{t.text}
		case "(", "[":
			p.next++
			return p.display(t.text[0])
		case "{":
			p.next++
			return p.braces()
		}
	}
	p.unexpected()
	return nil
}

// strings reads literals in a row, which are one.
func (p *parser) strings() Expr {
	whole := &String{Pos: p.token().pos}
	var fields []Expr
	var joined strings.Builder
	formatted, bytes := false, false
	for p.at(text) || p.at(fstart) {
		if p.at(fstart) {
			formatted = true
			fields = append(fields, p.template()...)
			continue
		}
		part, isBytes := value(p.token().text)
		bytes = bytes || isBytes
		joined.WriteString(part)
		p.next++
	}
	switch {
	case formatted:
		return &Other{fields}
	case bytes:
		return &Constant{"bytes"}
	}
	whole.Value = joined.String()
	return whole
}

// template reads an f-string, and returns the expressions in it.
func (p *parser) template() []Expr {
	p.accept(fstart)
	fields := p.fields()
	if !p.accept(fend) {
		p.unexpected()
	}
	return fields
}

// fields reads replacement fields, as long as there are some.
func (p *parser) fields() []Expr {
	var all []Expr
	for p.take("{") {
		all = append(all, p.list())
		p.take("=")
		if p.take("!") {
			p.identifier()
		}
		if p.take(":") {
			all = append(all, p.fields()...)
		}
		p.expect("}")
	}
	return all
}

// display reads what stands in ( ) or [ ].
func (p *parser) display(bracket byte) Expr {
	closer := string(closing[bracket])
	if p.take(closer) {
		return &Sequence{Bracket: bracket}
	}
	first := p.item()
	if p.is("for") || p.is("async") {
		out := p.comprehension(bracket, nil, first)
		p.expect(closer)
		return out
	}
	if bracket == '(' && p.take(closer) {
		return first
	}
	all := []Expr{first}
	for p.take(",") && !p.is(closer) {
		all = append(all, p.item())
	}
	p.expect(closer)
	return &Sequence{bracket, all}
}

// item is one of a display.
func (p *parser) item() Expr {
	if p.is("yield") {
		return p.yield()
	}
	return p.starred()
}

// braces reads a dictionary or a set.
func (p *parser) braces() Expr {
	dict, set := &Dict{}, &Sequence{Bracket: '{'}
	for p.err == nil && !p.is("}") {
		if p.take("**") {
			item := Item{Value: p.doubled()}
			dict.Items = append(dict.Items, item)
		} else if first := p.starred(); p.take(":") {
			item := Item{first, p.test()}
			if p.is("for") || p.is("async") {
				out := p.comprehension('{', item.Key, item.Value)
				p.expect("}")
				return out
			}
			dict.Items = append(dict.Items, item)
		} else if p.is("for") || p.is("async") {
			out := p.comprehension('{', nil, first)
			p.expect("}")
			return out
		} else {
			set.Elements = append(set.Elements, first)
		}
		if !p.take(",") {
			break
		}
	}
	p.expect("}")
	switch {
	case len(set.Elements) == 0:
		return dict
	case len(dict.Items) > 0:
		p.fail("a set with keys")
	}
	return set
}

// doubled reads what follows **: in a pattern a name to bind, else a mapping.
func (p *parser) doubled() Expr {
	if p.pattern {
		return p.target()
	}
	return p.binary(bitwise)
}

// comprehension reads the clauses that follow a value.
func (p *parser) comprehension(bracket byte, key, value Expr) Expr {
	out := &Comprehension{Bracket: bracket, Key: key, Value: value}
	for p.is("for") || p.is("async") {
		p.take("async")
		p.expect("for")
		clause := Clause{Target: p.targets()}
		p.expect("in")
		clause.Iter = p.binary(0)
		for p.take("if") {
			clause.Ifs = append(clause.Ifs, p.binary(0))
		}
		out.Clauses = append(out.Clauses, clause)
	}
	return out
}
