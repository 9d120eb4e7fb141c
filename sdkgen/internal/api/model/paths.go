package model

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/go-openapi/spec"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// definitionsPrefix begins a reference to a definition.
const definitionsPrefix = "#/definitions/"

// addPaths returns the paths of all root kinds: the ones that the API server publishes for their CRDs. Operations have
// the ids of the official clients, and types the names of this model. What only paths refer to is defined as the API
// server defines it.
func (b *Builder) addPaths() (map[string]spec.PathItem, map[string]spec.Parameter) {
	p := &publisher{
		Builder: b, operations: map[string]string{}, paths: map[string]spec.PathItem{},
		parameters: map[string]spec.Parameter{},
	}
	for _, kind := range b.Kinds {
		if crd := b.crd(kind); crd != nil {
			if version, ok := versionOf(crd, b.Version); ok && version.Served {
				p.publish(kind, crd)
			}
		}
	}
	return p.paths, p.parameters
}

func versionOf(
	crd *apiextensionsv1.CustomResourceDefinition, name string,
) (apiextensionsv1.CustomResourceDefinitionVersion, bool) {
	for _, version := range crd.Spec.Versions {
		if version.Name == name {
			return version, true
		}
	}
	return apiextensionsv1.CustomResourceDefinitionVersion{}, false
}

// publisher adds what the API server publishes for each kind.
type publisher struct {
	*Builder
	operations map[string]string // paths by operation id
	paths      map[string]spec.PathItem
	parameters map[string]spec.Parameter

	// Of the kind that is being published:
	at        string            // its type, for messages
	published spec.Definitions  // by the API server's names
	own       map[string]string // types of the kind and of its list by the API server's names
}

func (p *publisher) publish(kind Kind, crd *apiextensionsv1.CustomResourceDefinition) {
	p.at = p.typeName(kind.Name)
	doc, own, err := p.Published(kind.Name, crd)
	if err != nil {
		p.Errorf(p.at, "", "generating the paths of %s: %v", kind.Name, err)
		return
	}
	p.published, p.own = doc.Definitions, own
	p.checkList(crd)
	for _, path := range slices.Sorted(maps.Keys(doc.Paths.Paths)) {
		if !p.path(path, doc.Paths.Paths[path]) {
			return
		}
	}
	for _, name := range slices.Sorted(maps.Keys(doc.Parameters)) { // which has a hash of the parameter in it
		p.rename(doc.Parameters[name].Schema)
		p.parameters[name] = doc.Parameters[name]
	}
}

// checkList reports a type that has the name of the kind's list and is none.
func (p *publisher) checkList(crd *apiextensionsv1.CustomResourceDefinition) {
	list := crd.Spec.Names.ListKind
	isList := slices.ContainsFunc(p.Kinds, func(k Kind) bool { return k.Name == list && k.List })
	if _, taken := p.namer.byType[p.typeName(list)]; taken && !isList {
		p.Errorf(p.typeName(list), "rename the type, or give it metav1.TypeMeta, metav1.ListMeta and Items",
			"%s is not the list type of %s, but the API server publishes the list by this name", list, crd.Spec.Names.Kind)
	}
}

// path adds one path, unless another kind has it or one of its operations.
func (p *publisher) path(path string, item spec.PathItem) bool {
	if _, taken := p.paths[path]; taken {
		p.Errorf(p.at, "give one of the kinds another name in paths:\n// +kubebuilder:resource:path=NAME",
			"two kinds have the path %s", path)
		return false
	}
	for _, op := range []*spec.Operation{item.Get, item.Put, item.Post, item.Delete, item.Patch} {
		if op == nil {
			continue
		}
		if other, taken := p.operations[op.ID]; taken {
			p.Errorf(p.at, "rename the kind", "the paths %s and %s would both have the operation %s", other, path, op.ID)
			return false
		}
		p.operations[op.ID] = path
		for _, parameter := range op.Parameters {
			p.rename(parameter.Schema)
		}
		if op.Responses == nil {
			continue
		}
		for _, code := range slices.Sorted(maps.Keys(op.Responses.StatusCodeResponses)) {
			p.rename(op.Responses.StatusCodeResponses[code].Schema)
		}
	}
	p.paths[path] = item
	return true
}

