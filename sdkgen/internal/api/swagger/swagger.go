// Package swagger generates swagger.json: the flattened Swagger 2.0 document that the SDKs
// are generated from. Its constraints are those that the API server enforces.
//
// Structure and descriptions come from kube-openapi's definitions, which are evaluated
// from the generated source (Evaluate) or compiled in (hack/swagger). Every constraint
// (defaults, required, enums, bounds, list types, …) comes from the schema that
// controller-tools makes of the same type, the one the CRD is flattened from: openapi-gen
// knows none of the kubebuilder markers and invents zero values as defaults. A type of
// another module has no such definition; its schema is entirely controller-tools'.
//
// The document is closed (each $ref has a target), pruned to what the root kinds reach,
// and named by namer. Build compares it with the CRDs; see Compare.
package swagger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/go-openapi/spec"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apischema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// Doc is the name of the file.
const Doc = "swagger.json"

const rule = "swagger"

// API is one package with its definitions and controller-tools' schemas of its types.
type API struct {
	Package string // import path
	Group   string
	Version string
	Kinds   []Kind // root kinds and their lists
	Foreign bool   // of another module: a type that openapi-gen does not take has the CRD's schema alone

	Definitions Definitions
	// Schema returns the unflattened schema of a Go type, "PACKAGE.Type", whose references are
	// controller-tools' with the package. False if there is no such type.
	Schema func(goType string) (apiextensionsv1.JSONSchemaProps, bool)
	// Custom are the Go types with methods that say what their JSON is. Where the value is true, the CRD says
	// something else: the document leaves these open.
	Custom map[string]bool
	// CRD returns the CRD of a root kind, with the versions that there are; nil if there is none.
	CRD func(kind string) *apiextensionsv1.CustomResourceDefinition
	// Pointer says whether a Go type holds a property by a pointer.
	Pointer func(goType, property string) bool
	// Locate returns where a type, or a property of it by its JSON name, is declared.
	Locate func(goType, property string) token.Position
}

// Kind is a root kind of the package.
type Kind struct {
	Name   string
	List   bool
	Plural string // the resource's name in paths; empty for what is no resource, such as a list

	// Of a resource that no CRD serves, whose paths are unknown:
	ListKind string
	Cluster  bool // it is cluster-scoped
}

// Options are the parts of the document that are the project's choice.
type Options struct {
	Title string
	Names map[string]string // definition names by Go type; they win over namer's rules
}

// Build returns the document. Its info.version is the API version. Types that cannot be
// represented are a diag.List with Go positions.
func Build(api API, opts Options) (*spec.Swagger, error) {
	given := api
	api.leaveOpen()
	b := &builder{api: api, namer: newNamer(api.Package, opts.Names), definitions: spec.Definitions{}, origin: map[string]string{}, versioned: versionNames{}}
	for _, kind := range api.Kinds {
		b.want(api.Package+"."+kind.Name, "")
	}
	b.drain()
	if len(b.versioned) > 0 {
		names := maps.Clone(map[string]string(b.versioned))
		maps.Copy(names, opts.Names)
		return Build(given, Options{Title: opts.Title, Names: names})
	}
	for _, kind := range api.Kinds {
		b.mark(kind)
	}
	doc := &spec.Swagger{SwaggerProps: spec.SwaggerProps{
		Swagger:     "2.0",
		Info:        &spec.Info{InfoProps: spec.InfoProps{Title: opts.Title, Version: api.Version}},
		Paths:       &spec.Paths{Paths: map[string]spec.PathItem{}},
		Parameters:  map[string]spec.Parameter{},
		Definitions: b.definitions,
	}}
	b.addPaths(doc)
	if err := b.list.Err(); err != nil {
		return nil, err
	}
	if err := Compare(doc, api).Err(); err != nil {
		return nil, err
	}
	return doc, nil
}

// Encode returns the document as it is written: indented, keys sorted, a newline at the end.
func Encode(doc *spec.Swagger) ([]byte, error) {
	raw, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("encoding the document: %w", err)
	}
	// A pass through plain maps sorts the keys, and keeps <, > and & as they are.
	var plain any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&plain); err != nil {
		return nil, fmt.Errorf("encoding the document: %w", err)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(plain); err != nil {
		return nil, fmt.Errorf("encoding the document: %w", err)
	}
	return out.Bytes(), nil
}

// Decode reads a document that Encode wrote.
func Decode(data []byte) (*spec.Swagger, error) {
	doc := &spec.Swagger{}
	if err := json.Unmarshal(data, doc); err != nil {
		return nil, fmt.Errorf("decoding %s: %w", Doc, err)
	}
	raw, err := exact(data)
	if err != nil {
		return nil, fmt.Errorf("decoding %s: %w", Doc, err)
	}
	source, _ := raw.(map[string]any)
	definitions, _ := source["definitions"].(map[string]any)
	for name, schema := range doc.Definitions {
		restore(&schema, definitions[name])
		doc.Definitions[name] = schema
	}
	return doc, nil
}

// builder collects the definitions that the root kinds reach.
type builder struct {
	api         API
	namer       *namer
	definitions spec.Definitions
	queue       []string          // Go types that are wanted and not defined yet
	origin      map[string]string // what refers to a Go type first: another with its property
	versioned   versionNames      // names with versions, for types of several versions that would have one name
	list        diag.List
}

// want makes sure that a Go type gets a definition, and returns its name. from is the Go type
// and property that refers to it, for messages.
func (b *builder) want(goType, from string) string {
	name, fresh, err := b.namer.name(goType)
	if same, ok := errors.AsType[*sameName](err); ok && b.versioned.add(same, b.api.Package, b.namer.table) {
		err = nil // Build begins again
	}
	if err != nil {
		b.errorAt(from, renameHint(err, b.api.Package), "%v", err)
	}
	if fresh {
		b.queue = append(b.queue, goType)
		b.origin[goType] = from
	}
	return name
}

