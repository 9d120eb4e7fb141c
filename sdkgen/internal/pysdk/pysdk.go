// Package pysdk works out what the Python templates print: for each model its attributes,
// JSON keys, type hints, escaped defaults, imports, texts and samples. It is handed to the
// templates as one vendor extension on the model, so they need no logic and every escaping
// rule has one home, here.
package pysdk

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-openapi/spec"

	"github.com/flux-framework/flux-operator/sdkgen/internal/swagger"
)

// Extension is the vendor extension that carries a Model.
const Extension = "x-sdkgen-python"

// Model is what model.mustache prints. Fields that end in "a Python literal" are source code.
type Model struct {
	Doc      string  `json:"doc"`                // text for a """ docstring, escaped and indented
	Text     string  `json:"text,omitempty"`     // the same on one line, for a page of Markdown
	Root     *Root   `json:"root,omitempty"`     // root kinds and their lists
	Typing   string  `json:"typing,omitempty"`   // names of typing that are used, with commas
	Models   []Class `json:"models,omitempty"`   // that fields refer to, without itself, sorted
	Imports  string  `json:"imports,omitempty"`  // the same, with commas
	External string  `json:"external,omitempty"` // classes of kubernetes.client that fields refer to, sorted, with commas
	Checking bool    `json:"checking,omitempty"` // something is imported for type checkers only
	Builtins bool    `json:"builtins,omitempty"` // a hint is spelled builtins.X
	Datetime string  `json:"datetime,omitempty"` // how datetime is imported, if it is
	CEL      string  `json:"cel,omitempty"`      // rules that the API server evaluates, a Python literal
	Fields   []Field `json:"fields"`             // by attribute
	Sample   string  `json:"sample"`             // a manifest with every property, a Python literal
	Minimal  string  `json:"minimal"`            // a manifest with the required ones, a Python literal
	Invalid  bool    `json:"invalid,omitempty"`  // no manifest was found that meets all constraints
}

// Root is a root kind's identity; each a Python literal.
type Root struct {
	APIVersion string `json:"apiVersion"`
	Group      string `json:"group"`
	Version    string `json:"version"`
	Kind       string `json:"kind"`
	Plural     string `json:"plural,omitempty"`  // the resource's name in paths; not of lists
	Cluster    bool   `json:"cluster,omitempty"` // its objects are in no namespace
}

// Class is a class of the package.
type Class struct {
	Class string `json:"class"`
}

// Field is one attribute.
type Field struct {
	Attr     string `json:"attr"`               // Python identifier
	Key      string `json:"key"`                // JSON key, a Python literal
	Type     string `json:"type"`               // openapi_types spelling, a Python literal
	Hint     string `json:"hint"`               // annotation
	Default  string `json:"default"`            // Python literal of the declared default, or None
	Required bool   `json:"required,omitempty"` // must be given
	Rules    string `json:"rules,omitempty"`    // constraints, a Python literal; see rules
	Doc      string `json:"doc,omitempty"`      // one line, escaped
}

// Annotate returns a copy of the document for the jar: Kubernetes' own types are left out, as
// their classes are the kubernetes package's, each other definition carries its Model, and the
// document's info its Project.
// What cannot be named in Python is a swagger.Unfits: two properties with one attribute, two
// definitions with one module, a definition that can be no class.
func Annotate(doc *spec.Swagger) (*spec.Swagger, error) {
	paths, err := operations(doc)
	if err != nil {
		return nil, err
	}
	out := *swagger.WithoutPaths(doc) // what only paths refer to is the kubernetes package's
	out.Paths, out.Info = paths, info(doc)
	out.Definitions = spec.Definitions{}
	var unfit swagger.Unfits
	modules := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(doc.Definitions)) {
		if swagger.IsKubernetes(doc.Definitions[name]) {
			continue
		}
		rename := swagger.RenameHint(doc.Definitions[name])
		if !isClass(name) {
			unfit.Add(name, "", rename, "%s cannot be the name of a class in Python", name)
		}
		if other, taken := modules[module(name)]; taken {
			unfit.Add(name, "", rename, "%s and %s would both be in the Python module %s.py", other, name, module(name))
		}
		modules[module(name)] = name
		m := &modeler{doc: doc, name: name}
		model := m.model(doc.Definitions[name], &unfit)
		// The jar needs a property to see a model, and the templates never look at it.
		properties := map[string]spec.Schema{"none": *spec.StringProperty()}
		schema := spec.Schema{SchemaProps: spec.SchemaProps{Type: spec.StringOrArray{"object"}, Properties: properties}}
		schema.AddExtension(Extension, model)
		out.Definitions[name] = schema
	}
	return &out, unfit.Err()
}

