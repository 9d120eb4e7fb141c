// Package swagger prints the model of an API as swagger.json: the flattened document of Swagger 2.0 that
// openapi-generator reads. Its constraints are those that the API server enforces; Compare holds them against the CRDs.
package swagger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/go-openapi/spec"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

// Doc is the name of the file.
const Doc = "swagger.json"

const definitionsPrefix = "#/definitions/"

// The document's extensions, beside those of Kubernetes.
const (
	// goTypeExtension is go-swagger's extension that names the Go type of a schema. Definitions carry it, and so do places
	// where a type of another module (a Quantity, a Time) is written out.
	goTypeExtension = "x-go-type"
	kindExtension   = "x-kubernetes-group-version-kind"
	pluralExtension = "x-sdkgen-plural"
	// storageExtension is for root kinds with several versions.
	storageExtension = "x-sdkgen-storage-version"
	// pointerExtension is for an optional scalar whose zero value is something else than none.
	pointerExtension = "x-sdkgen-pointer"
	// listExtension names the list of a root kind that no CRD serves.
	listExtension = "x-sdkgen-list"
	// clusterExtension is for a cluster-scoped root kind without paths.
	clusterExtension = "x-sdkgen-cluster"
	// openExtension is for what may be any JSON here, though the CRD says something else.
	openExtension = "x-sdkgen-open"
	// ownExtension is for types of an API package that is one of Kubernetes itself.
	ownExtension = "x-sdkgen-own"
	// deprecatedExtension says what to use instead of a deprecated property or definition.
	deprecatedExtension = "x-sdkgen-deprecated"
)