// rename gives the reference of a body or an answer this model's name. A type without properties, such as a Patch, is
// written out.
func (p *publisher) rename(s *spec.Schema) {
	if s == nil {
		return
	}
	target := Referenced(*s)
	if target == "" {
		return
	}
	definition := p.published[target]
	typeName, own := p.own[target]
	if !own && len(definition.Properties) == 0 {
		definition.Description = cmp.Or(s.Description, definition.Description)
		delete(definition.Extensions, "x-kubernetes-group-version-kind")
		definition.AddExtension("x-go-type", goTypeValue(goSpelling(target)))
		*s = definition
		return
	}
	if !own {
		typeName = goSpelling(target)
	}
	if ref, err := spec.NewRef(definitionsPrefix + p.define(typeName, target).Name); err == nil {
		s.Ref = ref
	}
}

// define returns the definition of a type by its name in what is published. One of Kubernetes that only paths reach is
// defined as it is there.
func (p *publisher) define(typeName, target string) *Definition {
	name, fresh, err := p.namer.name(typeName)
	if err != nil {
		p.Errorf(p.at, "rename one of the types with swagger.names in sdkgen.yaml",
			"the paths of the kind need a type of Kubernetes: %v", err)
	}
	typeName = goSpelling(typeName)
	if !fresh {
		return p.byType[typeName]
	}
	d := &Definition{Name: name}
	p.byType[typeName] = d
	d.Type = *p.typeOf(p.published[target])
	if _, own := p.own[target]; own { // the list of a kind that has no type for it
		_, kind := splitType(typeName)
		d.Root = &Root{
			GroupVersionKind: schema.GroupVersionKind{Group: p.Group, Version: p.Version, Kind: kind}, Namespaced: true,
		}
		return d
	}
	p.identify(typeName, d)
	d.require(d.Kubernetes)
	return d
}

// typeOf returns the type of a schema that is published. Its defaults are zero values that openapi-gen adds: there are
// none.
func (p *publisher) typeOf(s spec.Schema) *Type {
	t := &Type{Description: s.Description, Format: s.Format, Extensions: map[string]any{}}
	if target := Referenced(s); target != "" {
		typeName, own := p.own[target]
		if definition := p.published[target]; !own && len(definition.Properties) == 0 {
			inlined := p.typeOf(definition)
			inlined.Description = cmp.Or(s.Description, definition.Description)
			inlined.GoType.Package, inlined.GoType.Name = splitType(goSpelling(target))
			return inlined
		}
		if !own {
			typeName = goSpelling(target)
		}
		t.Shape, t.Definition = Reference, p.define(typeName, target)
		return t
	}
	if len(s.Type) == 1 {
		t.Keywords.Type = s.Type[0]
	}
	t.Keywords.Format, t.Keywords.Required, t.Shape = s.Format, s.Required, shapeOf(t.Keywords.Type, s.Format)
	for name, value := range s.Extensions {
		if name != "x-kubernetes-group-version-kind" { // it marks the kinds of the document's own group
			t.Extensions[name] = value
		}
	}
	t.ListType, _ = s.Extensions.GetString("x-kubernetes-list-type")
	t.MapKeys, _ = s.Extensions.GetStringSlice("x-kubernetes-list-map-keys")
	if s.Items != nil && s.Items.Schema != nil {
		t.Elem = p.typeOf(*s.Items.Schema)
	}
	if extra := s.AdditionalProperties; extra != nil {
		t.Shape = Map
		if extra.Schema != nil {
			t.Elem = p.typeOf(*extra.Schema)
		}
	}
	var fields []*Field
	for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
		fields = append(fields, &Field{Type: *p.typeOf(s.Properties[key]), Key: key})
	}
	t.SetFields(fields)
	return t
}

