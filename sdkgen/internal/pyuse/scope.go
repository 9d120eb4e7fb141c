package pyuse

import "maps"

// scope holds what is known of the names of a module, a function, a class or a comprehension.
type scope struct {
	outer  *scope
	inline bool              // it runs where it stands, and sees outer as it is there
	bound  map[string]bool   // its names
	vars   map[string]*value // what they are at this point; one that is missing is not bound yet
	ever   map[string]*value // what they are whenever they are bound
	class  *own              // that it is the body of, or within
	body   bool              // it is the body of class
}

func newScope(outer *scope, bound map[string]bool) *scope {
	return &scope{outer: outer, bound: bound, vars: map[string]*value{}, ever: map[string]*value{}}
}

// bind gives a name a value.
func (s *scope) bind(name string, v *value) {
	s.bound[name] = true
	s.vars[name] = v
	if old, there := s.ever[name]; there {
		v = either(old, v)
	}
	s.ever[name] = v
}

// forget drops what is known of names at this point.
func (s *scope) forget(names map[string]bool) {
	for name := range names {
		if _, there := s.vars[name]; there {
			s.vars[name] = nil
		}
	}
}

// lookup finds a name. It is not bound anywhere if it is a builtin.
func (s *scope) lookup(name string) (v *value, bound bool) {
	now := true
	for at := s; at != nil; at = at.outer {
		hidden := at.body && !now // methods do not see the names of their class
		if at.bound[name] && !hidden {
			if now {
				return at.vars[name], true
			}
			return at.ever[name], true
		}
		now = now && at.inline
	}
	return nil, false
}

// fork runs alternatives from the same point and keeps what is known after each of them.
func (s *scope) fork(alternatives ...func()) {
	before := s.vars
	var after map[string]*value
	for _, run := range alternatives {
		s.vars = maps.Clone(before)
		run()
		if after == nil {
			after = s.vars
			continue
		}
		for name, v := range s.vars {
			if old, there := after[name]; there {
				v = either(old, v)
			}
			after[name] = v
		}
	}
	s.vars = after
}
