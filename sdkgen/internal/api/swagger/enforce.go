package swagger

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/go-openapi/spec"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"
)

const definitionsPrefix = "#/definitions/"

// enforced are the extensions that the API server acts on: they are those of the CRD or none.
var enforced = []string{
	"x-kubernetes-embedded-resource", "x-kubernetes-int-or-string", "x-kubernetes-list-map-keys", "x-kubernetes-list-type",
	mapType, "x-kubernetes-preserve-unknown-fields", "x-kubernetes-validations",
}

// mapType says who may own a part of a map or struct. Beside a reference, it wins over that of the
// type, as in the CRD, into which both are written.
const mapType = "x-kubernetes-map-type"

// escape spells a Go type as one token of a JSON pointer.
func escape(goType string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(goType)
}

// refType returns the Go type behind a "$ref" of controller-tools' schemas.
func refType(ref string) string {
	name, pkg, err := crd.RefParts(ref)
	if err != nil {
		return ref
	}
	return pkg + "." + name
}

// convert makes a value of go-openapi from one of kube-openapi; both have the same JSON.
func convert[T any](from any) (out T, err error) {
	data, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	return out, err
}

// structSchema returns the schema of a Go struct with that of its embedded structs, and of a map that is inline, in it.
func (b *builder) structSchema(goType string) (apiextensionsv1.JSONSchemaProps, bool) {
	schema, ok := b.api.Schema(goType)
	embeds := func(part apiextensionsv1.JSONSchemaProps) bool {
		return part.Ref != nil || part.AdditionalProperties != nil
	}
	if !ok || !slices.ContainsFunc(schema.AllOf, embeds) {
		return schema, ok
	}
	out := *schema.DeepCopy()
	for i, part := range out.AllOf {
		if part.Ref == nil {
			continue
		}
		inner, ok := b.structSchema(refType(*part.Ref))
		if !ok {
			b.errorAt(goType, "", "controller-tools has no schema of the embedded %s", refType(*part.Ref))
		}
		// What markers at the embedded field say holds beside its type, as in the CRD.
		part.Ref, part.Title, part.Description = nil, "", ""
		out.AllOf[i] = apiextensionsv1.JSONSchemaProps{AllOf: []apiextensionsv1.JSONSchemaProps{inner, part}}
	}
	return *crd.FlattenEmbedded(&out, recorder{b, goType}), true
}

// kindSchema is structSchema for a root kind or its list, which has a definition of its own even if it
// is declared by the name of another struct, as in type List metav1.List.
func (b *builder) kindSchema(goType string) (apiextensionsv1.JSONSchemaProps, bool) {
	schema, ok := b.structSchema(goType)
	if !ok || schema.Ref == nil {
		return schema, ok
	}
	inner, ok := b.kindSchema(refType(*schema.Ref))
	schema.Ref = nil
	merged := apiextensionsv1.JSONSchemaProps{AllOf: []apiextensionsv1.JSONSchemaProps{inner, schema}}
	return *crd.FlattenEmbedded(&merged, recorder{b, goType}), ok
}

// isStruct says whether a type has a definition of its own and is not inlined where it is used: it is a
// struct with properties, or a root kind.
func (b *builder) isStruct(goType string) bool {
	if slices.ContainsFunc(b.api.Kinds, func(kind Kind) bool { return b.api.Package+"."+kind.Name == goType }) {
		return true
	}
	schema, ok := b.structSchema(goType)
	if !ok {
		return false
	}
	_, own := b.api.Definitions[goType]
	return len(schema.Properties) > 0 || own && schema.Type == "object" && schema.AdditionalProperties == nil
}

// resolve follows references to types that are inlined. It returns
// the schema without any reference, the last Go type that was followed, and whether that is
// a struct, which is referred to. A field's own descriptions win over those of its type.
func (b *builder) resolve(schema apiextensionsv1.JSONSchemaProps, from string) (
	out apiextensionsv1.JSONSchemaProps, goType string, isStruct bool,
) {
	for {
		ref := reference(&schema)
		if ref == "" {
			return schema, goType, false
		}
		goType = refType(ref)
		if b.isStruct(goType) {
			return schema, goType, true
		}
		target, ok := b.api.Schema(goType)
		if !ok {
			b.errorAt(from, "check that the type's package is importable and declares the type", "controller-tools has no schema of %s", goType)
			return schema, goType, false
		}
		merged := apiextensionsv1.JSONSchemaProps{AllOf: []apiextensionsv1.JSONSchemaProps{target, schema}}
		inner := reference(&target)
		if inner != "" { // a name for a name
			target.Ref = nil
			merged.AllOf[0] = target
		}
		texts := schema
		schema = *crd.FlattenEmbedded(&merged, recorder{b, from})
		schema.Title, schema.Description = cmp.Or(texts.Title, target.Title), cmp.Or(texts.Description, target.Description)
		schema.Example, schema.ExternalDocs = cmp.Or(texts.Example, target.Example), cmp.Or(texts.ExternalDocs, target.ExternalDocs)
		if inner != "" {
			schema.Ref = &inner
		}
	}
}

