package gotypes

import (
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/go-openapi/spec"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/openapi"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/published"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// Model returns the model of an API package. Structure and descriptions are those of definitions, which openapi-gen
// makes of
// the package. Every constraint (default, required, enum, bounds, list type, …) is that of the schema that
// controller-tools
// makes of the same type, the one the CRD is flattened from: openapi-gen knows none of the kubebuilder markers and
// invents zero values as defaults. A type of another module has no such definition; its schema is entirely
// controller-tools'.
//
// Types that cannot be represented are a diag.List. So are CRDs that the API server would refuse, beside the model.
func (s *Source) Model(pkg *load.Package, definitions openapi.Definitions, cfg config.Swagger) (*model.API, error) {
	schemas, err := s.Schemas()
	if err != nil {
		return nil, err
	}
	f := &frontEnd{Schemas: schemas, pkg: pkg, definitions: maps.Clone(definitions)}
	for goType := range schemas.Custom() {
		delete(f.definitions, goType)
	}
	source := model.Source{
		Title: cfg.Title, Package: pkg.Path, Group: pkg.Group, Version: pkg.Version, Names: cfg.Names,
		Define: f.define, Locate: s.Position, Published: f.published,
		CRD: func(kind string) *apiextensionsv1.CustomResourceDefinition { return schemas.CRD(pkg.Path + "." + kind) },
	}
	if source.Title == "" {
		source.Title = titleOf(pkg.Path)
	}
	for _, kind := range pkg.Kinds {
		goType := pkg.Path + "." + kind.Name
		described := model.Kind{Name: kind.Name, List: kind.List, Plural: schemas.Plural(goType),
			Cluster: schemas.Cluster(goType)}
		if pkg.NoCRD {
			described.ListKind = pkg.ListOf(kind.Name)
		}
		source.Kinds = append(source.Kinds, described)
	}
	api, err := model.Build(source)
	if err != nil {
		return nil, s.advise(err)
	}
	if !pkg.Foreign { // nobody here can correct the CRD of another project
		return api, s.advise(validateCRDs(api, source).Err())
	}
	return api, nil
}

// titleOf returns the last element of the path above an API package that is more than the usual name of a directory of
// APIs.
func titleOf(pkg string) string {
	above := path.Dir(pkg)
	for base := path.Base(above); (base == "api" || base == "apis") && path.Dir(above) != "."; base = path.Base(above) {
		above = path.Dir(above)
	}
	return path.Base(above)
}

// advise completes the hints of errors in types.
func (s *Source) advise(err error) error {
	if list, ok := errors.AsType[diag.List](err); ok {
		return s.API.Advise(list).Err()
	}
	return err
}

// frontEnd makes the definitions of one API package.
type frontEnd struct {
	*Schemas
	*model.Builder
	pkg         *load.Package
	definitions openapi.Definitions
}

// published returns what the API server publishes for a kind.
func (f *frontEnd) published(
	_ string, crd *apiextensionsv1.CustomResourceDefinition,
) (*spec.Swagger, map[string]string, error) {
	doc, err := published.Read(crd, f.pkg.Version)
	prefix, own := published.ModelPrefix(crd.Spec.Group, f.pkg.Version), map[string]string{}
	for _, kind := range []string{crd.Spec.Names.Kind, crd.Spec.Names.ListKind} {
		own[prefix+kind] = f.pkg.Path + "." + kind
	}
	return doc, own, err
}

// schema returns the schema of a Go type; of a type whose methods and whose CRD say different things of its JSON,
// nothing but the description.
func (f *frontEnd) schema(goType string) (apiextensionsv1.JSONSchemaProps, bool) {
	schema, ok := f.Schema(goType)
	if ok && f.Custom()[goType] {
		schema = apiextensionsv1.JSONSchemaProps{Description: schema.Description}
	}
	return schema, ok
}

// define fills in the definition of a struct type.
func (f *frontEnd) define(b *model.Builder, goType string, d *model.Definition) {
	f.Builder = b
	schema, ok := f.kindSchema(goType)
	if !ok {
		b.Errorf(goType, "", "controller-tools has no schema of %s", goType)
		return
	}
	described := openapi.Schema{}
	if def, own := f.definitions[goType]; own {
		described = def.Schema
		if !f.pkg.Foreign { // nobody here can change the type: the CRD's schema counts
			f.sameProperties(goType, described, schema)
		}
	} else if _, custom := f.Custom()[goType]; !custom && !f.pkg.Foreign && model.PackageOf(goType) == f.pkg.Path {
		b.Errorf(goType, "export the type, and remove +k8s:openapi-gen=false", "%s has no OpenAPI definition", goType)
	}
	goName := d.GoType
	d.Type = *f.typeOf(schema, &described, goType, "")
	d.GoType = goName
	if !d.Kubernetes {
		f.pointers(d, goType)
	}
}

// pointers marks optional scalars which Go holds by pointers: there the zero value is something else than
// no value.
func (f *frontEnd) pointers(d *model.Definition, goType string) {
	for _, field := range d.Fields {
		scalar := slices.Contains([]string{"string", "integer", "number", "boolean"}, field.Keywords.Type) &&
			field.Shape != model.Reference
		field.Pointer = scalar && !field.Required && f.Pointer(goType, field.Key)
	}
}

// sameProperties reports properties that only one of definition and schema has.
func (f *frontEnd) sameProperties(goType string, described openapi.Schema, schema apiextensionsv1.JSONSchemaProps) {
	for _, name := range slices.Sorted(maps.Keys(described.Properties)) {
		if _, ok := schema.Properties[name]; !ok {
			f.Errorf(goType+"#"+name, "export the field and add a json tag",
				"property %s is in openapi-gen's definition but not in the CRD", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if _, ok := described.Properties[name]; !ok {
			f.Errorf(goType+"#"+name, "remove +k8s:openapi-gen=false, or exclude the field from JSON: `json:\"-\"`",
				"property %s is in the CRD but not in openapi-gen's definition", name)
		}
	}
}

// enforced are the extensions that the API server acts on: they are those of the CRD or none.
var enforced = []string{
	"x-kubernetes-embedded-resource", "x-kubernetes-int-or-string", "x-kubernetes-list-map-keys", "x-kubernetes-list-type",
	"x-kubernetes-map-type", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-validations",
}

// typeOf returns the type that a schema of the CRD describes, with the description and the further extensions of the
// definition, if there is one. goType and property are its place, for messages.
func (f *frontEnd) typeOf(
	schema apiextensionsv1.JSONSchemaProps, described *openapi.Schema, goType, property string,
) *model.Type {
	from := goType + "#" + property
	schema, leaf, isStruct := f.resolve(schema, from)
	t, err := model.NewType(&schema)
	if err != nil {
		f.Errorf(from, "", "converting the schema of %s: %v", from, err)
		return &model.Type{}
	}
	if described == nil {
		described = &openapi.Schema{}
	}
	if described.Description != "" {
		t.Description = described.Description
	}
	t.Extensions = map[string]any{}
	for name, value := range described.Extensions {
		if name = strings.ToLower(name); !slices.Contains(enforced, name) {
			t.Extensions[name] = value
		}
	}
	nullable, _ := t.Extensions["x-nullable"].(bool)
	t.Nullable = t.Nullable || nullable
	if _, kubernetes := model.KubernetesName(goType); !kubernetes || model.PackageOf(goType) == f.pkg.Path {
		t.Deprecated = model.Deprecation(t.Description) // clients take Kubernetes' types from its own packages
	}
	if isStruct {
		t.Shape, t.Definition = model.Reference, f.Refer(leaf, from)
		return t
	}
	t.Undeclared = f.Custom()[leaf]
	if leaf != "" && model.PackageOf(leaf) != f.pkg.Path {
		t.GoType.Package, t.GoType.Name = split(leaf)
	}
	f.below(t, &schema, described, goType, property)
	return t
}

// below adds properties, items and values of a map.
func (f *frontEnd) below(
	t *model.Type, schema *apiextensionsv1.JSONSchemaProps, described *openapi.Schema, goType, property string,
) {
	var fields []*model.Field
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		at := name
		if property != "" { // a struct without a name: the field that holds it is where it is
			at = property
		}
		child := described.Properties[name]
		fields = append(fields, &model.Field{Type: *f.typeOf(schema.Properties[name], &child, goType, at), Key: name})
	}
	t.SetFields(fields)
	if schema.Items != nil && schema.Items.Schema != nil {
		var child *openapi.Schema
		if described.Items != nil {
			child = described.Items.Schema
		}
		t.Elem = f.typeOf(*schema.Items.Schema, child, goType, property)
	}
	if extra := schema.AdditionalProperties; extra != nil && extra.Schema != nil {
		var child *openapi.Schema
		if described.AdditionalProperties != nil {
			child = described.AdditionalProperties.Schema
		}
		t.Elem = f.typeOf(*extra.Schema, child, goType, property)
	}
}
