// Package gosdk works out what the templates of the Go client print: for each model its
// imports, fields with type and tag, and the constructors' defaults. It is handed to the
// templates as one vendor extension on the model, so they need no logic.
package gosdk

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/go-openapi/spec"

	"github.com/flux-framework/flux-operator/sdkgen/internal/swagger"
)

// Extension is the vendor extension that carries a Model.
const Extension = "x-sdkgen-go"

// Model is what model.mustache prints.
type Model struct {
	Name     string   `json:"name"`
	Doc      string   `json:"doc"`                // comment, every line with its //
	Imports  []Import `json:"imports,omitempty"`  // by path
	Root     *Root    `json:"root,omitempty"`     // root kinds and their lists
	Fields   []Field  `json:"fields"`             // by JSON name
	Defaults []Value  `json:"defaults,omitempty"` // of fields with a declared default
	Required []Param  `json:"required,omitempty"` // fields that a constructor asks for
	Enums    []Enum   `json:"enums,omitempty"`    // types of fields that have a list of values
	Unknown  string   `json:"unknown"`            // the field that keeps what no other takes

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

// Annotate returns a copy of the document for the jar: types of Kubernetes are left out, as
// the client uses the real ones, and each other definition carries its Model. What cannot be named
// or coded in Go is a swagger.Unfits.
func Annotate(doc *spec.Swagger) (*spec.Swagger, error) {
	taken := declared{}
	for _, name := range printed {
		taken[name] = "the client"
	}
	var unfit swagger.Unfits
	paths := operations(doc, taken, &unfit)
	doc = swagger.WithoutPaths(doc) // what only paths refer to is Kubernetes' own
	out := *doc
	out.Paths = paths
	out.Definitions = spec.Definitions{}
	for _, name := range slices.Sorted(maps.Keys(doc.Definitions)) {
		schema := doc.Definitions[name]
		if swagger.IsKubernetes(schema) {
			continue
		}
		m := &modeler{doc: doc, imports: map[string]string{}, enums: map[string]bool{}}
		model := m.model(name, schema, &unfit)
		for _, problem := range taken.add(model) {
			unfit.Add(name, "", swagger.RenameHint(schema), "%s", problem)
		}
		// The jar needs a property to see a model, and the template never looks at it.
		properties := map[string]spec.Schema{"none": *spec.StringProperty()}
		bare := spec.Schema{SchemaProps: spec.SchemaProps{Type: spec.StringOrArray{"object"}, Properties: properties}}
		bare.AddExtension(Extension, model)
		out.Definitions[name] = bare
	}
	return &out, unfit.Err()
}

// modeler works out one model.
type modeler struct {
	doc     *spec.Swagger
	imports map[string]string // path to alias
	enums   map[string]bool   // types of the model's enums
}

func (m *modeler) model(name string, schema spec.Schema, unfit *swagger.Unfits) *Model {
	out := &Model{Name: name, Doc: comment(schema.Description, name+" has no description.", "")}
	root := rootOf(schema)
	if root != nil {
		out.Root = root
		out.Fields = append(out.Fields, Field{Type: m.use(metav1, "TypeMeta"), Tag: "`json:\",inline\"`"})
	}
	taken := map[string]string{}
	if root != nil {
		taken["TypeMeta"], taken["ObjectMeta"], taken["ListMeta"] = "apiVersion", "metadata", "metadata"
	}
	for _, key := range slices.Sorted(maps.Keys(schema.Properties)) {
		if root != nil && (key == "apiVersion" || key == "kind") {
			continue
		}
		if root != nil && key == "metadata" {
			out.Fields = slices.Insert(out.Fields, 1, m.metadata(schema.Properties[key]))
			continue
		}
		field, err := m.field(out, key, schema)
		if err != nil {
			unfit.Add(name, key, renameKey, "%v", err)
			continue
		}
		if other, ok := taken[field.Name]; ok {
			unfit.Add(name, key, renameKey, "properties %q and %q would both be the field %s in Go", other, key, field.Name)
		}
		taken[field.Name] = key
		out.Fields = append(out.Fields, field)
		if err := m.constructor(out, key, field, schema); err != nil {
			unfit.Add(name, key, "give it a default of its type", "%v", err)
		}
	}
	out.Unknown = "UnknownFields"
	if taken[out.Unknown] != "" {
		out.Unknown += "_" // which ends no name that is made of a property's
	}
	if len(out.Required) > 0 {
		out.Required[len(out.Required)-1].Last = true
	}
	for _, path := range slices.Sorted(maps.Keys(m.imports)) {
		out.Imports = append(out.Imports, Import{Alias: m.imports[path], Path: path})
	}
	out.HasDefaults = len(out.Defaults) > 0
	return out
}

// renameKey is the hint for a property that Go cannot have.
const renameKey = "give it another name in JSON"

// metadata embeds that of a root kind. Kubernetes writes a list's always, an object's if it has any.
func (m *modeler) metadata(schema spec.Schema) Field {
	_, name := swagger.GoType(m.doc.Definitions[swagger.Referenced(schema)])
	field := Field{Type: m.typeOf(schema), Tag: "`json:\"metadata,omitempty\"`"}
	if name == "ObjectMeta" {
		field.Tag, field.Present = "`json:\"metadata,omitzero\"`", "!isZero(&x.ObjectMeta)"
	}
	field.key("metadata")
	m.code(&field, "x."+field.Type[strings.LastIndexByte(field.Type, '.')+1:])
	return field
}

// key fills in by what name the field is known in JSON.
func (f *Field) key(name string) {
	f.Key = quote(name)
	f.Member = quote(quote(name) + ":")
}

// field makes one struct field. It is a pointer where an absent value differs from a zero one:
// an optional struct or time, or a scalar whose default is not its zero value.
func (m *modeler) field(out *Model, key string, parent spec.Schema) (Field, error) {
	schema := parent.Properties[key]
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
	field := Field{Name: name, Doc: comment(schema.Description, "", "\t")}
	if field.Type = m.enum(out, name, schema); field.Type == "" {
		field.Type = m.typeOf(schema)
	}
	field.key(key)
	tag, value := key, "x."+name
	zeroIsDefault := slices.Contains(parent.Required, key) && isBasic(field.Type) && !needsPointer(schema, field.Type)
	if !required(parent, key) && !zeroIsDefault {
		tag += ",omitempty"
		if needsPointer(schema, field.Type) {
			field.Type = "*" + field.Type
		}
		field.Present = present(schema, field.Type, value)
	}
	field.Tag = "`json:\"" + tag + "\"`"
	m.code(&field, value)
	return field, nil
}

// required says whether a property must be given. The API server fills in a default before it
// looks for what is required, so one with a default need not.
func required(schema spec.Schema, key string) bool {
	return slices.Contains(schema.Required, key) && schema.Properties[key].Default == nil
}

func (m *modeler) constructor(out *Model, key string, field Field, parent spec.Schema) error {
	if required(parent, key) {
		out.Required = append(out.Required, Param{Name: field.Name, Param: param(field.Name), Type: field.Type})
	}
	expr, err := m.defaultOf(parent.Properties[key], field.Type)
	if err != nil {
		return err
	}
	if expr != "" {
		out.Defaults = append(out.Defaults, Value{Name: field.Name, Expr: expr})
	}
	return nil
}

func rootOf(schema spec.Schema) *Root {
	gvk, ok := swagger.KindOf(schema)
	if !ok {
		return nil
	}
	return &Root{APIVersion: quote(gvk.GroupVersion().String()), Kind: quote(gvk.Kind)}
}
