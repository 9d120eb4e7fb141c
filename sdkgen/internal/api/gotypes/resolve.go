package gotypes

import (
	"cmp"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
)

// refType returns the Go type behind a "$ref" of controller-tools' schemas.
func refType(ref string) string {
	name, pkg, err := crd.RefParts(ref)
	if err != nil {
		return ref
	}
	return pkg + "." + name
}

// structSchema returns the schema of a Go struct with that of its embedded structs, and of a map that is inline, in it.
func (f *frontEnd) structSchema(goType string) (apiextensionsv1.JSONSchemaProps, bool) {
	schema, ok := f.schema(goType)
	embeds := func(part apiextensionsv1.JSONSchemaProps) bool {
		return part.Ref != nil || part.AdditionalProperties != nil || part.XPreserveUnknownFields != nil
	}
	if !ok || !slices.ContainsFunc(schema.AllOf, embeds) {
		return schema, ok
	}
	out := *schema.DeepCopy()
	for i, part := range out.AllOf {
		if part.Ref == nil {
			continue
		}
		inner, ok := f.structSchema(refType(*part.Ref))
		if !ok {
			f.Errorf(goType, "", "controller-tools has no schema of the embedded %s", refType(*part.Ref))
		}
		// What markers at the embedded field say holds beside its type, as in the CRD.
		part.Ref, part.Title, part.Description = nil, "", ""
		out.AllOf[i] = apiextensionsv1.JSONSchemaProps{AllOf: []apiextensionsv1.JSONSchemaProps{inner, part}}
	}
	return *crd.FlattenEmbedded(&out, recorder{f, goType}), true
}

// kindSchema is structSchema for a root kind or its list, which has a definition of its own even if it
// is declared by the name of another struct, as in type List metav1.List.
func (f *frontEnd) kindSchema(goType string) (apiextensionsv1.JSONSchemaProps, bool) {
	schema, ok := f.structSchema(goType)
	if !ok || schema.Ref == nil {
		return schema, ok
	}
	inner, ok := f.kindSchema(refType(*schema.Ref))
	schema.Ref = nil
	merged := apiextensionsv1.JSONSchemaProps{AllOf: []apiextensionsv1.JSONSchemaProps{inner, schema}}
	return *crd.FlattenEmbedded(&merged, recorder{f, goType}), ok
}

// isStruct says whether a type has a definition of its own and is not inlined where it is used: it is a
// struct with properties, or a root kind.
func (f *frontEnd) isStruct(goType string) bool {
	if slices.ContainsFunc(f.pkg.Kinds, func(kind load.Kind) bool { return f.pkg.Path+"."+kind.Name == goType }) {
		return true
	}
	schema, ok := f.structSchema(goType)
	if !ok {
		return false
	}
	_, own := f.definitions[goType]
	return len(schema.Properties) > 0 || own && schema.Type == "object" && schema.AdditionalProperties == nil
}

// resolve follows references to types that are inlined. It returns
// the schema without any reference, the last Go type that was followed, and whether that is
// a struct, which is referred to. A field's own descriptions win over those of its type.
func (f *frontEnd) resolve(schema apiextensionsv1.JSONSchemaProps, from string) (
	out apiextensionsv1.JSONSchemaProps, goType string, isStruct bool,
) {
	for {
		ref := reference(&schema)
		if ref == "" {
			return schema, goType, false
		}
		goType = refType(ref)
		if f.isStruct(goType) {
			return schema, goType, true
		}
		target, ok := f.schema(goType)
		if !ok {
			f.Errorf(from, "check that the type's package is importable and declares the type",
				"controller-tools has no schema of %s", goType)
			return schema, goType, false
		}
		merged := apiextensionsv1.JSONSchemaProps{AllOf: []apiextensionsv1.JSONSchemaProps{target, schema}}
		inner := reference(&target)
		if inner != "" { // a name for a name
			target.Ref = nil
			merged.AllOf[0] = target
		}
		texts := schema
		schema = *crd.FlattenEmbedded(&merged, recorder{f, from})
		schema.Title, schema.Description = cmp.Or(texts.Title, target.Title), cmp.Or(texts.Description, target.Description)
		schema.Example, schema.ExternalDocs = cmp.Or(texts.Example, target.Example),
			cmp.Or(texts.ExternalDocs, target.ExternalDocs)
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
	f    *frontEnd
	from string
}

// AddError implements crd.ErrorRecorder.
func (r recorder) AddError(err error) { r.f.Errorf(r.from, "", "%v", err) }
