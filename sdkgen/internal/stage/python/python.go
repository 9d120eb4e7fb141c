// Package python computes what the Python templates print: for each model its attributes, JSON keys, type hints,
// escaped defaults, imports, texts and samples. The templates get it as one vendor extension of the model, so they need
// no logic and every escaping rule has one home, here.
package python

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
)

// Extension is the vendor extension that carries a Model.
const Extension = "x-sdkgen-python"

// Model is what the templates of a model print. A statement may take several lines, in the style of `ruff format`.
type Model struct {
	Doc     string  `json:"doc"`               // docstring of the class
	Text    string  `json:"text,omitempty"`    // the same for a page of Markdown
	Mark    string  `json:"mark,omitempty"`    // decorator of a deprecated class
	Root    *Root   `json:"root,omitempty"`    // root kinds and their lists
	Typing  string  `json:"typing,omitempty"`  // statement that imports what is used of typing
	Models  []Class `json:"models,omitempty"`  // that fields refer to, without itself, sorted
	Checked string  `json:"checked,omitempty"` // what is imported for type checkers only, indented
	CEL     string  `json:"cel,omitempty"`     // statement with the rules that the API server evaluates
	Fields  []Field `json:"fields"`            // by attribute
	Samples Samples `json:"samples"`           // for the test of the model
	Runtime string  `json:"runtime"`           // the package of the runtime, a relative import from the model's
}

// Samples are statements of a model's test, each the assignment of a literal.
type Samples struct {
	Full       string `json:"full"`                 // SAMPLE: a manifest with every property
	Minimal    string `json:"minimal"`              // MINIMAL: one with the mandatory ones
	Kubernetes string `json:"kubernetes"`           // KUBERNETES: the classes of kubernetes.client that fields refer to
	Defaults   string `json:"defaults"`             // DEFAULTS: what is preset, by attribute
	Required   string `json:"required"`             // REQUIRED: the JSON keys of mandatory attributes
	Deprecated bool   `json:"deprecated,omitempty"` // it, or an attribute of it, is deprecated
	Invalid    bool   `json:"invalid,omitempty"`    // no manifest was found that meets all constraints
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
	Attr        string `json:"attr"`               // Python identifier
	Key         string `json:"key"`                // JSON key, a Python literal
	Hint        string `json:"hint"`               // annotation
	Default     string `json:"default"`            // Python literal of the declared default, or None
	Required    bool   `json:"required,omitempty"` // must be given
	Rules       string `json:"rules,omitempty"`    // constraints, a Python literal; see rules
	Deprecated  bool   `json:"deprecated,omitempty"`
	Declaration string `json:"declaration"`    // statement that declares it
	Doc         string `json:"doc,omitempty"`  // docstring
	Text        string `json:"text,omitempty"` // the same for a page of Markdown
}

// Annotate returns the API as the templates see it: each operation has its Operation, each definition its Model, but
// those of Kubernetes, whose classes are the kubernetes package's, and the whole its Project. What Python cannot name
// is a model.Unrepresentables: two properties with one attribute, two definitions with one module, a definition that
// can be no class.
//
// names are those of the packages that the API is in below the distribution's, which has the runtime; none
// if it is the distribution's only one.
func Annotate(api *model.API, names ...string) (render.API, error) {
	runtime := strings.Repeat(".", len(names)+1)
	project := projectOf(api)
	project.Runtime, project.Nested = runtime, len(names) > 0
	out := extend(api, project)
	var err error
	if out.Operations, err = operations(api, runtime); err != nil {
		return render.API{}, err
	}
	var problems model.Unrepresentables
	modules := map[string]string{}
	for _, definition := range api.Definitions {
		if definition.Kubernetes {
			continue
		}
		name, module := definition.Name, render.FileName(definition.Name)
		if !isClass(name) {
			problems.Add(definition, "", definition.RenameHint(), "%s cannot be the name of a class in Python", name)
		}
		if other, taken := modules[module]; taken {
			problems.Add(definition, "", definition.RenameHint(), "%s and %s would both be in the Python module %s.py", other,
				name, module)
		}
		modules[module] = name
		m := newModeler()
		model := m.model(definition, &problems)
		model.Runtime = runtime
		out.Models = append(out.Models, render.Model{Name: name, Value: model})
	}
	return out, problems.Err()
}

// extend returns an API without models and operations, with the value of the whole.
func extend(api *model.API, value any) render.API {
	return render.API{
		Extension: Extension, Title: api.Title, Version: api.Version, Value: value,
		Scopes: render.Scopes{
			Info:      render.ScopeOf(reflect.TypeFor[Project](), reflect.TypeFor[Distribution]()),
			Model:     render.ScopeOf(reflect.TypeFor[Model]()),
			Operation: render.ScopeOf(reflect.TypeFor[Operation]()),
		},
	}
}

// modeler works out one model.
type modeler struct {
	references
	attributes map[string]bool
	presets    map[string]source // defaults by attribute
}

func newModeler() *modeler {
	return &modeler{references: newReferences(), attributes: map[string]bool{}, presets: map[string]source{}}
}

