// Package mustache renders mustache templates as openapi-generator does: with JMustache 1.15, its escaping
// of HTML, its dotted names and special variables, and its blank lines. docs/adr/0010 says why it is no
// library.
//
// A template is rendered over values as encoding/json decodes them into an any, with numbers as
// json.Number.
package mustache

import (
	"fmt"
	"go/token"
	"iter"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// rule is that of diagnostics in templates.
const rule = "template"

// Template is a parsed template.
type Template struct {
	name string
	text string
	body []node
}

// node is a text, or a tag with what it encloses.
type node struct {
	sign sign
	text string // a text, or the name in a tag
	body []node // of a section
	at   int    // offset of the tag

	blanks // of a text
}

type sign byte

// What a node is; of a tag, the character in front of its name.
const (
	literal    sign = 'x'
	escaped    sign = 0
	unescaped  sign = '&'
	section    sign = '#'
	inverted   sign = '^'
	partial    sign = '>'
	comment    sign = '!'
	delimiters sign = '='
	end        sign = '/'
)

// Parse parses a template; name is the file's in diagnostics, which are of the rule "template".
func Parse(name, text string) (*Template, diag.List) {
	p := &parser{template: &Template{name: name, text: text}, left: "{{", right: "}}"}
	p.parse()
	if len(p.list) > 0 {
		return nil, p.list
	}
	p.template.body = trim(p.template.body, true)
	return p.template, nil
}

// Partials goes through the names of the templates that this one takes in.
func (t *Template) Partials() iter.Seq[string] {
	return func(yield func(string) bool) {
		t.walk(t.body, func(n node) bool { return n.sign != partial || yield(n.text) })
	}
}

// walk visits the tags of variables, sections and partials until visit returns false.
func (t *Template) walk(body []node, visit func(node) bool) bool {
	for _, n := range body {
		if n.sign == literal || n.sign == comment {
			continue
		}
		if !visit(n) || !t.walk(n.body, visit) {
			return false
		}
	}
	return true
}

// parser goes through the text once.
type parser struct {
	template    *Template
	left, right string // the delimiters
	open        []node // sections that are not closed, the innermost last
	list        diag.List
}

// parse fills in the template's body, untrimmed, or the list of diagnostics.
func (p *parser) parse() {
	text, done := p.template.text, 0
	for {
		at := strings.Index(text[done:], p.left)
		if at < 0 {
			break
		}
		at += done
		p.literal(text[done:at])
		next, ok := p.tag(at)
		if !ok {
			return
		}
		done = next
	}
	p.literal(text[done:])
	for _, s := range p.open {
		p.list.Add(p.pos(s.at), rule, "close it: {{/"+s.text+"}}", "the section %s is not closed", s.text)
	}
}

// tag parses the tag at an offset and returns the offset behind it.
func (p *parser) tag(at int) (next int, ok bool) {
	text, start, right := p.template.text, at+len(p.left), p.right
	triple := p.left == "{{" && strings.HasPrefix(text[start:], "{")
	if triple {
		start, right = start+1, "}}}"
	}
	length := strings.Index(text[start:], right)
	if length < 0 || text[start] != byte(comment) && strings.Contains(text[start:start+length], p.left) {
		p.list.Add(p.pos(at), rule, "close it: "+right, "a tag that is not closed")
		return 0, false
	}
	n := parseTag(strings.TrimSpace(text[start:start+length]), at)
	if triple {
		n.sign = unescaped
	}
	return start + length + len(right), p.put(n)
}

// parseTag takes a tag's sign off its name.
func parseTag(body string, at int) node {
	if body != "" && strings.IndexByte("&#^>!=/", body[0]) >= 0 {
		return node{sign: sign(body[0]), text: strings.TrimSpace(body[1:]), at: at}
	}
	return node{sign: escaped, text: body, at: at}
}

// put adds a tag to the innermost open section, or opens or closes one.
func (p *parser) put(n node) bool {
	switch n.sign {
	case section, inverted:
		p.open = append(p.open, n)
	case end:
		last := len(p.open) - 1
		if last < 0 || p.open[last].text != n.text {
			p.list.Add(p.pos(n.at), rule, p.expected(), "{{/%s}} closes a section that is not open here", n.text)
			return false
		}
		closed := p.open[last]
		closed.body = trim(closed.body, false)
		p.open = p.open[:last]
		p.add(closed)
	case delimiters:
		if pair := strings.Fields(strings.TrimSuffix(n.text, "=")); len(pair) == 2 {
			p.left, p.right = pair[0], pair[1]
		}
		p.add(node{sign: comment, at: n.at})
	default:
		p.add(n)
	}
	return true
}

// literal adds a text.
func (p *parser) literal(text string) {
	if text != "" {
		first := len(p.open) == 0 && len(p.template.body) == 0
		p.add(node{sign: literal, text: text, blanks: findBlanks(text, first)})
	}
}

func (p *parser) add(n node) {
	body := &p.template.body
	if last := len(p.open) - 1; last >= 0 {
		body = &p.open[last].body
	}
	*body = append(*body, n)
}

// expected says which section is to be closed first.
func (p *parser) expected() string {
	if len(p.open) == 0 {
		return "remove it"
	}
	last := p.open[len(p.open)-1]
	return fmt.Sprintf("%s, opened at %s, is to be closed first: {{/%s}}", last.text, p.pos(last.at), last.text)
}

func (p *parser) pos(at int) token.Position { return position(p.template.name, p.template.text, at) }

func position(name, text string, at int) token.Position {
	line := strings.Count(text[:at], "\n") + 1
	return token.Position{Filename: name, Line: line, Column: at - strings.LastIndexByte(text[:at], '\n')}
}
