package reference

import (
	"cmp"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/constraint"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
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
	Facts      []constraint.Constraint
	Rules      []constraint.Rule
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
	above map[*model.Definition]string // anchors of what the node is in
	taken map[string]bool              // anchors
	flat  bool                         // a type of Kubernetes, all of whose types have pages
}

func newTree(s *site, p *page) *tree {
	return &tree{site: s, page: p, above: map[*model.Definition]string{}, taken: map[string]bool{}, flat: p.Kubernetes}
}

func (t *tree) fields() []*node {
	t.above[t.page.Definition] = "page:top"
	return t.nodes(t.page.Definition.Fields, "", t.page.schema())
}

// nodes returns the nodes of fields at a path. in is the schema of the object in the CRD, nil if it has none.
func (t *tree) nodes(fields []*model.Field, at string, in *constraint.Schema) []*node {
	var nodes []*node
	for _, field := range fields {
		var schema *constraint.Schema
		if in != nil {
			if property, ok := in.Properties[field.Key]; ok {
				schema = &property
			}
		}
		nodes = append(nodes, t.node(field, at, schema))
	}
	return nodes
}

// node returns the node of a field. The CRD knows constraints that the document cannot say; where it has nothing, as of
// the fields of metadata, the document is asked.
func (t *tree) node(field *model.Field, at string, schema *constraint.Schema) *node {
	path := field.Key
	if at != "" {
		path = at + "." + field.Key
	}
	text := schema
	if text == nil {
		text = field.Schema()
	}
	n := &node{
		Key: field.Key, Path: path, Type: TypeOf(&field.Type), Required: field.Mandatory, Default: encoded(field.Default),
		Deprecated: field.Deprecated, Facts: constraint.Of(text), Rules: constraint.Rules(text), Doc: field.Description,
		Names: t.names[field],
	}
	n.Anchor = model.Free(anchor(path), func(name string) bool { return t.taken[name] })
	t.taken[n.Anchor] = true
	if schema != nil && !t.page.api.Shortened {
		n.Doc = cmp.Or(schema.Description, n.Doc) // the document joins lines
	}
	definition, fields := innermost(&field.Type)
	for schema != nil {
		elements, _ := constraint.Elements(schema)
		if elements == nil {
			break
		}
		schema = elements
	}
	switch {
	case definition == nil:
		n.Fields = t.nodes(fields, path, schema)
	case t.above[definition] != "":
		n.Link = "#" + t.above[definition]
	case definition.Kubernetes:
		n.Link = t.typePage(definition)
	case !t.flat:
		t.above[definition] = n.Anchor
		n.Fields = t.nodes(definition.Fields, path, schema)
		delete(t.above, definition)
	}
	if n.Doc == "" && definition != nil {
		n.Doc = definition.Description
	}
	return n
}

// innermost returns what the elements of a type are: a definition, or the fields of an object without a name.
func innermost(t *model.Type) (*model.Definition, []*model.Field) {
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
