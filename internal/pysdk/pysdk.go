// Package pysdk works out what the Python templates print: for each model its attributes,
// JSON keys, type hints, escaped defaults, imports, texts and samples. It is handed to the
// templates as one vendor extension on the model, so they need no logic and every escaping
// rule has one home, here.
package pysdk

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-openapi/spec"

	"github.com/flux-framework/flux-operator/internal/swagger"
)

// Extension is the vendor extension that carries a Model.
const Extension = "x-sdkgen-python"

// Model is what model.mustache prints. Fields that end in "a Python literal" are source code.
type Model struct {
	Doc      string     `json:"doc"`                // text for a """ docstring, escaped and indented
	Text     string     `json:"text,omitempty"`     // the same on one line, for a page of Markdown
	Root     *Root      `json:"root,omitempty"`     // root kinds and their lists
	Imports  []Import   `json:"imports,omitempty"`  // models that fields refer to, without itself, sorted
	External []External `json:"external,omitempty"` // classes of kubernetes.client that fields refer to, sorted
	Datetime bool       `json:"datetime,omitempty"` // a field is a datetime
	Fields   []Field    `json:"fields"`             // by attribute
	Sample   string     `json:"sample"`             // a manifest with every property, a Python literal
	Minimal  string     `json:"minimal"`            // a manifest with the required ones, a Python literal
}

// Root is a root kind's identity; each a Python literal.
type Root struct {
	APIVersion string `json:"apiVersion"`
	Group      string `json:"group"`
	Version    string `json:"version"`
	Kind       string `json:"kind"`
	Plural     string `json:"plural,omitempty"` // the resource's name in paths; not of lists
}

// Import is a model of the package.
type Import struct {
	Module string `json:"module"`
	Class  string `json:"class"`
}

// External is a class of kubernetes.client.
type External struct {
	Class string `json:"class"`
}

// Field is one attribute.
type Field struct {
	Attr     string `json:"attr"`               // Python identifier
	Key      string `json:"key"`                // JSON key, a Python literal
	Type     string `json:"type"`               // openapi_types spelling, a Python literal
	Hint     string `json:"hint"`               // annotation
	Default  string `json:"default"`            // Python literal of the declared default, or None
	Mutable  bool   `json:"mutable,omitempty"`  // the default is a list or dict
	Required bool   `json:"required,omitempty"` // must be given
	Doc      string `json:"doc,omitempty"`      // one line, escaped
}

// Annotate returns a copy of the document for the jar: Kubernetes' own types are left out, as
// their classes are the kubernetes package's, and each other definition carries its Model.
// Two properties with one attribute, or two definitions with one module, are an error.
func Annotate(doc *spec.Swagger) (*spec.Swagger, error) {
	doc = swagger.WithoutPaths(doc) // the package has models only
	out := *doc
	out.Definitions = spec.Definitions{}
	modules := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(doc.Definitions)) {
		if swagger.IsKubernetes(doc.Definitions[name]) {
			continue
		}
		if err := checkClass(name); err != nil {
			return nil, err
		}
		if other, taken := modules[module(name)]; taken {
			return nil, fmt.Errorf("naming Python modules: %s and %s would both be in %s.py; give one another name under swagger.names", other, name, module(name))
		}
		modules[module(name)] = name
		m := &modeler{doc: doc, name: name}
		model, err := m.model(doc.Definitions[name])
		if err != nil {
			return nil, fmt.Errorf("preparing the Python model %s: %w", name, err)
		}
		schema := withoutReferences(doc.Definitions[name])
		schema.AddExtension(Extension, model)
		out.Definitions[name] = schema
	}
	return &out, nil
}

// modeler works out one model.
type modeler struct {
	doc  *spec.Swagger
	name string

	imports  map[string]bool
	external map[string]bool
	datetime bool
}

func (m *modeler) model(schema spec.Schema) (*Model, error) {
	m.imports, m.external = map[string]bool{}, map[string]bool{}
	root := rootOf(schema)
	out := &Model{Doc: docstring(schema.Description, m.name), Text: oneLine(schema.Description), Root: root}
	byAttr := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(schema.Properties)) {
		field := m.field(key, schema.Properties[key], required(schema, key), root)
		if other, taken := byAttr[field.Attr]; taken {
			return nil, fmt.Errorf("properties %q and %q would both be the attribute %s", other, key, field.Attr)
		}
		byAttr[field.Attr] = key
		out.Fields = append(out.Fields, field)
	}
	slices.SortFunc(out.Fields, func(a, b Field) int { return strings.Compare(a.Attr, b.Attr) })
	delete(m.imports, m.name)
	for _, class := range slices.Sorted(maps.Keys(m.imports)) {
		out.Imports = append(out.Imports, Import{Module: module(class), Class: class})
	}
	for _, class := range slices.Sorted(maps.Keys(m.external)) {
		out.External = append(out.External, External{Class: class})
	}
	out.Datetime = m.datetime
	samples := sampler{doc: m.doc}
	out.Sample = literal(samples.object(m.name, true))
	out.Minimal = literal(samples.object(m.name, false))
	return out, nil
}

func (m *modeler) field(key string, schema spec.Schema, required bool, root *Root) Field {
	typ := m.typeOf(schema)
	field := Field{
		Attr: attribute(key), Key: literal(key), Type: literal(typ.legacy), Hint: typ.hint,
		Default: "None", Required: required, Doc: oneLine(schema.Description),
	}
	if schema.Default != nil {
		field.Default = literal(schema.Default)
		switch schema.Default.(type) {
		case []any, map[string]any:
			field.Mutable = true
		}
	}
	if root != nil && key == "apiVersion" {
		field.Default, field.Required = root.APIVersion, false
	}
	if root != nil && key == "kind" {
		field.Default, field.Required = root.Kind, false
	}
	if !field.Required {
		field.Hint = "Optional[" + typ.hint + "]"
	}
	return field
}

// required says whether a property must be given. The API server fills in a default before it
// looks for what is required, so one with a default need not; Kubernetes' own classes insist.
func required(schema spec.Schema, key string) bool {
	return slices.Contains(schema.Required, key) &&
		(schema.Properties[key].Default == nil || swagger.IsKubernetes(schema))
}

func rootOf(schema spec.Schema) *Root {
	gvk, ok := swagger.KindOf(schema)
	if !ok {
		return nil
	}
	root := &Root{
		APIVersion: literal(gvk.GroupVersion().String()), Group: literal(gvk.Group),
		Version: literal(gvk.Version), Kind: literal(gvk.Kind),
	}
	if plural := swagger.PluralOf(schema); plural != "" {
		root.Plural = literal(plural)
	}
	return root
}

// withoutReferences returns the schema with a plain object in place of each $ref: the jar
// needs a property to see a model in it, and the templates never look at their types.
func withoutReferences(schema spec.Schema) spec.Schema {
	object := spec.Schema{SchemaProps: spec.SchemaProps{Type: spec.StringOrArray{"object"}}}
	properties := map[string]spec.Schema{}
	for key := range schema.Properties {
		properties[key] = object
	}
	if len(properties) == 0 {
		properties["none"] = object
	}
	return spec.Schema{SchemaProps: spec.SchemaProps{Type: spec.StringOrArray{"object"}, Properties: properties}}
}
