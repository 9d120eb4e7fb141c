package python

// Walk calls visit for a node and, where that is true, for all below it, in the order of the source.
func Walk(node any, visit func(any) bool) {
	if node == nil || !visit(node) {
		return
	}
	for _, child := range children(node) {
		Walk(child, visit)
	}
}

// WalkAll walks statements.
func WalkAll(body []Stmt, visit func(any) bool) {
	for _, stmt := range body {
		Walk(stmt, visit)
	}
}

// children are the expressions and statements right below a node.
func children(node any) []any {
	if below, ok := below(node); ok {
		return below
	}
	switch n := node.(type) {
	case *Eval:
		return []any{n.Value}
	case *Assign:
		return append(all(n.Targets), n.Value)
	case *Annotated:
		return []any{n.Target, n.Annotation, n.Value}
	case *Augmented:
		return []any{n.Target, n.Value}
	case *Def:
		return join(all(n.Decorators), params(n.Params), []any{n.Returns}, all(n.Body))
	case *Class:
		return join(all(n.Decorators), args(n.Args), all(n.Body))
	case *Return:
		return []any{n.Value}
	case *If:
		return join([]any{n.Test}, all(n.Body), all(n.Else))
	case *For:
		return join([]any{n.Target, n.Iter}, all(n.Body), all(n.Else))
	case *While:
		return join([]any{n.Test}, all(n.Body), all(n.Else))
	case *With:
		return join(items(n.Items), all(n.Body))
	case *Try:
		out := all(n.Body)
		for _, handler := range n.Handlers {
			out = join(out, []any{handler.Type}, all(handler.Body))
		}
		return join(out, all(n.Else), all(n.Finally))
	case *Match:
		out := []any{n.Subject}
		for _, one := range n.Cases {
			out = join(out, []any{one.Pattern, one.Guard}, all(one.Body))
		}
		return out
	case *Delete:
		return all(n.Targets)
	}
	return nil
}

// below is children of an expression.
func below(node any) (children []any, ok bool) {
	switch n := node.(type) {
	case *Attr:
		return []any{n.X}, true
	case *Call:
		return append([]any{n.Fun}, args(n.Args)...), true
	case *Index:
		return []any{n.X, n.Key}, true
	case *Sequence:
		return all(n.Elements), true
	case *Dict:
		return items(n.Items), true
	case *Comprehension:
		out := []any{n.Key, n.Value}
		for _, clause := range n.Clauses {
			out = join(out, []any{clause.Target, clause.Iter}, all(clause.Ifs))
		}
		return out, true
	case *Lambda:
		return append(params(n.Params), n.Body), true
	case *Conditional:
		return []any{n.Then, n.Test, n.Else}, true
	case *Named:
		return []any{n.Target, n.Value}, true
	case *Starred:
		return []any{n.X}, true
	case *Await:
		return []any{n.X}, true
	case *Binary:
		return []any{n.X, n.Y}, true
	case *Slice:
		return all(n.Parts), true
	case *Other:
		return all(n.Parts), true
	}
	return nil, false
}

func all[T any](nodes []T) []any {
	out := make([]any, len(nodes))
	for i, node := range nodes {
		out[i] = node
	}
	return out
}

func join(parts ...[]any) []any {
	var out []any
	for _, part := range parts {
		out = append(out, part...)
	}
	return out
}

func args(args []Arg) []any {
	var out []any
	for _, arg := range args {
		out = append(out, arg.Value)
	}
	return out
}

func items(items []Item) []any {
	var out []any
	for _, item := range items {
		out = append(out, item.Key, item.Value)
	}
	return out
}

func params(params []Param) []any {
	var out []any
	for _, param := range params {
		out = append(out, param.Annotation, param.Default)
	}
	return out
}
