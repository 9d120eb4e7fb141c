package python

// statement reads a line, which may hold several, or a compound statement.
func (p *parser) statement() []Stmt {
	if p.accept(newline) {
		return nil
	}
	if compound := p.compound(); compound != nil {
		return []Stmt{compound}
	}
	return p.line()
}

// simple reads a statement without a body.
func (p *parser) simple() Stmt {
	if p.at(name) {
		switch word := p.token().text; word {
		case "import":
			return p.importNames()
		case "from":
			return p.from()
		case "pass", "break", "continue":
			p.next++
			return &Eval{}
		case "return":
			p.next++
			if p.startsExpr() {
				return &Return{p.list()}
			}
			return &Return{}
		case "raise", "assert":
			p.next++
			return p.parts(word == "raise")
		case "del":
			p.next++
			return &Delete{elements(p.list())}
		case "global", "nonlocal":
			return p.declare()
		case "type":
			if p.ahead(1).kind == name && !keywords[p.ahead(1).text] {
				return p.alias()
			}
		}
	}
	return p.assignment()
}

// parts reads what raise and assert hold.
func (p *parser) parts(raise bool) Stmt {
	var parts []Expr
	if !raise || p.startsExpr() {
		parts = append(parts, p.test())
	}
	if raise && p.take("from") || !raise && p.take(",") {
		parts = append(parts, p.test())
	}
	return &Eval{&Other{parts}}
}

func elements(list Expr) []Expr {
	if tuple, ok := list.(*Sequence); ok && tuple.Bracket == '(' {
		return tuple.Elements
	}
	return []Expr{list}
}

func (p *parser) declare() Stmt {
	p.next++
	out := &Declare{[]string{p.identifier()}}
	for p.take(",") {
		out.Names = append(out.Names, p.identifier())
	}
	return out
}

// alias reads "type X[T] = …".
func (p *parser) alias() Stmt {
	p.next++
	target := p.target()
	p.typeParams()
	p.expect("=")
	return &Assign{[]Expr{target}, p.test()}
}

var augmented = map[string]bool{
	"+=": true, "-=": true, "*=": true, "/=": true, "//=": true, "%=": true, "@=": true, "&=": true, "|=": true, "^=": true,
	">>=": true, "<<=": true, "**=": true,
}

func (p *parser) assignment() Stmt {
	first := p.list()
	switch {
	case p.take(":"):
		out := &Annotated{Target: first, Annotation: p.test()}
		if p.take("=") {
			out.Value = p.list()
		}
		return out
	case p.at(op) && augmented[p.token().text]:
		p.next++
		return &Augmented{first, p.list()}
	case !p.is("="):
		return &Eval{first}
	}
	out := &Assign{Value: first}
	for p.take("=") {
		out.Targets = append(out.Targets, out.Value)
		out.Value = p.list()
	}
	return out
}

func (p *parser) importNames() Stmt {
	p.next++
	out := &Import{}
	for {
		alias := Alias{Pos: p.token().pos, Name: p.dotted()}
		alias.As = p.as()
		out.Names = append(out.Names, alias)
		if !p.take(",") {
			return out
		}
	}
}

func (p *parser) as() string {
	if p.take("as") {
		return p.identifier()
	}
	return ""
}

func (p *parser) dotted() string {
	path := p.identifier()
	for p.take(".") {
		path += "." + p.identifier()
	}
	return path
}

func (p *parser) from() Stmt {
	p.next++
	out := &From{Pos: p.token().pos}
	for p.is(".") || p.is("...") {
		out.Level += len(p.token().text)
		p.next++
	}
	if out.Level == 0 || !p.is("import") {
		out.Module = p.dotted()
	}
	p.expect("import")
	if p.take("*") {
		return out
	}
	inside := p.take("(")
	for {
		alias := Alias{Pos: p.token().pos, Name: p.identifier()}
		alias.As = p.as()
		out.Names = append(out.Names, alias)
		if !p.take(",") || inside && p.is(")") {
			break
		}
	}
	if inside {
		p.expect(")")
	}
	return out
}

// params reads parameters up to the token that closes them, which stays.
func (p *parser) params(closer string, annotated bool) []Param {
	var all []Param
	for p.err == nil && !p.is(closer) {
		param := Param{}
		switch {
		case p.take("/"):
		case p.take("**"):
			param.Stars = 2
		case p.take("*"):
			param.Stars = 1
		}
		if p.at(name) {
			param.Name = p.identifier()
			if annotated && p.take(":") {
				param.Annotation = p.starred()
			}
			if p.take("=") {
				param.Default = p.test()
			}
			all = append(all, param)
		}
		if !p.take(",") {
			break
		}
	}
	return all
}

// typeParams steps over [T: X = Y].
func (p *parser) typeParams() {
	if !p.take("[") {
		return
	}
	for p.err == nil && !p.is("]") {
		if !p.take("**") {
			p.take("*")
		}
		p.identifier()
		if p.take(":") {
			p.test()
		}
		if p.take("=") {
			p.starred()
		}
		if !p.take(",") {
			break
		}
	}
	p.expect("]")
}
