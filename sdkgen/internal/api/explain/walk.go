package explain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/constraint"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

type schema = constraint.Schema

// walker walks through one kind.
type walker struct {
	api  *API
	pkg  *Package
	kind *model.Definition
	crd  *CRD // nil if it has none
}

// node is a place in a kind: the kind itself or a field.
type node struct {
	name   string
	path   string
	schema *schema
	typ    *model.Type // nil if the document does not have the field
	above  *node       // nil for the kind

	// Of a field:
	field    *model.Field      // nil if the document does not have it
	owner    *model.Definition // that has it; nil for a struct without a name
	required bool
	crdPath  string // in the CRD, "" if that does not have it
}

// root returns the node of the kind.
func (w *walker) root(name string) *node {
	n := &node{name: name, path: name, typ: &model.Type{Shape: model.Reference, Definition: w.kind}}
	n.schema = n.typ.Schema()
	if w.crd == nil {
		return n
	}
	for i, version := range w.crd.Spec.Versions {
		if version.Name == w.pkg.Version && version.Schema != nil && version.Schema.OpenAPIV3Schema != nil {
			n.schema, n.crdPath = version.Schema.OpenAPIV3Schema, fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i)
		}
	}
	return n
}

// object is the innermost element of a node's lists and maps, as both describe it.
type object struct {
	schema  *schema
	typ     *model.Type
	crdPath string
}

func (n *node) object() object {
	o := object{n.schema, n.typ, n.crdPath}
	for {
		elements, target := constraint.Elements(o.schema)
		if elements == nil {
			return o
		}
		o.schema = elements
		if o.crdPath != "" {
			o.crdPath += map[string]string{"items": ".items", "values": ".additionalProperties"}[target]
		}
		if o.typ != nil {
			o.typ = o.typ.Elem
		}
	}
}

// definition returns what the document calls the object, nil if it has no name.
func (o object) definition() *model.Definition {
	if o.typ == nil {
		return nil
	}
	return o.typ.Definition
}

// fields returns the fields that the document lists, by key.
func (o object) fields() map[string]*model.Field {
	found := map[string]*model.Field{}
	if o.typ == nil {
		return found
	}
	list := o.typ.Fields
	if o.typ.Definition != nil {
		list = o.typ.Definition.Fields
	}
	for _, field := range list {
		found[field.Key] = field
	}
	return found
}

// children returns the fields below a node, by name.
func (n *node) children() []*node {
	o := n.object()
	fields := o.fields()
	var found []*node
	add := func(key string, s *schema, crdPath string, required bool) {
		child := &node{name: key, path: n.path + "." + key, schema: s, above: n, field: fields[key], owner: o.definition(),
			required: required, crdPath: crdPath}
		if child.field != nil {
			child.typ = &child.field.Type
		}
		found = append(found, child)
	}
	if o.crdPath == "" {
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			add(key, fields[key].Schema(), "", fields[key].Required)
		}
		return found
	}
	for _, key := range slices.Sorted(maps.Keys(o.schema.Properties)) {
		property := o.schema.Properties[key]
		crdPath := o.crdPath + ".properties." + key
		if n.above == nil && key == "metadata" && fields[key] != nil { // the API server knows it without the CRD
			add(key, fields[key].Schema(), "", false)
			continue
		}
		add(key, &property, crdPath, slices.Contains(o.schema.Required, key))
	}
	return found
}

// describe returns what is known of a node, without the fields below.
func (w *walker) describe(n *node) *Field {
	field := &Field{
		Name: n.name, Path: n.path, Type: typeOf(n.schema, n.typ), Required: n.required, Description: n.schema.Description,
		Constraints: constraint.Of(n.schema), Rules: n.rules(), Where: w.where(n),
	}
	if n.schema.Default != nil {
		field.Default = n.schema.Default.Raw
	}
	definition := n.object().definition()
	switch {
	case n.field != nil:
		field.Description, field.Deprecated = cmp.Or(field.Description, n.field.Description), n.field.Deprecated
		if n.crdPath == "" && n.field.Default != nil {
			field.Default, _ = json.Marshal(n.field.Default) // it was read from JSON
		}
	case n.above == nil:
		field.Description, field.Deprecated = cmp.Or(field.Description, w.kind.Description),
			cmp.Or(w.kind.Deprecated, w.deprecation())
	}
	if definition != nil {
		field.Description = cmp.Or(field.Description, definition.Description)
		field.Deprecated = cmp.Or(field.Deprecated, definition.Deprecated)
	}
	return field
}

