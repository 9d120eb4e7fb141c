// Package golang computes what the templates of the Go client print: for each model its imports, fields with type and
// tag, and the constructors' defaults. The templates get it as one vendor extension of the model and need no logic.
package golang

import (
	"fmt"
	"go/token"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
)

// Extension is the vendor extension that carries a Model.
const Extension = "x-sdkgen-go"

// Model is what model.mustache prints.
type Model struct {
	Name     string   `json:"name"`
	Doc      string   `json:"doc"`                // comment, every line with its //
	Imports  []Import `json:"imports"`            // by path
	Root     *Root    `json:"root,omitempty"`     // root kinds and their lists
	Fields   []Field  `json:"fields"`             // by JSON name
	Defaults []Value  `json:"defaults,omitempty"` // of fields with a declared default
	Required []Param  `json:"required,omitempty"` // fields that a constructor asks for
	Enums    []Enum   `json:"enums,omitempty"`    // types of fields that have a list of values
	Unknown  string   `json:"unknown"`            // the field that keeps what no other takes

	Deprecated string `json:"deprecated,omitempty"` // last lines of the constructors' comments

	// Mustache cannot ask whether a list is empty without going into it.
	HasDefaults bool `json:"hasDefaults,omitempty"`
}

// Import is one line of the import block.
type Import struct {
	Alias string `json:"alias"`
	Path  string `json:"path"`
}

// Root is a root kind's identity, as Go literals.
type Root struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// Field is one struct field.
type Field struct {
	Name string `json:"name"` // empty if embedded
	Type string `json:"type"`
	Tag  string `json:"tag"`               // with its backquotes
	Doc  string `json:"comment,omitempty"` // every line with a tab and //

	// How it is coded; empty for an embedded TypeMeta, which every root kind has.
	Key     string `json:"key,omitempty"`     // JSON key, a Go literal
	Member  string `json:"member,omitempty"`  // the key as it is written, with its colon, a Go literal
	Present string `json:"present,omitempty"` // condition under which it is written; empty for always
	Read    string `json:"read,omitempty"`    // statement
	Write   string `json:"write,omitempty"`   // statement
}

// Value is a field's default, a Go expression.
type Value struct {
	Name string `json:"name"`
	Expr string `json:"expr"`
}

// Param is a required field as a parameter.
type Param struct {
	Name  string `json:"name"`
	Param string `json:"param"`
	Type  string `json:"type"`
	Last  bool   `json:"last,omitempty"`
}

// Options returns the generator options that sdkgen's own templates want; the package's name is to
// be added.
func Options() map[string]any {
	return map[string]any{"globalProperties": map[string]any{
		"apis": "", "apiDocs": "false", "apiTests": "false", "models": "", "modelDocs": "false", "modelTests": "false",
	}}
}

// CheckPackage refuses a name that no package clause may have, and those of tests and of programs.
func CheckPackage(name string) error {
	if !token.IsIdentifier(name) || name == "_" || name == "main" || strings.HasSuffix(name, "_test") {
		return fmt.Errorf("%q cannot be the name of a Go package that others import", name)
	}
	return nil
}

// Annotate returns the API as the templates see it: an operation of each root kind with paths has its API, and each
// definition its Model, but those of Kubernetes, whose real Go types the client uses. What Go cannot name or encode
// is a model.Unrepresentables.
func Annotate(api *model.API) (render.API, error) {
	taken := declared{}
	for _, name := range printed {
		taken[name] = "the client"
	}
	out := render.API{
		Extension: Extension, Title: api.Title, Version: api.Version,
		Scopes: render.Scopes{
			Model: render.ScopeOf(reflect.TypeFor[Model]()), Operation: render.ScopeOf(reflect.TypeFor[API]()),
		},
	}
	var problems model.Unrepresentables
	out.Operations = operations(api, taken, &problems)
	for _, definition := range api.Definitions {
		if definition.Kubernetes {
			continue
		}
		m := newModeler(definition.Name)
		m.fill(definition, &problems)
		for _, problem := range taken.add(m.model) {
			problems.Add(definition, "", definition.RenameHint(), "%s", problem)
		}
		out.Models = append(out.Models, render.Model{Name: definition.Name, Value: m.model})
	}
	return out, problems.Err()
}

// modeler works out one model.
type modeler struct {
	model   *Model
	imports map[string]string // path to alias
	enums   map[string]bool   // types of the model's enums
	own     map[string]bool   // other models that fields refer to
	enumOf  string            // name of the field whose type is worked out
}

func newModeler(name string) *modeler {
	return &modeler{model: &Model{Name: name}, imports: map[string]string{}, enums: map[string]bool{},
		own: map[string]bool{}}
}

