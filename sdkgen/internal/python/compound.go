package python

// compound reads a statement with a body; nil if none is here.
func (p *parser) compound() Stmt {
	defer p.leave()
	if !p.deeper() {
		return nil
	}
	if p.is("@") {
		return p.decorated()
	}
	if !p.at(name) {
		return nil
	}
	switch p.token().text {
	case "if":
		return p.branch()
	case "while":
		p.next++
		return &While{p.named(), p.body(), p.otherwise()}
	case "for":
		return p.loop()
	case "with":
		return p.with()
	case "try":
		return p.attempt()
	case "def":
		return p.def(nil, false)
	case "class":
		return p.class(nil)
	case "async":
		return p.async()
	case "match":
		var out *Match
		if p.try(func() { out = p.match() }) {
			return p.cases(out)
		}
	}
	return nil
}

func (p *parser) async() Stmt {
	p.next++
	switch {
	case p.is("def"):
		return p.def(nil, true)
	case p.is("for"):
		return p.loop()
	case p.is("with"):
		return p.with()
	}
	p.unexpected()
	return nil
}

// body reads a colon and the statements after it, on the line or indented.
func (p *parser) body() []Stmt {
	p.expect(":")
	if !p.accept(newline) {
		return p.line()
	}
	if !p.accept(indent) {
		p.fail("expected an indented line")
	}
	var all []Stmt
	for p.err == nil && !p.accept(dedent) {
		if p.at(end) {
			p.unexpected()
		}
		all = append(all, p.statement()...)
	}
	return all
}

// line reads the simple statements of a line.
func (p *parser) line() []Stmt {
	var all []Stmt
	for {
		all = append(all, p.simple())
		if !p.take(";") || p.at(newline) {
			break
		}
	}
	if !p.accept(newline) {
		p.unexpected()
	}
	return all
}

func (p *parser) otherwise() []Stmt {
	if p.take("else") {
		return p.body()
	}
	return nil
}

func (p *parser) branch() Stmt {
	p.next++
	out := &If{Test: p.named(), Body: p.body()}
	if p.is("elif") {
		if p.deeper() {
			out.Else = []Stmt{p.branch()}
		}
		p.leave()
		return out
	}
	out.Else = p.otherwise()
	return out
}

func (p *parser) loop() Stmt {
	p.next++
	out := &For{Target: p.targets()}
	p.expect("in")
	out.Iter = p.list()
	out.Body = p.body()
	out.Else = p.otherwise()
	return out
}

func (p *parser) with() Stmt {
	p.next++
	out := &With{}
	bracketed := p.is("(") && p.try(func() {
		p.next++
		for p.err == nil && !p.is(")") {
			out.Items = append(out.Items, p.manager())
			if !p.take(",") {
				break
			}
		}
		p.expect(")")
		if !p.is(":") {
			p.unexpected()
		}
	})
	if !bracketed {
		out.Items = []Item{p.manager()}
		for p.take(",") {
			out.Items = append(out.Items, p.manager())
		}
	}
	out.Body = p.body()
	return out
}

func (p *parser) manager() Item {
	item := Item{Key: p.named()}
	if p.take("as") {
		item.Value = p.binary(bitwise)
	}
	return item
}

func (p *parser) attempt() Stmt {
	p.next++
	out := &Try{Body: p.body()}
	for p.take("except") {
		p.take("*")
		handler := Handler{}
		if !p.is(":") {
			handler.Type = p.list()
			handler.Name = p.as()
		}
		handler.Body = p.body()
		out.Handlers = append(out.Handlers, handler)
	}
	out.Else = p.otherwise()
	if p.take("finally") {
		out.Finally = p.body()
	} else if len(out.Handlers) == 0 {
		p.fail("a try without except or finally")
	}
	return out
}

func (p *parser) decorated() Stmt {
	var decorators []Expr
	for p.take("@") {
		decorators = append(decorators, p.named())
		if !p.accept(newline) {
			p.unexpected()
		}
	}
	async := p.take("async")
	switch {
	case p.is("def"):
		return p.def(decorators, async)
	case p.is("class") && !async:
		return p.class(decorators)
	}
	p.unexpected()
	return nil
}

func (p *parser) def(decorators []Expr, async bool) Stmt {
	p.next++
	out := &Def{Name: p.identifier(), Async: async, Decorators: decorators}
	p.typeParams()
	p.expect("(")
	out.Params = p.params(")", true)
	p.expect(")")
	if p.take("->") {
		out.Returns = p.list()
	}
	out.Body = p.body()
	return out
}

func (p *parser) class(decorators []Expr) Stmt {
	p.next++
	out := &Class{Name: p.identifier(), Decorators: decorators}
	p.typeParams()
	if p.take("(") {
		out.Args = p.arguments()
	}
	out.Body = p.body()
	return out
}

// match reads the head of a match statement, up to its first case; "match" may be a variable too.
func (p *parser) match() *Match {
	p.next++
	out := &Match{Subject: p.list()}
	p.expect(":")
	if !p.accept(newline) || !p.accept(indent) || !p.is("case") {
		p.unexpected()
	}
	return out
}

// cases reads the rest of it.
func (p *parser) cases(out *Match) Stmt {
	for p.err == nil && !p.accept(dedent) {
		p.expect("case")
		p.pattern = true
		one := Case{Pattern: p.list()}
		p.pattern = false
		if p.take("if") {
			one.Guard = p.named()
		}
		one.Body = p.body()
		out.Cases = append(out.Cases, one)
	}
	return out
}
