package swagger

import (
	"cmp"
	"maps"
	"slices"

	"github.com/go-openapi/spec"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/published"
)

// addPaths fills in the paths of all root kinds: those that the API server publishes for their
// CRDs (see published.go). Operations have the ids of the official clients, and types the
// names of this document. What only paths refer to is defined as the API server defines it.
func (b *builder) addPaths(doc *spec.Swagger) {
	p := &publisher{builder: b, doc: doc, operations: map[string]string{}}
	for _, kind := range b.api.Kinds {
		if crd := b.served(kind); crd != nil {
			p.publish(kind, crd)
		}
	}
}

// served returns the CRD of a root kind, if there is one that serves this version.
func (b *builder) served(kind Kind) *apiextensionsv1.CustomResourceDefinition {
	if b.api.CRD == nil || kind.List {
		return nil
	}
	crd := b.api.CRD(kind.Name)
	if crd == nil {
		return nil
	}
	if version, ok := versionOf(crd, b.api.Version); !ok || !version.Served {
		return nil
	}
	return crd
}

func versionOf(crd *apiextensionsv1.CustomResourceDefinition, name string) (apiextensionsv1.CustomResourceDefinitionVersion, bool) {
	for _, version := range crd.Spec.Versions {
		if version.Name == name {
			return version, true
		}
	}
	return apiextensionsv1.CustomResourceDefinitionVersion{}, false
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
	doc, err := readPublished(crd, p.api.Version)
	if err != nil {
		p.errorAt(p.at, "", "generating the paths of %s: %v", kind.Name, err)
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
func (p *publisher) prepare(crd *apiextensionsv1.CustomResourceDefinition, definitions spec.Definitions) {
	p.published, p.own = definitions, map[string]string{}
	prefix := published.ModelPrefix(crd.Spec.Group, p.api.Version)
	for _, kind := range []string{crd.Spec.Names.Kind, crd.Spec.Names.ListKind} {
		p.own[prefix+kind] = p.api.Package + "." + kind
	}
	list := crd.Spec.Names.ListKind
	isList := slices.ContainsFunc(p.api.Kinds, func(k Kind) bool { return k.Name == list && k.List })
	if _, taken := p.namer.byType[p.api.Package+"."+list]; taken && !isList {
		p.errorAt(p.api.Package+"."+list, "rename the type, or give it metav1.TypeMeta, metav1.ListMeta and Items",
			"%s is not the list type of %s, but the API server publishes the list by this name", list, crd.Spec.Names.Kind)
	}
	for name, schema := range definitions {
		if _, own := p.own[name]; own {
			continue
		}
		delete(schema.Extensions, kindExtension) // it marks the kinds of the document's own group
		schema.AddExtension(goTypeExtension, goTypeValue(goSpelling(name)))
		definitions[name] = schema
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