// fill fills in the model.
func (m *modeler) fill(definition *model.Definition, problems *model.Unrepresentables) {
	out := m.model
	out.Doc = comment(definition.Description, out.Name+" has no description.", "")
	out.Deprecated = deprecation(definition)
	taken := map[string]string{}
	if root := definition.Root; root != nil {
		out.Root = &Root{APIVersion: quote(root.GroupVersion().String()), Kind: quote(root.Kind)}
		out.Fields = append(out.Fields, Field{Type: m.use(typeMeta), Tag: "`json:\",inline\"`"})
		taken["TypeMeta"], taken["ObjectMeta"], taken["ListMeta"] = "apiVersion", "metadata", "metadata"
	}
	for _, property := range definition.Fields {
		key := property.Key
		if out.Root != nil && (key == "apiVersion" || key == "kind") {
			continue
		}
		if out.Root != nil && key == "metadata" {
			out.Fields = slices.Insert(out.Fields, 1, m.metadata(property))
			continue
		}
		field, err := m.field(property)
		if err != nil {
			problems.Add(definition, key, renameKey, "%v", err)
			continue
		}
		if other, ok := taken[field.Name]; ok {
			problems.Add(definition, key, renameKey, "properties %q and %q would both be the field %s in Go", other, key,
				field.Name)
		}
		taken[field.Name] = key
		out.Fields = append(out.Fields, field)
		if err := m.constructor(field, property); err != nil {
			problems.Add(definition, key, "give it a default of its type", "%v", err)
		}
	}
	out.Unknown = "UnknownFields"
	if taken[out.Unknown] != "" {
		out.Unknown += "_" // which ends no name that is made of a property's
	}
	if len(out.Required) > 0 {
		out.Required[len(out.Required)-1].Last = true
	}
	out.Imports = []Import{} // without it templates would see openapi-generator's own list of this name
	for _, path := range slices.Sorted(maps.Keys(m.imports)) {
		out.Imports = append(out.Imports, Import{Alias: m.imports[path], Path: path})
	}
	out.HasDefaults = len(out.Defaults) > 0
}

// renameKey is the hint for a property that Go cannot represent.
const renameKey = "give it another name in JSON"

// metadata embeds that of a root kind. Kubernetes writes a list's always, an object's if it has any.
func (m *modeler) metadata(property *model.Field) Field {
	field := Field{Type: m.typeOf(&property.Type), Tag: "`json:\"metadata,omitempty\"`"}
	if property.Shape == model.Reference && property.Definition.GoType.Name == "ObjectMeta" {
		field.Tag, field.Present = "`json:\"metadata,omitzero\"`", "!isZero(&x.ObjectMeta)"
	}
	field.key("metadata")
	field.Read, field.Write = m.calls(field.Type, "x."+field.Type[strings.LastIndexByte(field.Type, '.')+1:])
	return field
}

// key fills in by what name the field is known in JSON.
func (f *Field) key(name string) {
	f.Key = quote(name)
	f.Member = quote(quote(name) + ":")
}

// field makes one struct field. It is a pointer where an absent value differs from a zero one:
// an optional struct or time, or a scalar whose default is not its zero value.
func (m *modeler) field(property *model.Field) (Field, error) {
	key := property.Key
	name := goName(key)
	if name == "MarshalJSON" || name == "UnmarshalJSON" {
		name += "_" // the model has methods of these names
	}
	switch {
	case name == "":
		return Field{}, fmt.Errorf("property %q has no letter to name a Go field by", key)
	case !validTag(key):
		return Field{}, fmt.Errorf("property %q has a character that encoding/json takes in no field's name", key)
	}
	m.enumOf = name
	field := Field{Name: name, Type: m.typeOf(&property.Type), Doc: comment(property.Description, "", "\t")}
	field.key(key)
	tag, value := key, "x."+name
	zeroIsDefault := property.Required && isBasic(field.Type) && !needsPointer(property, field.Type)
	if !property.Mandatory && !zeroIsDefault {
		tag += ",omitempty"
		if needsPointer(property, field.Type) {
			field.Type = "*" + field.Type
		}
		field.Present = present(property.Shape, field.Type, value)
	}
	field.Tag = "`json:\"" + tag + "\"`"
	field.Read, field.Write = m.calls(field.Type, value)
	return field, nil
}

// constructor has the constructors set the field: to a parameter if it is mandatory, or to its default.
func (m *modeler) constructor(field Field, property *model.Field) error {
	if property.Mandatory {
		m.model.Required = append(m.model.Required, Param{Name: field.Name, Param: param(field.Name), Type: field.Type})
	}
	expr, err := m.defaultOf(property, field.Type)
	if err != nil {
		return err
	}
	if expr != "" {
		m.model.Defaults = append(m.model.Defaults, Value{Name: field.Name, Expr: expr})
	}
	return nil
}
