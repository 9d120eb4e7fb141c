package python

import "fmt"

// parser makes the tree of tokens. The first error ends the tokens, and so every loop.
type parser struct {
	tokens  []token
	next    int
	depth   int
	pattern bool // "as" may follow a value
	err     *Error
}

func newParser(source string) *parser {
	tokens, err := scan(source)
	return &parser{tokens: tokens, err: err}
}

func failure(pos Pos, format string, args ...any) *Error {
	return &Error{pos, fmt.Sprintf(format, args...)}
}

func (p *parser) token() token {
	if p.err != nil {
		return p.tokens[len(p.tokens)-1]
	}
	return p.tokens[min(p.next, len(p.tokens)-1)]
}

func (p *parser) ahead(n int) token {
	if p.err != nil {
		return p.tokens[len(p.tokens)-1]
	}
	return p.tokens[min(p.next+n, len(p.tokens)-1)]
}

func (p *parser) at(k kind) bool { return p.token().kind == k }

// is says whether the next token is that operator or keyword.
func (p *parser) is(text string) bool {
	t := p.token()
	return (t.kind == op || t.kind == name) && t.text == text
}

func (p *parser) accept(k kind) bool {
	if p.at(k) {
		p.next++
		return true
	}
	return false
}

func (p *parser) take(text string) bool {
	if p.is(text) {
		p.next++
		return true
	}
	return false
}

func (p *parser) expect(text string) {
	if !p.take(text) {
		p.fail("expected %q%s", text, p.found())
	}
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = failure(p.token().pos, format, args...)
	}
}

func (p *parser) unexpected() { p.fail("unexpected syntax%s", p.found()) }

// found is ", found …" for the next token.
func (p *parser) found() string {
	switch t := p.token(); t.kind {
	case end:
		return ", found the end of the file"
	case newline:
		return ", found the end of the line"
	case indent, dedent:
		return ", found another indentation"
	case text, fstart, fend:
		return ", found a string"
	default:
		return fmt.Sprintf(", found %q", t.text)
	}
}

// identifier reads a name that is no keyword.
func (p *parser) identifier() string {
	t := p.token()
	if t.kind != name || keywords[t.text] {
		p.fail("expected a name%s", p.found())
		return ""
	}
	p.next++
	return t.text
}

// deeper guards what calls itself; call leave when it returns.
func (p *parser) deeper() bool {
	if p.depth++; p.depth > nesting {
		p.fail("it is nested too deeply")
	}
	return p.err == nil
}

func (p *parser) leave() { p.depth-- }

// try parses something that may be something else: where it fails, all is as it was.
func (p *parser) try(parse func()) bool {
	if p.err != nil {
		return false
	}
	before := *p
	parse()
	if p.err != nil {
		*p = before
		return false
	}
	return true
}

var keywords = map[string]bool{
	"False": true, "None": true, "True": true, "and": true, "as": true, "assert": true, "async": true, "await": true,
	"break": true, "class": true, "continue": true, "def": true, "del": true, "elif": true, "else": true, "except": true,
	"finally": true, "for": true, "from": true, "global": true, "if": true, "import": true, "in": true, "is": true,
	"lambda": true, "nonlocal": true, "not": true, "or": true, "pass": true, "raise": true, "return": true, "try": true,
	"while": true, "with": true, "yield": true,
}
