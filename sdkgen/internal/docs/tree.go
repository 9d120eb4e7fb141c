package docs

import (
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/document"
)

// node is a field at a path below a kind.
type node struct {
	Key        string
	Path       string // as kubectl explain has it: spec.containers.image
	Anchor     string // Path, or what stands for it in an address
	Type       string
	Link       string // page or anchor with the fields of the type; "" if they are below
	Required   bool
	Default    string // as JSON, "" without one
	Deprecated string
	Facts      []Fact
	Rules      []Rule
	Doc        string
	Names      []fieldName
	Fields     []*node
}

// fieldName is what a language calls a field, with its type.
type fieldName struct{ Language, Name string }

// tree makes the nodes of a page.
type tree struct {
	*site
	page  *page
	above map[*document.Definition]string // anchors of what the node is in
	taken map[string]bool                 // anchors
	flat  bool                            // a type of Kubernetes, all of whose types have pages
}

func newTree(s *site, p *page) *tree {
	return &tree{site: s, page: p, above: map[*document.Definition]string{}, taken: map[string]bool{}, flat: p.Kubernetes}
}

func (t *tree) fields() []*node {
	t.above[t.page.Definition] = "page:top"
	return t.nodes(t.page.Definition.Fields, "")
}

// nodes returns the nodes of fields at a path.
func (t *tree) nodes(fields []*document.Field, at string) []*node {
	var nodes []*node
	for _, field := range fields {
		nodes = append(nodes, t.node(field, at))
	}
	return nodes
}

func (t *tree) node(field *document.Field, at string) *node {
	path := field.Key
	if at != "" {
		path = at + "." + field.Key
	}
	n := &node{
		Key: field.Key, Path: path, Type: TypeOf(&field.Type), Required: field.Mandatory, Default: encoded(field.Default),
		Deprecated: field.Deprecated, Facts: Facts(&field.Type), Rules: RulesOf(field), Doc: field.Description, Names: t.names[field],
	}
	n.Anchor = document.Free(anchor(path), func(name string) bool { return t.taken[name] })
	t.taken[n.Anchor] = true
	definition, fields := innermost(&field.Type)
	switch {
	case definition == nil:
		n.Fields = t.nodes(fields, path)
	case t.above[definition] != "":
		n.Link = "#" + t.above[definition]
	case definition.Kubernetes:
		n.Link = t.typePage(definition)
	case !t.flat:
		t.above[definition] = n.Anchor
		n.Fields = t.nodes(definition.Fields, path)
		delete(t.above, definition)
	}
	if n.Doc == "" && definition != nil {
		n.Doc = definition.Description
	}
	return n
}

// innermost returns what the elements of a type are: a definition, or the fields of an object without a name.
func innermost(t *document.Type) (*document.Definition, []*document.Field) {
	for ; t != nil; t = t.Elem {
		if t.Definition != nil || len(t.Fields) > 0 {
			return t.Definition, t.Fields
		}
	}
	return nil, nil
}

// anchor is a path as the name of an element: without blanks.
func anchor(path string) string { return strings.Join(strings.Fields(path), "-") }

// walk visits nodes, each before those below.
func walk(nodes []*node, visit func(*node)) {
	for _, n := range nodes {
		visit(n)
		walk(n.Fields, visit)
	}
}