// deprecation returns what the API server warns of where a version is used that is deprecated.
func (w *walker) deprecation() string {
	for i := 0; w.crd != nil && i < len(w.crd.Spec.Versions); i++ {
		if version := w.crd.Spec.Versions[i]; version.Name == w.pkg.Version && version.Deprecated {
			if version.DeprecationWarning != nil {
				return *version.DeprecationWarning
			}
			return "the version " + version.Name + " of " + w.kind.Root.Kind + " is deprecated"
		}
	}
	return ""
}

// below adds the fields below a node, at most depth levels of them; a negative depth is no limit. Of a type that has
// itself, they are added once. open are the definitions on the way.
func (w *walker) below(field *Field, n *node, depth int, open map[*model.Definition]bool) {
	definition := n.object().definition()
	if depth == 0 || definition != nil && open[definition] {
		return
	}
	if definition != nil {
		open[definition] = true
		defer delete(open, definition)
	}
	for _, child := range n.children() {
		described := w.describe(child)
		w.below(described, child, depth-1, open)
		field.Fields = append(field.Fields, described)
	}
}

// where says where a node is.
func (w *walker) where(n *node) Where {
	var out Where
	owner, property := n.owner, n.name
	if n.above == nil {
		owner, property = w.kind, ""
	}
	if w.crd != nil && n.crdPath != "" {
		out.CRD = &Place{Name: w.crd.Spec.Names.Plural + "." + w.crd.Spec.Group, File: w.crd.File, Path: n.crdPath}
		if w.crd.Line != nil {
			out.CRD.Line = w.crd.Line(n.crdPath)
		}
	}
	switch {
	case owner != nil:
		out.Go = w.api.Declared(owner.GoType, property)
		out.Python, out.Client = w.pkg.Python.attribute(owner, property), w.pkg.Client.attribute(owner, property)
	case n.above.object().typ != nil:
		out.Go = w.api.Declared(n.above.object().typ.GoType, property)
	}
	return out
}

// kubernetesModule has the Python classes of Kubernetes' own types.
const kubernetesModule = "kubernetes.client"

// attribute returns the class of a definition, or the attribute of a property; nil if the SDK does not have it.
func (s SDK) attribute(definition *model.Definition, property string) *Attribute {
	class, ok := s.Classes[definition]
	if !ok {
		return nil
	}
	out := &Attribute{Module: s.Module, Class: class.Name}
	if definition.Kubernetes {
		out.Module = kubernetesModule
	}
	if property == "" {
		return out
	}
	for _, attr := range class.Attrs {
		if attr.Key == property {
			out.Name, out.Type = attr.Name, attr.Type
			return out
		}
	}
	return nil
}

// rules returns the CEL rules of a node and its elements, and those of the objects above that name it.
func (n *node) rules() []constraint.Rule {
	found := constraint.Rules(n.schema)
	below := n.name // as the object names the field
	for above := n.above; above != nil; above = above.above {
		o := above.object()
		for _, rule := range o.schema.XValidations {
			if names(rule.Rule, below) {
				found = append(found, constraint.Rule{Path: above.path, Rule: rule.Rule,
					Message: cmp.Or(rule.Message, rule.MessageExpression)})
			}
		}
		if o.schema != above.schema { // self is an element, which those above do not name
			break
		}
		below = above.name + "." + below
	}
	return found
}

// names says whether a rule of an object names a field of it: self.size, but not self.sizes.
func names(rule, field string) bool {
	for rest := rule; ; {
		_, after, found := strings.Cut(rest, "self."+field)
		if !found {
			return false
		}
		if next, _ := utf8.DecodeRuneInString(after); next != '_' && !unicode.IsLetter(next) && !unicode.IsDigit(next) {
			return true
		}
		rest = after
	}
}
