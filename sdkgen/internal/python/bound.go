package python

// Bound returns the names that a body binds in its own scope: not those of functions and classes
// within it, nor those that it declares global or nonlocal.
func Bound(body []Stmt) map[string]bool {
	b := binder{}
	for _, stmt := range body {
		Walk(stmt, b.visit)
	}
	WalkAll(body, func(node any) bool {
		switch n := node.(type) {
		case *Def, *Class, *Lambda:
			return false
		case *Declare:
			for _, name := range n.Names {
				delete(b, name)
			}
		}
		return true
	})
	return b
}

type binder map[string]bool

func (b binder) visit(node any) bool {
	switch n := node.(type) {
	case *Lambda:
		return false
	case *Def:
		b[n.Name] = true
		return false
	case *Class:
		b[n.Name] = true
		return false
	case *Import:
		for _, alias := range n.Names {
			b[alias.Bound()] = true
		}
	case *From:
		for _, alias := range n.Names {
			b[alias.Bound()] = true
		}
	case *Assign:
		b.targets(n.Targets...)
	case *Annotated:
		b.targets(n.Target)
	case *Augmented:
		b.targets(n.Target)
	case *For:
		b.targets(n.Target)
	case *Delete:
		b.targets(n.Targets...)
	case *With:
		for _, item := range n.Items {
			b.targets(item.Value)
		}
	case *Try:
		for _, handler := range n.Handlers {
			if handler.Name != "" {
				b[handler.Name] = true
			}
		}
	case *Match:
		for _, one := range n.Cases {
			for _, name := range Captures(one.Pattern) {
				b[name.ID] = true
			}
		}
	case *Named:
		b[n.Target.ID] = true
	}
	return true
}

func (b binder) targets(targets ...Expr) {
	for _, target := range targets {
		switch t := target.(type) {
		case *Name:
			b[t.ID] = true
		case *Starred:
			b.targets(t.X)
		case *Sequence:
			b.targets(t.Elements...)
		}
	}
}

// Bound is the name that an import binds where it has no as: the first part of a path.
func (a Alias) Bound() string {
	if a.As != "" {
		return a.As
	}
	for i := range len(a.Name) {
		if a.Name[i] == '.' {
			return a.Name[:i]
		}
	}
	return a.Name
}

// Captures returns the names that a pattern binds.
func Captures(pattern Expr) []*Name {
	var found []*Name
	Walk(pattern, func(node any) bool {
		switch n := node.(type) {
		case *Name:
			found = append(found, n)
		case *Attr:
			return false
		case *Call: // of a class
			for _, arg := range n.Args {
				found = append(found, Captures(arg.Value)...)
			}
			return false
		case *Named:
			found = append(found, n.Target)
			found = append(found, Captures(n.Value)...)
			return false
		}
		return true
	})
	return found
}
