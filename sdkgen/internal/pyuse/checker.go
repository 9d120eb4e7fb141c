package pyuse

import (
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/python"
)

// checker checks one file.
type checker struct {
	facts     *Facts
	file      string
	module    string // that the file is, in the SDK
	isPackage bool

	list    diag.List
	excuse  *excuse
	shared  map[string]bool // names that a function declares global or nonlocal: nothing is known of them
	assigns map[string]int  // by attribute, how often the file assigns x.attribute something else than None
	later   []func()        // bodies of functions: they run when all around them is bound
}

func (c *checker) check(body []python.Stmt) {
	c.survey(body)
	module := newScope(nil, python.Bound(body))
	c.body(module, body)
	for len(c.later) > 0 {
		next := c.later[0]
		c.later = c.later[1:]
		next()
	}
}

func (c *checker) survey(body []python.Stmt) {
	c.shared, c.assigns = map[string]bool{}, map[string]int{}
	python.WalkAll(body, func(node any) bool {
		switch n := node.(type) {
		case *python.Declare:
			for _, name := range n.Names {
				c.shared[name] = true
			}
		case *python.Assign:
			constant, _ := n.Value.(*python.Constant)
			for _, target := range n.Targets {
				if attr, ok := target.(*python.Attr); ok && (constant == nil || constant.Text != "None") {
					c.assigns[attr.ID]++
				}
			}
		}
		return true
	})
}

// after runs something when all that is around it is bound, with the excuses that hold here.
func (c *checker) after(run func()) {
	here := c.excuse
	c.later = append(c.later, func() {
		c.excuse = here
		run()
		c.excuse = nil
	})
}

// excused runs something with an excuse more.
func (c *checker) excused(more *excuse, run func()) {
	before := c.excuse
	c.excuse = more
	run()
	c.excuse = before
}

func (c *checker) body(s *scope, body []python.Stmt) {
	for _, stmt := range body {
		c.statement(s, stmt)
	}
}

func (c *checker) statement(s *scope, stmt python.Stmt) {
	switch n := stmt.(type) {
	case *python.Eval:
		c.eval(s, n.Value)
	case *python.Return:
		c.eval(s, n.Value)
	case *python.Assign:
		v := c.eval(s, n.Value)
		for _, target := range n.Targets {
			c.assign(s, target, v)
		}
	case *python.Annotated:
		v := c.annotated(s, n.Annotation)
		if n.Value != nil {
			c.eval(s, n.Value)
		} else if _, ok := n.Target.(*python.Name); !ok {
			return
		}
		c.assign(s, n.Target, v)
	case *python.Augmented:
		c.eval(s, n.Value)
		c.eval(s, n.Target)
		if target, ok := n.Target.(*python.Name); ok {
			c.assign(s, target, nil)
		}
	case *python.Delete:
		for _, target := range n.Targets {
			c.eval(s, target)
			if name, ok := target.(*python.Name); ok {
				c.assign(s, name, nil)
			}
		}
	case *python.Import:
		c.imports(s, n)
	case *python.From:
		c.from(s, n)
	case *python.Def:
		c.function(s, n)
	case *python.Class:
		c.class(s, n)
	default:
		c.compound(s, stmt)
	}
}

// compound walks what branches.
func (c *checker) compound(s *scope, stmt python.Stmt) {
	switch n := stmt.(type) {
	case *python.If:
		c.eval(s, n.Test)
		c.excused(c.excuse.asked(n.Test), func() {
			s.fork(func() { c.body(s, n.Body) }, func() { c.body(s, n.Else) })
		})
	case *python.While:
		c.loop(s, n.Body, n.Else, func() { c.eval(s, n.Test) })
	case *python.For:
		iter := c.eval(s, n.Iter)
		c.loop(s, n.Body, n.Else, func() { c.assign(s, n.Target, iter.element()) })
	case *python.With:
		for _, item := range n.Items {
			c.eval(s, item.Key)
			if item.Value != nil {
				c.assign(s, item.Value, nil)
			}
		}
		c.excused(c.excuse.expected(n.Items), func() { c.body(s, n.Body) })
	case *python.Try:
		c.try(s, n)
	case *python.Match:
		c.match(s, n)
	}
}

// loop walks a body that may run any number of times, each after what head does.
func (c *checker) loop(s *scope, body, otherwise []python.Stmt, head func()) {
	s.forget(python.Bound(body))
	s.fork(func() { head(); c.body(s, body) }, func() {})
	c.body(s, otherwise)
}

func (c *checker) try(s *scope, n *python.Try) {
	bound := python.Bound(n.Body)
	alternatives := []func(){func() {
		c.excused(c.excuse.handled(n.Handlers), func() { c.body(s, n.Body) })
		c.body(s, n.Else)
	}}
	for _, handler := range n.Handlers {
		alternatives = append(alternatives, func() {
			s.forget(bound)
			c.eval(s, handler.Type)
			if handler.Name != "" {
				s.bind(handler.Name, nil)
			}
			c.body(s, handler.Body)
		})
	}
	s.fork(alternatives...)
	if n.Finally != nil {
		after := s.vars
		s.fork(func() { s.vars = after; s.forget(bound) }, func() {})
		c.body(s, n.Finally)
	}
}

func (c *checker) match(s *scope, n *python.Match) {
	c.eval(s, n.Subject)
	alternatives := []func(){func() {}}
	for _, one := range n.Cases {
		alternatives = append(alternatives, func() {
			for _, name := range python.Captures(one.Pattern) {
				s.bind(name.ID, nil)
			}
			c.patterns(s, one.Pattern)
			c.eval(s, one.Guard)
			c.body(s, one.Body)
		})
	}
	s.fork(alternatives...)
}

// patterns checks the classes in a pattern: MiniCluster(spec=…) takes attributes.
func (c *checker) patterns(s *scope, pattern python.Expr) {
	python.Walk(pattern, func(node any) bool {
		if call, ok := node.(*python.Call); ok {
			if class := c.eval(s, call.Fun); class != nil && class.kind == isClass {
				for _, arg := range call.Args {
					if arg.Name != "" {
						c.attribute(class, arg.Pos, arg.Name)
					}
				}
			}
		}
		return true
	})
}

// assign binds a target to a value.
func (c *checker) assign(s *scope, target python.Expr, v *value) {
	switch t := target.(type) {
	case *python.Name:
		if c.shared[t.ID] {
			v = nil
		}
		s.bind(t.ID, v)
	case *python.Starred:
		c.assign(s, t.X, nil)
	case *python.Sequence:
		for i, element := range t.Elements {
			part := v.element()
			if v != nil && v.kind == isTuple && len(v.parts) == len(t.Elements) {
				part = v.parts[i]
			}
			c.assign(s, element, part)
		}
	case *python.Attr:
		c.assignAttr(s, t, v)
	default:
		c.eval(s, target)
	}
}

func (c *checker) assignAttr(s *scope, t *python.Attr, v *value) {
	x := c.eval(s, t.X)
	if x == nil {
		return
	}
	switch x.kind {
	case isObject:
		c.attribute(x, t.Pos, t.ID)
		if declared := x.field(c.facts, t.ID); v == nil || v.kind != isNone && !same(v, declared) {
			x.set(t.ID, nil)
		}
	case isClass:
		c.attribute(x, t.Pos, t.ID)
	case isOwn:
		if v != nil && v.kind != isNone && c.assigns[t.ID] <= 1 {
			x.class.attributes[t.ID] = v
		}
	}
}