func (m *modeler) model(definition *model.Definition, problems *model.Unrepresentables) *Model {
	byAttr := map[string]string{}
	for _, property := range definition.Fields {
		key, attr := property.Key, attribute(property.Key)
		if other, taken := byAttr[attr]; taken {
			problems.Add(definition, key, "give one of them another name in JSON",
				"properties %q and %q would both be the attribute %s in Python", other, key, attr)
		}
		byAttr[attr], m.attributes[attr] = key, true
	}
	out := &Model{
		Doc: cmp.Or(docstring(definition.Description, 4), docstring(definition.Name, 4)), Text: page(definition.Description),
		Root: rootOf(definition),
	}
	if definition.Deprecated != "" {
		out.Mark = call("@_model.deprecated(", ")", text(definition.Deprecated)).render(0)
	}
	for _, property := range definition.Fields {
		out.Fields = append(out.Fields, m.field(property, out.Root))
	}
	slices.SortFunc(out.Fields, func(a, b Field) int { return strings.Compare(a.Attr, b.Attr) })
	if rules := celRules(definition); len(rules) > 0 {
		out.CEL = valueOf(rules).after("CEL_RULES = ").render(4)
	}
	delete(m.imports, definition.Name)
	m.imported(out)
	out.Samples = m.samples(definition, out)
	return out
}

// samples works out what the model's test prints.
func (m *modeler) samples(definition *model.Definition, model *Model) Samples {
	generated := sampling{}
	assign := func(name string, value source) string { return value.after(name + " = ").render(0) }
	out := Samples{
		Full:       assign("SAMPLE", valueOf(generated.sample(definition, true))),
		Minimal:    assign("MINIMAL", valueOf(generated.sample(definition, false))),
		Kubernetes: assign("KUBERNETES", group("[", "]", quoted(m.external)...)),
		Invalid:    generated.invalid,
		Deprecated: model.Mark != "" || slices.ContainsFunc(model.Fields, func(field Field) bool { return field.Deprecated }),
	}
	var defaults, required []source
	for _, field := range model.Fields {
		if name := quote(field.Attr) + ": "; field.Required {
			required = append(required, atom(name+field.Key))
		} else {
			defaults = append(defaults, m.presets[field.Attr].after(name))
		}
	}
	out.Defaults, out.Required = assign("DEFAULTS", group("{", "}", defaults...)),
		assign("REQUIRED", group("{", "}", required...))
	return out
}

// quoted returns names as string literals, sorted.
func quoted(names map[string]bool) []source {
	var out []source
	for _, name := range slices.Sorted(maps.Keys(names)) {
		out = append(out, atom(quote(name)))
	}
	return out
}

// imported fills in what the model's module imports.
func (m *modeler) imported(out *Model) {
	for _, class := range slices.Sorted(maps.Keys(m.imports)) {
		out.Models = append(out.Models, Class{class})
	}
	out.Checked = m.checked(".")
	if out.Checked != "" {
		m.typing["TYPE_CHECKING"] = true
	}
	if len(m.typing) > 0 {
		out.Typing = importOf("typing", m.typing, 0)
	}
}

// importOf returns the statement that imports names, behind so many blanks.
func importOf(module string, names map[string]bool, indent int) string {
	return fromImport(module, slices.Collect(maps.Keys(names))...).render(indent)
}

func (m *modeler) field(property *model.Field, root *Root) Field {
	typ := m.typeOf(&property.Type)
	field := Field{
		Attr: attribute(property.Key), Key: Literal(property.Key), Required: property.Mandatory,
		Doc: docstring(property.Description, 4), Text: page(property.Description), Deprecated: property.Deprecated != "",
	}
	preset := valueOf(property.Default)
	switch {
	case root != nil && property.Key == "apiVersion":
		preset, field.Required = atom(root.APIVersion), false
	case root != nil && property.Key == "kind":
		preset, field.Required = atom(root.Kind), false
	}
	m.presets[field.Attr], field.Default = preset, preset.flat
	if (!field.Required || property.Nullable) && typ.hint.flat != anything {
		typ.hint = m.hint("Optional", typ.hint)
	}
	field.Hint = typ.hint.flat
	arguments := []source{atom(field.Key), atom(Literal(typ.legacy))}
	if !field.Required {
		arguments = append(arguments, preset.after("default="))
	}
	if found := valueOf(rules(&property.Type)); len(found.items) > 0 {
		field.Rules = found.flat
		arguments = append(arguments, found.after("rules="))
	}
	if field.Deprecated {
		arguments = append(arguments, text(property.Deprecated).after("deprecated="))
	}
	if descriptor := descriptorOf(property); descriptor != "" {
		typ.hint = subscript("_model."+descriptor, typ.hint)
	}
	field.Declaration = annotated(field.Attr, typ.hint, call("_model.field(", ")", arguments...), 4)
	return field
}

// descriptorOf returns the type that tells type checkers what may be assigned to an attribute, "" if that is what it
// holds.
func descriptorOf(property *model.Field) string {
	name := ""
	if property.Deprecated != "" {
		name = "Deprecated"
	}
	if definition := property.Type.Definition; definition != nil && definition.Kubernetes {
		name += "Held"
	}
	return name
}

func rootOf(definition *model.Definition) *Root {
	root := definition.Root
	if root == nil {
		return nil
	}
	out := &Root{
		APIVersion: Literal(root.GroupVersion().String()), Group: Literal(root.Group),
		Version: Literal(root.Version), Kind: Literal(root.Kind),
	}
	if root.Plural != "" {
		out.Plural, out.Cluster = Literal(root.Plural), !root.Namespaced
	}
	return out
}