// reference takes the one reference out of a schema: a "$ref", or an allOf that holds it.
func reference(schema *apiextensionsv1.JSONSchemaProps) string {
	if schema.Ref != nil {
		ref := *schema.Ref
		schema.Ref = nil
		return ref
	}
	for i, part := range schema.AllOf {
		if part.Ref != nil {
			schema.AllOf = slices.Clone(schema.AllOf)
			schema.AllOf[i].Ref = nil
			return *part.Ref
		}
	}
	return ""
}

// recorder reports errors of controller-tools' flattening.
type recorder struct {
	b    *builder
	from string
}

// AddError implements crd.ErrorRecorder.
func (r recorder) AddError(err error) { r.b.errorAt(r.from, "", "%v", err) }

// enforce gives dst, whose structure and descriptions come from a definition or are empty, the
// constraints of the CRD's schema. goType and property are its place, for messages.
func (b *builder) enforce(dst *spec.Schema, crdSchema apiextensionsv1.JSONSchemaProps, goType, property string) {
	from := goType + "#" + property
	crdSchema, leaf, isStruct := b.resolve(crdSchema, from)
	out, err := constraints(crdSchema)
	if err != nil {
		b.errorAt(from, "", "converting the schema of %s: %v", from, err)
	}
	if dst.Description != "" {
		out.Description = dst.Description
	}
	for name, value := range dst.Extensions {
		if !slices.Contains(enforced, name) {
			out.AddExtension(name, value)
		}
	}
	b.deprecate(&out, goType)
	if isStruct {
		b.refer(&out, leaf, from)
		*dst = out
		return
	}
	if b.api.Custom[leaf] {
		out.AddExtension(openExtension, true)
	}
	if leaf != "" && goTypePackage(leaf) != b.api.Package {
		out.AddExtension(goTypeExtension, goTypeValue(leaf))
	}
	b.children(&out, dst, crdSchema, goType, property)
	*dst = out
}

// refer makes schema a reference. Constraints beside a "$ref" would be ignored by its
// readers, so they go beside an allOf; a description may stay.
func (b *builder) refer(schema *spec.Schema, structType, from string) {
	ref, err := spec.NewRef(definitionsPrefix + b.want(structType, from))
	if err != nil {
		return // want has reported the name
	}
	bare := *schema
	bare.Description = ""
	if data, err := json.Marshal(bare); err == nil && string(data) == "{}" {
		schema.Ref = ref
		return
	}
	schema.AllOf = append(schema.AllOf, spec.Schema{SchemaProps: spec.SchemaProps{Ref: ref}})
}

// children enforces properties, items and map values.
func (b *builder) children(out, dst *spec.Schema, crdSchema apiextensionsv1.JSONSchemaProps, goType, property string) {
	for _, name := range slices.Sorted(maps.Keys(crdSchema.Properties)) {
		child := dst.Properties[name]
		at := name
		if property != "" { // a struct without a name: the field that holds it is where it is
			at = property
		}
		b.enforce(&child, crdSchema.Properties[name], goType, at)
		out.SetProperty(name, child)
	}
	if crdSchema.Items != nil && crdSchema.Items.Schema != nil {
		child := spec.Schema{}
		if dst.Items != nil && dst.Items.Schema != nil {
			child = *dst.Items.Schema
		}
		b.enforce(&child, *crdSchema.Items.Schema, goType, property)
		out.Items = &spec.SchemaOrArray{Schema: &child}
	}
	if extra := crdSchema.AdditionalProperties; extra != nil && extra.Schema != nil {
		child := spec.Schema{}
		if dst.AdditionalProperties != nil && dst.AdditionalProperties.Schema != nil {
			child = *dst.AdditionalProperties.Schema
		}
		b.enforce(&child, *extra.Schema, goType, property)
		out.AdditionalProperties = &spec.SchemaOrBool{Allows: true, Schema: &child}
	}
}

// constraints converts a schema without what is below it and without references.
func constraints(crdSchema apiextensionsv1.JSONSchemaProps) (spec.Schema, error) {
	flat := *crdSchema.DeepCopy()
	flat.Properties, flat.Items = nil, nil
	if flat.AdditionalProperties != nil && flat.AdditionalProperties.Schema != nil {
		flat.AdditionalProperties = nil
	}
	flat.AllOf = slices.DeleteFunc(flat.AllOf, func(part apiextensionsv1.JSONSchemaProps) bool {
		return part.Ref == nil && len(part.Properties) == 0 && isEmpty(part)
	})
	if flat.XIntOrString {
		// Swagger 2.0 has no type for "integer or string": the API server's own document leaves it out.
		flat.AnyOf = nil
		if flat.Format == "" {
			flat.Format = "int-or-string"
		}
	}
	out, err := convert[spec.Schema](flat)
	if err != nil {
		return out, err
	}
	// By way of a float64, a large integer would become another.
	if flat.Default != nil {
		if out.Default, err = exact(flat.Default.Raw); err != nil {
			return out, err
		}
	}
	for i, value := range flat.Enum {
		if out.Enum[i], err = exact(value.Raw); err != nil {
			return out, err
		}
	}
	return out, nil
}

func isEmpty(schema apiextensionsv1.JSONSchemaProps) bool {
	data, err := json.Marshal(schema)
	return err == nil && string(data) == "{}"
}
