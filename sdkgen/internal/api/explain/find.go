package explain

import (
	"cmp"
	"go/token"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// rule is the rule of the diagnostics.
const rule = "explain"

// find follows a path: a kind, in lower case, in the plural or as its type is named, then the names of fields.
func (a *API) find(path string) (*walker, *node, error) {
	steps := strings.Split(path, ".")
	w, name, err := a.kind(steps[0])
	if err != nil {
		return nil, nil, err
	}
	n := w.root(name)
	for _, step := range steps[1:] {
		if name, _, found := strings.Cut(step, "["); found && strings.HasSuffix(step, "]") {
			step = name // as the API server and other tools write the elements of a list: [0], []
		}
		children := n.children()
		i := slices.IndexFunc(children, func(child *node) bool { return child.name == step })
		if i < 0 {
			return nil, nil, n.unknown(step, children)
		}
		n = children[i]
	}
	return w, n, nil
}

// unknown says that a node has no field of that name.
func (n *node) unknown(step string, children []*node) error {
	var names []string
	for _, child := range children {
		names = append(names, child.name)
	}
	hint := "it has no known fields"
	if len(names) > 0 {
		hint = "the fields of " + n.path + " are " + strings.Join(names, ", ")
	}
	if near := diag.Nearest(step, names); near != "" {
		hint = "did you mean " + n.path + "." + near + "? " + hint
	} else if deeper := n.deeper(step, map[*model.Definition]bool{}); len(deeper) > 0 {
		slices.SortStableFunc(deeper, func(a, b string) int { return strings.Count(a, ".") - strings.Count(b, ".") })
		hint = "did you mean " + strings.Join(deeper[:min(len(deeper), 3)], " or ") + "? " + hint
	}
	return diag.Errorf(token.Position{}, rule, hint, "%s has no field %q", n.path, step)
}

// deeper returns the paths of the fields of that name below a node. open are the definitions on the way.
func (n *node) deeper(name string, open map[*model.Definition]bool) []string {
	definition := n.object().definition()
	if definition != nil && open[definition] {
		return nil
	}
	open[definition] = definition != nil
	defer delete(open, definition)
	var found []string
	for _, child := range n.children() {
		if child.name == name {
			found = append(found, child.path)
		}
		found = append(found, child.deeper(name, open)...)
	}
	return found
}

// kind finds a kind by one of its names. Of several versions it takes that in which objects are stored. The name is how
// paths begin: the kind in lower case.
func (a *API) kind(name string) (*walker, string, error) {
	var found []*walker
	var known []string
	for _, w := range a.kinds() {
		names := w.names()
		known = append(known, names[0])
		if slices.Contains(names, strings.ToLower(name)) {
			found = append(found, w)
		}
	}
	if len(found) == 0 {
		slices.Sort(known)
		known = slices.Compact(known)
		hint := "the kinds are " + strings.Join(known, ", ")
		if near := diag.Nearest(name, known); near != "" {
			hint = "did you mean " + near + "? " + hint
		}
		return nil, "", diag.Errorf(token.Position{}, rule, hint, "unknown kind %q", name)
	}
	best := found[0]
	for _, w := range found {
		if w.pkg.Group != best.pkg.Group {
			return nil, "", diag.Errorf(token.Position{}, rule,
				"name the API package with --api, by directory, import path or version",
				"%q is a kind of %s and of %s", name, best.pkg.Group, w.pkg.Group)
		}
		if w.kind.Root.StorageVersion == w.pkg.Version {
			best = w
		}
	}
	return best, best.names()[0], nil
}

// kinds returns the root kinds, in the order of the packages and of their names.
func (a *API) kinds() []*walker {
	var all []*walker
	for i := range a.Packages {
		pkg := &a.Packages[i]
		for _, definition := range pkg.Definitions {
			if root := definition.Root; root == nil || root.Plural == "" || definition.Kubernetes {
				continue
			}
			w := &walker{api: a, pkg: pkg, kind: definition}
			if crd, ok := pkg.CRDs[definition.Root.Kind]; ok {
				w.crd = &crd
			}
			all = append(all, w)
		}
	}
	return all
}

// names are those by which paths may name the kind, in lower case; the first is its own.
func (w *walker) names() []string {
	root := w.kind.Root
	names := []string{strings.ToLower(root.Kind), root.Plural}
	if w.crd != nil {
		names = append(append(names, w.crd.Spec.Names.Singular), w.crd.Spec.Names.ShortNames...)
	}
	return names
}

// Complete returns the paths that a path which is not complete may become, each with what is there, after a tab.
func (a *API) Complete(path string) []string {
	dot := strings.LastIndexByte(path, '.')
	var found []string
	if dot < 0 {
		for _, w := range a.kinds() {
			for _, name := range w.names()[:2] {
				if strings.HasPrefix(name, strings.ToLower(path)) {
					found = append(found, name+"\t"+w.pkg.Group)
					break
				}
			}
		}
		slices.Sort(found)
		return slices.Compact(found)
	}
	_, n, err := a.find(path[:dot])
	if err != nil {
		return nil
	}
	for _, child := range n.children() {
		if strings.HasPrefix(child.name, path[dot+1:]) {
			found = append(found, path[:dot+1]+child.name+"\t"+describeShort(child))
		}
	}
	return found
}

// describeShort is a node in one line: its type, and the first sentence of its description.
func describeShort(n *node) string {
	text := ""
	if n.field != nil {
		text = n.field.Description
	}
	text = cmp.Or(text, n.schema.Description)
	if end := strings.Index(text, ". "); end >= 0 {
		text = text[:end+1]
	}
	return strings.TrimSpace("<" + typeOf(n.schema, n.typ) + "> " + model.Visible(text))
}
