package model

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-openapi/spec"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/swagger"
)

// Read reads a document that swagger.Encode wrote.
func Read(data []byte) (*API, error) {
	doc, err := swagger.Decode(data)
	if err != nil {
		return nil, err
	}
	return New(doc)
}

// New returns the model of a document. It is the same for what swagger.Build returns and for what is read of a file.
func New(doc *spec.Swagger) (*API, error) {
	r := &reader{doc: doc, definitions: map[string]*Definition{}}
	if doc.Paths != nil {
		r.paths = doc.Paths.Paths
	}
	api := &API{}
	if doc.Info != nil {
		api.Title, api.Version = doc.Info.Title, doc.Info.Version
	}
	for _, name := range slices.Sorted(maps.Keys(doc.Definitions)) {
		definition := &Definition{Name: name}
		r.definitions[name] = definition
		api.Definitions = append(api.Definitions, definition)
	}
	for _, definition := range api.Definitions {
		r.define(definition, doc.Definitions[definition.Name])
		if root := definition.Root; root != nil && !definition.Kubernetes && root.Version == api.Version {
			api.Group = root.Group
		}
	}
	for _, path := range slices.Sorted(maps.Keys(r.paths)) {
		api.Operations = append(api.Operations, r.operations(path)...)
	}
	return api, errors.Join(r.dangling...)
}

// reader is on its way through a document.
type reader struct {
	doc         *spec.Swagger
	paths       map[string]spec.PathItem
	definitions map[string]*Definition
	dangling    []error // references to definitions that are missing
}

func (r *reader) define(d *Definition, schema spec.Schema) {
	d.GoType.Package, d.GoType.Name = swagger.GoType(schema)
	d.Kubernetes = swagger.IsKubernetes(schema)
	d.Description, d.Deprecated = schema.Description, swagger.DeprecatedOf(schema)
	d.Root = r.root(schema)
	d.Fields = r.fields(schema, d.Kubernetes)
	d.MinProperties, d.MaxProperties = schema.MinProperties, schema.MaxProperties
	d.CEL, d.Open = schema.Extensions[cel], isOpen(schema)
}

// isOpen says whether the API server keeps the fields that a schema does not list.
func isOpen(schema spec.Schema) bool {
	open, _ := schema.Extensions.GetBool("x-kubernetes-preserve-unknown-fields")
	return open
}

// cel is the extension with the rules that the API server evaluates.
const cel = "x-kubernetes-validations"

// fields reads the properties of an object. Kubernetes' own classes insist on a required field that
// has a default, too.
func (r *reader) fields(schema spec.Schema, kubernetes bool) []*Field {
	var fields []*Field
	for _, key := range slices.Sorted(maps.Keys(schema.Properties)) {
		property := schema.Properties[key]
		required := slices.Contains(schema.Required, key)
		fields = append(fields, &Field{
			Type: *r.typeOf(property), Key: key, Description: property.Description, Default: property.Default,
			Required: required, Mandatory: required && (property.Default == nil || kubernetes),
			Pointer: swagger.IsPointer(property), Deprecated: swagger.DeprecatedOf(property),
		})
	}
	return fields
}

func (r *reader) typeOf(schema spec.Schema) *Type {
	t := &Type{Shape: shapeOf(schema.Type, schema.Format), Format: schema.Format, SchemaValidations: validations(schema), CEL: schema.Extensions[cel]}
	t.GoType.Package, t.GoType.Name = swagger.GoType(schema)
	nullable, _ := schema.Extensions.GetBool("x-nullable")
	t.Nullable = nullable || schema.Nullable
	t.Open = isOpen(schema)
	t.ListType, _ = schema.Extensions["x-kubernetes-list-type"].(string)
	t.MapKeys, _ = schema.Extensions["x-kubernetes-list-map-keys"].([]any)
	if name := swagger.Referenced(schema); name != "" {
		t.Shape, t.Definition = Reference, r.definition(name)
		return t
	}
	if swagger.IsIntOrString(schema) {
		t.Shape = IntOrString
		return t
	}
	switch t.Shape {
	case Array:
		if schema.Items != nil && schema.Items.Schema != nil {
			t.Elem = r.typeOf(*schema.Items.Schema)
		}
	case Object:
		t.Fields = r.fields(schema, false)
		if extra := schema.AdditionalProperties; extra != nil {
			t.Shape = Map
			if extra.Schema != nil {
				t.Elem = r.typeOf(*extra.Schema)
			}
		}
	}
	return t
}