// Serve gives an API the paths that its kinds are served at, with their operations; references in them are to its
// definitions.
func (a *API) Serve(paths map[string]spec.PathItem, parameters map[string]spec.Parameter) {
	a.Paths, a.Parameters = paths, parameters
	for _, definition := range a.Definitions {
		if root := definition.Root; root != nil && root.Plural != "" && !root.NoCRD {
			a.serveKind(root)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		a.servePath(path, paths[path])
	}
}

// serveKind sets what the paths say of a root kind.
func (a *API) serveKind(root *Root) {
	version := "/apis/" + root.Group + "/" + root.Version + "/"
	path := version + "namespaces/{namespace}/" + root.Plural
	if _, cluster := a.Paths[version+root.Plural+"/{name}"]; cluster {
		path, root.Namespaced = version+root.Plural, false
	}
	root.List = a.answer(a.Paths[path].Get)
	_, root.Status = a.Paths[path+"/{name}/status"]
	_, root.Scale = a.Paths[path+"/{name}/scale"]
}

func (a *API) servePath(path string, item spec.PathItem) {
	for _, method := range []struct {
		name string
		op   *spec.Operation
	}{{"GET", item.Get}, {"POST", item.Post}, {"PUT", item.Put}, {"PATCH", item.Patch}, {"DELETE", item.Delete}} {
		if method.op == nil {
			continue
		}
		op := &Operation{
			ID: method.op.ID, Tag: strings.Join(method.op.Tags, "_"), Method: method.name, Path: path,
			Description: cmp.Or(method.op.Description, method.op.Summary, method.op.ID),
			Answer:      a.answer(method.op), Stored: a.answer(item.Get),
		}
		op.Action, _ = method.op.Extensions.GetString("x-kubernetes-action")
		for _, param := range slices.Concat(item.Parameters, method.op.Parameters) {
			op.Parameters = append(op.Parameters, a.parameter(param))
		}
		a.Operations = append(a.Operations, op)
	}
}

func (a *API) parameter(param spec.Parameter) Parameter {
	if name, ok := strings.CutPrefix(param.Ref.String(), "#/parameters/"); ok {
		param = a.Parameters[name]
	}
	return Parameter{
		Name: param.Name, In: param.In, Required: param.Required, Shape: shapeOf(param.Type, ""),
		Body: a.referenced(param.Schema),
	}
}

// answer returns the definition that an operation answers with, nil if there is none.
func (a *API) answer(op *spec.Operation) *Definition {
	if op == nil || op.Responses == nil {
		return nil
	}
	return a.referenced(op.Responses.StatusCodeResponses[200].Schema)
}

func (a *API) referenced(s *spec.Schema) *Definition {
	if s == nil {
		return nil
	}
	name := Referenced(*s)
	i, found := slices.BinarySearchFunc(a.Definitions, name,
		func(d *Definition, name string) int { return cmp.Compare(d.Name, name) })
	if !found {
		return nil
	}
	return a.Definitions[i]
}

// Referenced returns the name of the definition that a schema refers to, plainly or by an allOf that adds constraints;
// "" if it refers to none.
func Referenced(s spec.Schema) string {
	refs := []spec.Ref{s.Ref}
	for _, part := range s.AllOf {
		refs = append(refs, part.Ref)
	}
	for _, ref := range refs {
		if tokens := ref.GetPointer().DecodedTokens(); len(tokens) == 2 && tokens[0] == "definitions" {
			return tokens[1]
		}
	}
	return ""
}

func goTypeValue(typeName string) any {
	pkg, name := splitType(typeName)
	return map[string]any{"type": name, "import": map[string]any{"package": pkg}}
}