// modeler works out one model.
type modeler struct {
	doc  *spec.Swagger
	name string

	attributes map[string]bool
	imports    map[string]bool
	external   map[string]bool
	builtins   bool
	datetime   bool
}

func (m *modeler) model(schema spec.Schema, unfit *swagger.Unfits) *Model {
	m.attributes, m.imports, m.external = map[string]bool{}, map[string]bool{}, map[string]bool{}
	keys := slices.Sorted(maps.Keys(schema.Properties))
	byAttr := map[string]string{}
	for _, key := range keys {
		attr := attribute(key)
		if other, taken := byAttr[attr]; taken {
			unfit.Add(m.name, key, "give one of them another name in JSON", "properties %q and %q would both be the attribute %s in Python", other, key, attr)
		}
		byAttr[attr], m.attributes[attr] = key, true
	}
	out := &Model{Doc: docstring(schema.Description, m.name), Text: oneLine(schema.Description), Root: rootOf(m.doc, schema)}
	for _, key := range keys {
		out.Fields = append(out.Fields, m.field(key, schema.Properties[key], required(schema, key), out.Root))
	}
	slices.SortFunc(out.Fields, func(a, b Field) int { return strings.Compare(a.Attr, b.Attr) })
	if rules := celRules(schema); rules != nil {
		out.CEL = literal(rules)
	}
	m.imported(out)
	samples := sampler{doc: m.doc}
	out.Sample = literal(samples.sample(m.name, true))
	out.Minimal = literal(samples.sample(m.name, false))
	out.Invalid = samples.invalid
	return out
}

// imported fills in what the model's module imports.
func (m *modeler) imported(out *Model) {
	delete(m.imports, m.name)
	for _, class := range slices.Sorted(maps.Keys(m.imports)) {
		out.Models = append(out.Models, Class{class})
	}
	out.Imports, out.External, out.Builtins = listed(m.imports), listed(m.external), m.builtins
	switch {
	case m.datetime && m.attributes["datetime"]:
		out.Datetime = "datetime as _datetime"
	case m.datetime:
		out.Datetime = "datetime"
	}
	out.Checking = len(m.imports)+len(m.external) > 0 || m.builtins || m.datetime
	used := map[string]bool{}
	for _, field := range out.Fields {
		for name := range typing {
			used[name] = used[name] || typingIn(field.Hint, name)
		}
	}
	maps.DeleteFunc(used, func(_ string, is bool) bool { return !is })
	out.Typing = listed(used)
	if out.Checking {
		out.Typing = strings.TrimSuffix("TYPE_CHECKING, "+out.Typing, ", ")
	}
}

// typingIn says whether a hint uses a name of typing.
func typingIn(hint, name string) bool {
	for _, word := range hintWord.FindAllString(hintLiteral.ReplaceAllString(hint, ""), -1) {
		if word == name {
			return true
		}
	}
	return false
}

func listed(names map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

func (m *modeler) field(key string, schema spec.Schema, required bool, root *Root) Field {
	typ := m.typeOf(schema)
	field := Field{
		Attr: attribute(key), Key: literal(key), Type: literal(typ.legacy), Hint: typ.hint,
		Default: "None", Required: required, Doc: oneLine(schema.Description),
	}
	if found := m.rules(schema); found != nil {
		field.Rules = literal(found)
	}
	if schema.Default != nil {
		field.Default = literal(schema.Default)
	}
	if root != nil && key == "apiVersion" {
		field.Default, field.Required = root.APIVersion, false
	}
	if root != nil && key == "kind" {
		field.Default, field.Required = root.Kind, false
	}
	if (!field.Required || nullable(schema)) && typ != anything {
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

func rootOf(doc *spec.Swagger, schema spec.Schema) *Root {
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
		_, root.Cluster = paths(doc)["/apis/"+gvk.Group+"/"+gvk.Version+"/"+plural+"/{name}"]
	}
	return root
}

func paths(doc *spec.Swagger) map[string]spec.PathItem {
	if doc.Paths == nil {
		return nil
	}
	return doc.Paths.Paths
}