// Print returns the model as a document of Swagger 2.0: closed, so that each $ref has a target, and with no more than
// the root kinds reach. Its info.version is the API's version.
func Print(api *model.API) (*spec.Swagger, error) {
	doc := &spec.Swagger{SwaggerProps: spec.SwaggerProps{
		Swagger:     "2.0",
		Info:        &spec.Info{InfoProps: spec.InfoProps{Title: api.Title, Version: api.Version}},
		Paths:       &spec.Paths{Paths: api.Paths},
		Parameters:  api.Parameters,
		Definitions: spec.Definitions{},
	}}
	for _, definition := range api.Definitions {
		schema, err := printDefinition(definition)
		if err != nil {
			return nil, fmt.Errorf("printing the definition %s: %w", definition.Name, err)
		}
		doc.Definitions[definition.Name] = schema
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

func printDefinition(d *model.Definition) (spec.Schema, error) {
	out, err := printType(&d.Type)
	if err != nil {
		return out, err
	}
	if _, kubernetes := model.KubernetesName(d.GoType.String()); kubernetes && !d.Kubernetes {
		out.AddExtension(ownExtension, true)
	}
	root := d.Root
	if root == nil {
		return out, nil
	}
	out.AddExtension(kindExtension, []any{map[string]any{"group": root.Group, "version": root.Version, "kind": root.Kind}})
	if root.Plural != "" {
		out.AddExtension(pluralExtension, root.Plural)
	}
	if root.StorageVersion != "" {
		out.AddExtension(storageExtension, root.StorageVersion)
	}
	if root.NoCRD {
		out.AddExtension(listExtension, root.List.Name)
		if !root.Namespaced {
			out.AddExtension(clusterExtension, true)
		}
	}
	return out, nil
}

func goTypeValue(t model.GoType) any {
	return map[string]any{"type": t.Name, "import": map[string]any{"package": t.Package}}
}

// printType returns a type's schema. Constraints beside a "$ref" would be ignored by its readers, so they go beside an
// allOf; a description may stay.
func printType(t *model.Type) (spec.Schema, error) {
	out, err := printKeywords(&t.Keywords)
	if err != nil {
		return out, err
	}
	for name, value := range t.Extensions {
		out.AddExtension(name, value)
	}
	if t.Deprecated != "" {
		out.AddExtension(deprecatedExtension, t.Deprecated)
	}
	if t.Undeclared {
		out.AddExtension(openExtension, true)
	}
	if t.GoType != (model.GoType{}) {
		out.AddExtension(goTypeExtension, goTypeValue(t.GoType))
	}
	if t.Definition != nil {
		ref, err := spec.NewRef(definitionsPrefix + t.Definition.Name)
		if err != nil {
			return out, err
		}
		if isEmpty(out) {
			out.Ref = ref
		} else {
			out.AllOf = append(out.AllOf, spec.Schema{SchemaProps: spec.SchemaProps{Ref: ref}})
		}
	}
	out.Description, out.Default = t.Description, t.Default
	return out, printBelow(&out, t)
}

func isEmpty(schema spec.Schema) bool {
	data, err := json.Marshal(schema)
	return err == nil && string(data) == "{}"
}

// printBelow prints properties, items and values of a map.
func printBelow(out *spec.Schema, t *model.Type) error {
	for _, field := range t.Fields {
		property, err := printType(&field.Type)
		if err != nil {
			return err
		}
		if field.Pointer {
			property.AddExtension(pointerExtension, true)
		}
		out.SetProperty(field.Key, property)
	}
	if t.Elem == nil {
		return nil
	}
	elem, err := printType(t.Elem)
	if t.Shape == model.Array {
		out.Items = &spec.SchemaOrArray{Schema: &elem}
	} else {
		out.AdditionalProperties = &spec.SchemaOrBool{Allows: true, Schema: &elem}
	}
	return err
}

// printKeywords returns a schema of a CRD as one of Swagger.
func printKeywords(in *apiextensionsv1.JSONSchemaProps) (out spec.Schema, err error) {
	out.SchemaProps = spec.SchemaProps{
		ID: in.ID, Description: in.Description, Nullable: in.Nullable, Format: in.Format, Title: in.Title,
		Maximum: in.Maximum, ExclusiveMaximum: in.ExclusiveMaximum, Minimum: in.Minimum,
		ExclusiveMinimum: in.ExclusiveMinimum,
		MaxLength:        in.MaxLength, MinLength: in.MinLength, Pattern: in.Pattern, MaxItems: in.MaxItems,
		MinItems:    in.MinItems,
		UniqueItems: in.UniqueItems, MultipleOf: in.MultipleOf, MaxProperties: in.MaxProperties,
		MinProperties: in.MinProperties,
		Required:      in.Required,
	}
	if in.Type != "" {
		out.Type = spec.StringOrArray{in.Type}
	}
	if in.Default != nil {
		if out.Default, err = model.Value(in.Default.Raw); err != nil {
			return out, err
		}
	}
	if in.Example != nil {
		if out.Example, err = model.Value(in.Example.Raw); err != nil {
			return out, err
		}
	}
	if in.ExternalDocs != nil {
		out.ExternalDocs = &spec.ExternalDocumentation{Description: in.ExternalDocs.Description, URL: in.ExternalDocs.URL}
	}
	for _, one := range in.Enum {
		value, err := model.Value(one.Raw)
		if err != nil {
			return out, err
		}
		out.Enum = append(out.Enum, value)
	}
	printExtensions(&out, in)
	return out, printParts(&out, in)
}

func printExtensions(out *spec.Schema, in *apiextensionsv1.JSONSchemaProps) {
	if in.XPreserveUnknownFields != nil {
		out.AddExtension("x-kubernetes-preserve-unknown-fields", *in.XPreserveUnknownFields)
	}
	if in.XEmbeddedResource {
		out.AddExtension("x-kubernetes-embedded-resource", true)
	}
	if in.XIntOrString {
		out.AddExtension("x-kubernetes-int-or-string", true)
	}
	if len(in.XListMapKeys) > 0 {
		out.AddExtension("x-kubernetes-list-map-keys", in.XListMapKeys)
	}
	if in.XListType != nil {
		out.AddExtension("x-kubernetes-list-type", *in.XListType)
	}
	if in.XMapType != nil {
		out.AddExtension(mapType, *in.XMapType)
	}
	if len(in.XValidations) > 0 {
		out.AddExtension("x-kubernetes-validations", in.XValidations)
	}
}

// printParts prints the schemas in a schema.
func printParts(out *spec.Schema, in *apiextensionsv1.JSONSchemaProps) error {
	for _, list := range []struct {
		to   *[]spec.Schema
		from []apiextensionsv1.JSONSchemaProps
	}{{&out.AllOf, in.AllOf}, {&out.OneOf, in.OneOf}, {&out.AnyOf, in.AnyOf}} {
		for i := range list.from {
			part, err := printKeywords(&list.from[i])
			if err != nil {
				return err
			}
			*list.to = append(*list.to, part)
		}
	}
	one := func(from *apiextensionsv1.JSONSchemaProps) (*spec.Schema, error) {
		if from == nil {
			return nil, nil //nolint:nilnil // no schema is no error
		}
		schema, err := printKeywords(from)
		return &schema, err
	}
	var err error
	if out.Not, err = one(in.Not); err != nil {
		return err
	}
	if in.Items != nil && in.Items.Schema != nil {
		out.Items = &spec.SchemaOrArray{}
		if out.Items.Schema, err = one(in.Items.Schema); err != nil {
			return err
		}
	}
	if extra := in.AdditionalProperties; extra != nil {
		out.AdditionalProperties = &spec.SchemaOrBool{Allows: extra.Allows}
		if out.AdditionalProperties.Schema, err = one(extra.Schema); err != nil {
			return err
		}
	}
	for name := range maps.Keys(in.Properties) {
		property, err := printKeywords(new(in.Properties[name]))
		if err != nil {
			return err
		}
		out.SetProperty(name, property)
	}
	return nil
}
