// Package pysdk computes what the Python templates print: for each model its attributes,
// JSON keys, type hints, escaped defaults, imports, texts and samples. It is handed to the
// templates as one vendor extension on the model, so they need no logic and every escaping
// rule has one home, here.
package pysdk

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/document"
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
	Runtime  string  `json:"runtime"`            // the package of the runtime, a relative import from the model's
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

// Printed returns the names that templates reach what Annotate adds by.
func Printed() []string {
	return append(document.Printed(reflect.TypeFor[Model](), reflect.TypeFor[Operation](), reflect.TypeFor[Project](), reflect.TypeFor[Distribution]()), Extension)
}

// Annotate returns the document for openapi-generator: each operation carries its Operation, each
// definition its Model, but those of Kubernetes, whose classes are the kubernetes package's, and the
// document's info the Project. What Python cannot name is a document.Unrepresentables: two properties
// with one attribute, two definitions with one module, a definition that can be no class.
//
// names are those of the packages that the API is in below the distribution's, which has the runtime; none
// if it is the distribution's only one.
func Annotate(api *document.API, names ...string) ([]byte, error) {
	out := api.Annotate(Extension)
	runtime := strings.Repeat(".", len(names)+1)
	if err := addOperations(out, api, runtime); err != nil {
		return nil, err
	}
	project := projectOf(api)
	project.Runtime, project.Nested = runtime, len(names) > 0
	out.Info(project)
	modules := map[string]string{}
	for _, definition := range api.Definitions {
		if definition.Kubernetes {
			continue
		}
		name, module := definition.Name, document.FileName(definition.Name)
		if !isClass(name) {
			out.Unrepresentable(definition, "", definition.RenameHint(), "%s cannot be the name of a class in Python", name)
		}
		if other, taken := modules[module]; taken {
			out.Unrepresentable(definition, "", definition.RenameHint(), "%s and %s would both be in the Python module %s.py", other, name, module)
		}
		modules[module] = name
		m := &modeler{references: newReferences(), attributes: map[string]bool{}, typing: map[string]bool{}}
		model := m.model(definition, out)
		model.Runtime = runtime
		out.Definition(name, model)
	}
	return out.Encode()
}

// modeler works out one model.
type modeler struct {
	references
	attributes map[string]bool
	typing     map[string]bool // names of typing in hints
	builtins   bool
	datetime   bool
}

func (m *modeler) model(definition *document.Definition, doc *document.Annotated) *Model {
	byAttr := map[string]string{}
	for _, property := range definition.Fields {
		key, attr := property.Key, attribute(property.Key)
		if other, taken := byAttr[attr]; taken {
			doc.Unrepresentable(definition, key, "give one of them another name in JSON", "properties %q and %q would both be the attribute %s in Python", other, key, attr)
		}
		byAttr[attr], m.attributes[attr] = key, true
	}
	out := &Model{Doc: docstring(definition.Description, definition.Name), Text: oneLine(definition.Description), Root: rootOf(definition)}
	for _, property := range definition.Fields {
		out.Fields = append(out.Fields, m.field(property, out.Root))
	}
	slices.SortFunc(out.Fields, func(a, b Field) int { return strings.Compare(a.Attr, b.Attr) })
	if rules := celRules(definition); len(rules) > 0 {
		out.CEL = literal(rules)
	}
	delete(m.imports, definition.Name)
	m.imported(out)
	samples := sampler{}
	out.Sample = literal(samples.sample(definition, true))
	out.Minimal = literal(samples.sample(definition, false))
	out.Invalid = samples.invalid
	return out
}

// imported fills in what the model's module imports.
func (m *modeler) imported(out *Model) {
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
	out.Typing = listed(m.typing)
	if out.Checking {
		out.Typing = strings.TrimSuffix("TYPE_CHECKING, "+out.Typing, ", ")
	}
}

func listed(names map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

func (m *modeler) field(property *document.Field, root *Root) Field {
	typ := m.typeOf(&property.Type)
	field := Field{
		Attr: attribute(property.Key), Key: literal(property.Key), Type: literal(typ.legacy), Hint: typ.hint,
		Default: "None", Required: property.Mandatory, Doc: oneLine(property.Description),
	}
	if found := rules(&property.Type); len(found) > 0 {
		field.Rules = literal(found)
	}
	switch {
	case root != nil && property.Key == "apiVersion":
		field.Default, field.Required = root.APIVersion, false
	case root != nil && property.Key == "kind":
		field.Default, field.Required = root.Kind, false
	case property.Default != nil:
		field.Default = literal(property.Default)
	}
	if (!field.Required || property.Nullable) && typ != anything {
		field.Hint = m.hint("Optional", typ.hint)
	}
	return field
}

func rootOf(definition *document.Definition) *Root {
	root := definition.Root
	if root == nil {
		return nil
	}
	out := &Root{
		APIVersion: literal(root.GroupVersion().String()), Group: literal(root.Group),
		Version: literal(root.Version), Kind: literal(root.Kind),
	}
	if root.Plural != "" {
		out.Plural, out.Cluster = literal(root.Plural), !root.Namespaced
	}
	return out
}
