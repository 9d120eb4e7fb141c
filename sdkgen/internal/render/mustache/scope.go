package mustache

import (
	"go/token"
	"slices"
	"strings"
)

// Scope has the variables in a value, and the scopes of those; nil is the scope of a string, number or boolean.
type Scope map[string]Scope

// Unknown is a tag whose variable cannot be rendered.
type Unknown struct {
	Pos    token.Position
	Name   string // the variable: the first part of a dotted name that is not known
	Object bool   // it is known, and the tag prints an object or list
}

// Check returns the tags of the template, and of those that it takes in, whose variable is not in the scope or in
// that of a section around the tag.
func (t *Template) Check(scope Scope, partials map[string]*Template) []Unknown {
	c := &checker{partials: partials}
	c.template(t, []Scope{scope})
	return c.unknown
}

type checker struct {
	partials map[string]*Template
	open     []*Template // templates that are being checked
	unknown  []Unknown
}

// template checks a template in scopes, the innermost last.
func (c *checker) template(t *Template, scopes []Scope) {
	if slices.Contains(c.open, t) {
		return
	}
	c.open = append(c.open, t)
	c.nodes(t, t.body, scopes)
	c.open = c.open[:len(c.open)-1]
}

func (c *checker) nodes(t *Template, body []node, scopes []Scope) {
	for _, n := range body {
		switch n.sign {
		case literal, comment:
			continue
		case partial:
			if other := c.partials[n.text]; other != nil {
				c.template(other, scopes)
			}
			continue
		}
		scope, unknown := resolve(n.text, scopes)
		prints := n.sign == escaped || n.sign == unescaped
		if unknown != "" || prints && scope != nil {
			found := Unknown{Pos: position(t.name, t.text, n.at), Name: unknown}
			if unknown == "" {
				found.Name, found.Object = n.text, true
			}
			if !slices.Contains(c.unknown, found) {
				c.unknown = append(c.unknown, found)
			}
		}
		inner := scopes
		if n.sign == section && unknown == "" {
			inner = append(slices.Clone(scopes), scope)
		}
		c.nodes(t, n.body, inner)
	}
}

// resolve returns the scope of a variable, or the first part of its name that is not known; see context.lookup.
func resolve(name string, scopes []Scope) (scope Scope, unknown string) {
	last := len(scopes) - 1
	if name == "." {
		return scopes[last], ""
	}
	for i, part := range strings.Split(name, ".") {
		known := true
		switch {
		case i > 0:
			scope, known = scope[part]
		case part == "this":
			scope = scopes[last]
		case part == "-first" || part == "-last" || part == "-index":
			scope = nil
		default:
			at := last
			for scope, known = scopes[at][part]; !known && at > 0; scope, known = scopes[at][part] {
				at--
			}
		}
		if !known {
			return nil, part
		}
	}
	return scope, ""
}
