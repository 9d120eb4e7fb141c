package swagger

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/go-openapi/spec"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdopenapi "k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apiserver/pkg/endpoints/openapi"
)

// addPaths fills in the paths of all root kinds: those that the API server publishes for their
// CRDs, made by its own code. Operations have the ids of the official clients, and types the
// names of this document. What only paths refer to is defined as the API server defines it.
func (b *builder) addPaths(doc *spec.Swagger) {
	p := &publisher{builder: b, doc: doc, operations: map[string]string{}}
	for _, kind := range b.api.Kinds {
		if crd := b.served(kind); crd != nil {
			p.publish(kind, crd)
		}
	}
}

// served returns the CRD of a root kind, if there is one that serves this version. Its schemas,
// which say nothing about paths, are left out.
func (b *builder) served(kind Kind) *apiextensionsv1.CustomResourceDefinition {
	if b.api.CRD == nil || kind.List {
		return nil
	}
	crd := b.api.CRD(kind.Name)
	if crd == nil {
		return nil
	}
	for _, version := range crd.Spec.Versions {
		if version.Name == b.api.Version && version.Served {
			out := *crd
			version.Schema = nil
			out.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{version}
			return &out
		}
	}
	return nil
}

// publisher puts what the API server publishes for each kind into the document.
type publisher struct {
	*builder
	doc        *spec.Swagger
	operations map[string]string // paths by operation id

	// Of the kind that is being published:
	at        string            // its Go type, for messages
	published spec.Definitions  // by the API server's names
	own       map[string]string // Go types of the kind and of its list by the API server's names
}

func (p *publisher) publish(kind Kind, crd *apiextensionsv1.CustomResourceDefinition) {
	p.at = p.api.Package + "." + kind.Name
	raw, err := crdopenapi.BuildOpenAPIV2(crd, p.api.Version, crdopenapi.Options{V2: true})
	if err != nil {
		p.errorAt(p.at, "", "generating the paths of %s: %v", kind.Name, err)
		return
	}
	doc, err := convert[spec.Swagger](raw)
	if err != nil {
		p.errorAt(p.at, "", "converting the paths of %s: %v", kind.Name, err)
		return
	}
	p.prepare(crd, doc.Definitions)
	for _, path := range slices.Sorted(maps.Keys(doc.Paths.Paths)) {
		if !p.path(path, doc.Paths.Paths[path]) {
			return
		}
	}
	for _, name := range slices.Sorted(maps.Keys(doc.Parameters)) { // which has a hash of the parameter in it
		p.schema(doc.Parameters[name].Schema)
		p.doc.Parameters[name] = doc.Parameters[name]
	}
}

// prepare tells the definitions of the kind and its list from those of Kubernetes.
func (p *publisher) prepare(crd *apiextensionsv1.CustomResourceDefinition, published spec.Definitions) {
	p.published, p.own = published, map[string]string{}
	group := strings.Split(crd.Spec.Group, ".")
	slices.Reverse(group)
	prefix := strings.Join(append(group, p.api.Version), ".") + "."
	for _, kind := range []string{crd.Spec.Names.Kind, crd.Spec.Names.ListKind} {
		p.own[prefix+kind] = p.api.Package + "." + kind
	}
	list := crd.Spec.Names.ListKind
	isList := slices.ContainsFunc(p.api.Kinds, func(k Kind) bool { return k.Name == list && k.List })
	if _, taken := p.namer.byType[p.api.Package+"."+list]; taken && !isList {
		p.errorAt(p.api.Package+"."+list, "rename the type, or give it metav1.TypeMeta, metav1.ListMeta and Items",
			"%s is not the list type of %s, but the API server publishes the list by this name", list, crd.Spec.Names.Kind)
	}
	for name, schema := range published {
		if _, own := p.own[name]; own {
			continue
		}
		delete(schema.Extensions, kindExtension) // it marks the kinds of the document's own group
		schema.AddExtension(goTypeExtension, goTypeValue(goSpelling(name)))
		published[name] = schema
	}
}

// path adds one path, unless another kind has it or one of its operations.
func (p *publisher) path(path string, item spec.PathItem) bool {
	if _, taken := p.doc.Paths.Paths[path]; taken {
		p.errorAt(p.at, "give one of the kinds another name in paths:\n// +kubebuilder:resource:path=NAME", "two kinds have the path %s", path)
		return false
	}
	for _, op := range []*spec.Operation{item.Get, item.Put, item.Post, item.Delete, item.Patch} {
		if op == nil {
			continue
		}
		op.ID = clientID(op)
		if other, taken := p.operations[op.ID]; taken {
			p.errorAt(p.at, "rename the kind", "the paths %s and %s would both have the operation %s", other, path, op.ID)
			return false
		}
		p.operations[op.ID] = path
		for _, parameter := range op.Parameters {
			p.schema(parameter.Schema)
		}
		for _, code := range slices.Sorted(maps.Keys(op.Responses.StatusCodeResponses)) {
			p.schema(op.Responses.StatusCodeResponses[code].Schema)
		}
	}
	p.doc.Paths.Paths[path] = item
	return true
}

// clientID takes the group and version, which are also in the tag, out of an operation's id, as
// Kubernetes' own clients do: createExampleOrgV1NamespacedWidget, with the tag exampleOrg_v1, is
// createNamespacedWidget.
func clientID(op *spec.Operation) string {
	var groupVersion string
	for part := range strings.SplitSeq(strings.Join(op.Tags, "_"), "_") {
		groupVersion += openapi.ToValidOperationID(part, true)
	}
	return strings.Replace(op.ID, groupVersion, "", 1)
}

// schema gives the references in a schema this document's names. The defaults are zero values
// that openapi-gen adds; the API server publishes none.
func (p *publisher) schema(s *spec.Schema) {
	walk(s, func(s *spec.Schema) {
		s.Default = nil
		if target := Referenced(*s); target != "" {
			p.resolve(s, target)
		}
	})
}

// resolve makes a schema refer to what the API server calls target. A type without properties,
// such as a Patch, is inlined, as in the rest of the document.
func (p *publisher) resolve(s *spec.Schema, target string) {
	definition := p.published[target]
	goType, own := p.own[target]
	if !own {
		goType = goSpelling(target)
		if len(definition.Properties) == 0 {
			definition.Description = cmp.Or(s.Description, definition.Description)
			*s = definition
			return
		}
	}
	name, fresh, err := p.namer.name(goType)
	if err != nil {
		p.errorAt(p.at, "rename one of the types with swagger.names in sdkgen.yaml", "the paths of the kind need a type of Kubernetes: %v", err)
	}
	if ref, err := spec.NewRef(definitionsPrefix + name); err == nil {
		s.Ref = ref
	}
	if fresh {
		p.schema(&definition)
		p.definitions[name] = definition
	}
}

// walk calls visit with a schema, and then with all below it.
func walk(s *spec.Schema, visit func(*spec.Schema)) {
	if s == nil {
		return
	}
	visit(s)
	for i := range s.AllOf {
		walk(&s.AllOf[i], visit)
	}
	if s.Items != nil {
		walk(s.Items.Schema, visit)
	}
	if s.AdditionalProperties != nil {
		walk(s.AdditionalProperties.Schema, visit)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		walk(&property, visit)
		s.Properties[name] = property
	}
}
