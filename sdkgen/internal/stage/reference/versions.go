package reference

import (
	"cmp"
	"slices"
	"strings"
)

// row is a field that differs between two versions.
type row struct {
	Path     string
	Class    string // added, removed or changed; "" for the object itself
	Old, Now side
	Changes  []Change
}

// side is a field in one of the versions; Node is nil if that has none.
type side struct {
	Node *node
	Href string
}

// Old is the page of the older version.
func (p *pair) Old() *page { return p.old }

// Now is the page of the newer version.
func (p *pair) Now() *page { return p.now }

// Rows are the fields that differ, in the order of their paths.
func (p *pair) Rows() []row {
	old, now := byPath(p.old), byPath(p.now)
	root := strings.Repeat("../", strings.Count(p.Path, "/"))
	at := func(p *page, n *node) side {
		if n == nil {
			return side{}
		}
		return side{n, root + p.Path + "#" + n.Anchor}
	}
	rows := map[string]*row{}
	for _, change := range p.Changes {
		path := plain(change.Path)
		r := rows[change.Path]
		if r == nil {
			before, after := old[path], now[path]
			r = &row{Path: cmp.Or(change.Path, p.Kind), Class: "changed", Old: at(p.old, before), Now: at(p.now, after)}
			switch {
			case change.Path == "":
				r.Class = ""
			case before == nil && after != nil:
				r.Class = "added"
			case after == nil && before != nil:
				r.Class = "removed"
			}
			rows[change.Path] = r
		}
		r.Changes = append(r.Changes, change)
	}
	var sorted []row
	for _, r := range rows {
		sorted = append(sorted, *r)
	}
	slices.SortFunc(sorted, func(a, b row) int { return cmp.Compare(a.Path, b.Path) })
	return sorted
}

// Same is the number of fields that both versions have, and that nothing is said about.
func (p *pair) Same() int {
	same, now := 0, byPath(p.now)
	changed := map[string]bool{}
	for _, change := range p.Changes {
		changed[plain(change.Path)] = true
	}
	walk(p.old.Fields, func(n *node) {
		if now[n.Path] != nil && !changed[n.Path] {
			same++
		}
	})
	return same
}

// plain is a path without the brackets of lists and maps, as those of nodes are.
func plain(path string) string { return strings.NewReplacer("[]", "", "{}", "").Replace(path) }

func byPath(p *page) map[string]*node {
	nodes := map[string]*node{}
	walk(p.Fields, func(n *node) { nodes[n.Path] = n })
	return nodes
}
