package pyuse

import (
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/python"
)

// excuse is a reason to leave something alone: the program expects that it may be missing.
type excuse struct {
	rule  string // "" for each
	name  string // "" for each
	outer *excuse
}

func (e *excuse) covers(rule, name string) bool {
	for ; e != nil; e = e.outer {
		if (e.rule == "" || e.rule == rule) && (e.name == "" || e.name == name) {
			return true
		}
	}
	return false
}

// caught are the rules whose breach raises an exception.
var caught = map[string][]string{
	"ImportError": {ImportRule}, "ModuleNotFoundError": {ImportRule}, "AttributeError": {AttributeRule, ImportRule},
	"TypeError": {KeywordRule}, "KeyError": {KeyRule}, "LookupError": {KeyRule},
}

// handled adds an excuse for what an exception in handlers catches by its name; Exception may be
// there for anything.
func (e *excuse) handled(handlers []python.Handler) *excuse {
	for _, handler := range handlers {
		python.Walk(handler.Type, func(node any) bool {
			for _, rule := range caught[last(node)] {
				e = &excuse{rule: rule, outer: e}
			}
			return true
		})
	}
	return e
}

// expected adds an excuse for the body of "with pytest.raises(…)" and its like.
func (e *excuse) expected(items []python.Item) *excuse {
	for _, item := range items {
		if call, ok := item.Key.(*python.Call); ok {
			if name := last(call.Fun); name == "raises" || name == "suppress" || strings.HasPrefix(name, "assertRaises") {
				e = &excuse{outer: e}
			}
		}
	}
	return e
}

// asked adds an excuse for what a condition asks for: hasattr(x, "name"), "name" in x.
func (e *excuse) asked(test python.Expr) *excuse {
	python.Walk(test, func(node any) bool {
		var asked python.Expr
		switch n := node.(type) {
		case *python.Call:
			if last(n.Fun) == "hasattr" && len(n.Args) == 2 {
				asked = n.Args[1].Value
			}
		case *python.Binary:
			if n.Op == "in" || n.Op == "not in" {
				asked = n.X
			}
		}
		if text, ok := asked.(*python.String); ok {
			e = &excuse{name: text.Value, outer: e}
		}
		return true
	})
	return e
}