func (b *builder) drain() {
	for len(b.queue) > 0 {
		goType := b.queue[0]
		b.queue = b.queue[1:]
		name, _, _ := b.namer.name(goType)
		b.definitions[name] = b.define(goType)
	}
}

// define makes the definition of a struct type.
func (b *builder) define(goType string) spec.Schema {
	crdSchema, ok := b.kindSchema(goType)
	if !ok {
		b.errorAt(goType, "", "controller-tools has no schema of %s", goType)
		return spec.Schema{}
	}
	var schema spec.Schema
	if def, own := b.api.Definitions[goType]; own {
		converted, err := convert[spec.Schema](def.Schema)
		if err != nil {
			b.errorAt(goType, "", "converting the definition of %s: %v", goType, err)
		}
		schema = converted
		b.sameProperties(goType, schema, crdSchema)
	} else if _, custom := b.api.Custom[goType]; !custom && !b.api.Foreign && goTypePackage(goType) == b.api.Package {
		b.errorAt(goType, "export the type, and remove +k8s:openapi-gen=false", "%s has no OpenAPI definition", goType)
	}
	b.enforce(&schema, crdSchema, goType, "")
	schema.AddExtension(goTypeExtension, goTypeValue(goType))
	if _, kubernetes := KubernetesName(goType); kubernetes && goTypePackage(goType) == b.api.Package {
		schema.AddExtension(ownExtension, true)
	}
	if !IsKubernetes(schema) {
		b.pointers(schema, goType)
	}
	return schema
}

// pointers marks optional scalars which Go holds by pointers: there the zero value is something else than
// no value.
func (b *builder) pointers(schema spec.Schema, goType string) {
	for name, property := range schema.Properties {
		scalar := len(property.Type) == 1 && slices.Contains([]string{"string", "integer", "number", "boolean"}, property.Type[0])
		if scalar && !slices.Contains(schema.Required, name) && b.api.Pointer(goType, name) {
			property.AddExtension(pointerExtension, true)
			schema.Properties[name] = property
		}
	}
}

// sameProperties reports properties that only one of definition and schema has.
func (b *builder) sameProperties(goType string, schema spec.Schema, crdSchema apiextensionsv1.JSONSchemaProps) {
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if _, ok := crdSchema.Properties[name]; !ok {
			b.errorAt(goType+"#"+name, "export the field and add a json tag",
				"property %s is in openapi-gen's definition but not in the CRD", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(crdSchema.Properties)) {
		if _, ok := schema.Properties[name]; !ok {
			b.errorAt(goType+"#"+name, "remove +k8s:openapi-gen=false, or exclude the field from JSON: `json:\"-\"`", "property %s is in the CRD but not in openapi-gen's definition", name)
		}
	}
}

// mark gives a root kind its group, version and kind.
func (b *builder) mark(kind Kind) {
	name, _, _ := b.namer.name(b.api.Package + "." + kind.Name)
	schema := b.definitions[name]
	schema.AddExtension(kindExtension, kindValue(apischema.GroupVersionKind{
		Group: b.api.Group, Version: b.api.Version, Kind: kind.Name,
	}))
	if kind.Plural != "" {
		schema.AddExtension(pluralExtension, kind.Plural)
	}
	if version := b.storageVersion(kind); version != "" {
		schema.AddExtension(storageExtension, version)
	}
	if kind.ListKind != "" {
		schema.AddExtension(listExtension, kind.ListKind)
	}
	if kind.Cluster {
		schema.AddExtension(clusterExtension, true)
	}
	b.deprecateVersion(kind, &schema)
	b.definitions[name] = schema
}

// storageVersion returns the storage version of a root kind whose CRD has several versions, else "".
func (b *builder) storageVersion(kind Kind) string {
	if b.api.CRD == nil || kind.List {
		return ""
	}
	crd := b.api.CRD(kind.Name)
	if crd == nil || len(crd.Spec.Versions) < 2 {
		return ""
	}
	for _, version := range crd.Spec.Versions {
		if version.Storage {
			return version.Name
		}
	}
	return ""
}

// leaveOpen takes the definitions of custom types out, and the schemas of those that the CRD says something else
// of than their methods.
func (api *API) leaveOpen() {
	if len(api.Custom) == 0 {
		return
	}
	api.Definitions = maps.Clone(api.Definitions)
	for goType := range api.Custom {
		delete(api.Definitions, goType)
	}
	schemaOf, custom := api.Schema, api.Custom
	api.Schema = func(goType string) (apiextensionsv1.JSONSchemaProps, bool) {
		schema, ok := schemaOf(goType)
		if ok && custom[goType] {
			schema = apiextensionsv1.JSONSchemaProps{Description: schema.Description}
		}
		return schema, ok
	}
}

// errorAt reports an error at "GOTYPE" or "GOTYPE#property". One in another package is
// positioned where the API refers to it.
func (b *builder) errorAt(at, hint, format string, args ...any) {
	goType, property, _ := strings.Cut(at, "#")
	pos := b.api.Locate(goType, property)
	for !pos.IsValid() && b.origin[goType] != "" {
		goType, property, _ = strings.Cut(b.origin[goType], "#")
		pos = b.api.Locate(goType, property)
	}
	b.list.Add(pos, rule, hint, format, args...)
}

func goTypePackage(goType string) string {
	pkg, _ := splitType(goType)
	return pkg
}

// splitType splits "PACKAGE.Type".
func splitType(goType string) (pkg, name string) {
	i := strings.LastIndexByte(goType, '.')
	if i < 0 {
		return "", goType
	}
	return goType[:i], goType[i+1:]
}