var shapes = map[string]Shape{
	"string": String, "integer": Integer, "number": Number, "boolean": Boolean, "array": Array, "object": Object,
}

// shapeOf returns the shape of a type. The structural schemas of CRDs have no list of several types.
func shapeOf(types []string, format string) Shape {
	if len(types) != 1 {
		return Any
	}
	shape := shapes[types[0]]
	if shape == String && format == "date-time" {
		return Time
	}
	return shape
}

// definition returns the definition of a name.
func (r *reader) definition(name string) *Definition {
	definition, ok := r.definitions[name]
	if !ok {
		r.dangling = append(r.dangling, fmt.Errorf("reading %s: there is no definition %s", swagger.Doc, name))
		definition = &Definition{Name: name}
	}
	return definition
}

// root reads which root kind a definition is, and which paths its resource has.
func (r *reader) root(schema spec.Schema) *Root {
	gvk, ok := swagger.KindOf(schema)
	if !ok {
		return nil
	}
	root := &Root{GroupVersionKind: gvk, Plural: swagger.PluralOf(schema), Namespaced: true, StorageVersion: swagger.StorageVersionOf(schema)}
	if root.Plural == "" {
		return root
	}
	version := "/apis/" + gvk.Group + "/" + gvk.Version + "/"
	path := version + "namespaces/{namespace}/" + root.Plural
	if _, cluster := r.paths[version+root.Plural+"/{name}"]; cluster {
		path, root.Namespaced = version+root.Plural, false
	}
	if list := swagger.ListOf(schema); list != "" { // no CRD serves it, and its paths are unknown
		root.List, root.Namespaced = r.definition(list), !swagger.IsCluster(schema)
		return root
	}
	root.List = r.answer(r.paths[path].Get)
	_, root.Status = r.paths[path+"/{name}/status"]
	_, root.Scale = r.paths[path+"/{name}/scale"]
	return root
}

func (r *reader) operations(path string) []*Operation {
	item := r.paths[path]
	var operations []*Operation
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
			Answer:      r.answer(method.op), Stored: r.answer(item.Get),
		}
		op.Action, _ = method.op.Extensions.GetString("x-kubernetes-action")
		for _, param := range slices.Concat(item.Parameters, method.op.Parameters) {
			op.Parameters = append(op.Parameters, r.parameter(param))
		}
		operations = append(operations, op)
	}
	return operations
}

func (r *reader) parameter(param spec.Parameter) Parameter {
	if name, ok := strings.CutPrefix(param.Ref.String(), "#/parameters/"); ok {
		param = r.doc.Parameters[name]
	}
	return Parameter{
		Name: param.Name, In: param.In, Required: param.Required,
		Shape: shapeOf([]string{param.Type}, ""), Body: r.referenced(param.Schema),
	}
}

// answer returns the definition that an operation answers with, nil if there is none.
func (r *reader) answer(op *spec.Operation) *Definition {
	if op == nil || op.Responses == nil {
		return nil
	}
	return r.referenced(op.Responses.StatusCodeResponses[200].Schema)
}

func (r *reader) referenced(schema *spec.Schema) *Definition {
	if schema == nil || swagger.Referenced(*schema) == "" {
		return nil
	}
	return r.definition(swagger.Referenced(*schema))
}
