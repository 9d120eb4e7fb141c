// Package server does to objects of a custom resource what the API server does: it prunes, defaults and validates
// them, with the API server's own code. There is no server, and no admission plugin or conversion.
package server

import (
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// Version is one version of a custom resource, as a CustomResourceDefinition describes it. It is not safe for
// concurrent use.
type Version struct {
	structural      *structuralschema.Structural
	validator       validation.SchemaValidator
	statusValidator validation.SchemaValidator // nil without the subresource, or without a schema of the status
	cel             *cel.Validator             // nil without rules
	status          bool                       // has the status subresource
	scale           *apiextensionsv1.CustomResourceSubresourceScale
}

// New returns a version of a CustomResourceDefinition. A schema that is not structural is an error.
func New(definition *apiextensionsv1.CustomResourceDefinition, version string) (*Version, error) {
	v, internal, err := find(definition, version)
	if err != nil {
		return nil, err
	}
	structural, err := structured(definition, version, internal)
	if err != nil {
		return nil, err
	}
	generated := &Version{structural: structural, cel: cel.NewValidator(structural, true, celconfig.PerCallLimit)}
	if generated.validator, _, err = validation.NewSchemaValidator(internal); err != nil {
		return nil, fmt.Errorf("reading the schema of %s %s: %w", definition.Name, version, err)
	}
	if v.Subresources == nil {
		return generated, nil
	}
	generated.status, generated.scale = v.Subresources.Status != nil, v.Subresources.Scale
	if status, ok := internal.Properties["status"]; ok && generated.status {
		if generated.statusValidator, _, err = validation.NewSchemaValidator(&status); err != nil {
			return nil, fmt.Errorf("reading the status schema of %s %s: %w", definition.Name, version, err)
		}
	}
	return generated, nil
}

// Structural returns the schema of a version as the API server prunes, defaults and coerces objects by it.
func Structural(
	definition *apiextensionsv1.CustomResourceDefinition, version string,
) (*structuralschema.Structural, error) {
	_, internal, err := find(definition, version)
	if err != nil {
		return nil, err
	}
	return structured(definition, version, internal)
}

// find returns a version of a CustomResourceDefinition, and its schema as the API server's code takes it.
func find(
	definition *apiextensionsv1.CustomResourceDefinition, version string,
) (apiextensionsv1.CustomResourceDefinitionVersion, *apiextensions.JSONSchemaProps, error) {
	i := slices.IndexFunc(definition.Spec.Versions,
		func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == version })
	if i < 0 {
		return apiextensionsv1.CustomResourceDefinitionVersion{}, nil,
			fmt.Errorf("%s has no version %q", definition.Name, version)
	}
	v := definition.Spec.Versions[i]
	if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
		return v, nil, fmt.Errorf("version %s of %s has no schema", version, definition.Name)
	}
	internal, err := convert(v.Schema.OpenAPIV3Schema)
	if err != nil {
		return v, nil, fmt.Errorf("reading the schema of %s %s: %w", definition.Name, version, err)
	}
	return v, internal, nil
}

func structured(
	definition *apiextensionsv1.CustomResourceDefinition, version string, internal *apiextensions.JSONSchemaProps,
) (*structuralschema.Structural, error) {
	structural, err := structuralschema.NewStructural(internal)
	if err != nil {
		return nil, fmt.Errorf("reading the schema of %s %s: %w", definition.Name, version, err)
	}
	structural = structural.DeepCopy()
	if err := defaulting.PruneDefaults(structural); err != nil {
		return nil, fmt.Errorf("pruning the defaults of %s %s: %w", definition.Name, version, err)
	}
	return structural, nil
}

// convert returns a schema as the API server's code takes it.
func convert(schema *apiextensionsv1.JSONSchemaProps) (*apiextensions.JSONSchemaProps, error) {
	out := &apiextensions.JSONSchemaProps{}
	return out, apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(schema.DeepCopy(), out, nil)
}

// NewValidator returns what validates values of a schema, without its CEL rules.
func NewValidator(schema *apiextensionsv1.JSONSchemaProps) (validation.SchemaValidator, error) {
	converted, err := convert(schema)
	if err != nil {
		return nil, err
	}
	validator, _, err := validation.NewSchemaValidator(converted)
	return validator, err
}

// Read returns a stored object as this version gives it to readers: pruned, and with the defaults of what is missing.
// pruned are the paths of the fields that the schema does not have.
func (v *Version) Read(stored map[string]any) (object map[string]any, pruned []string) {
	object, pruned, _ = v.decode(stored, true)
	return object, pruned
}

// decode prunes an object and fills in its defaults. Of a stored object, malformed metadata of embedded resources are
// dropped; in a request, they are an error.
func (v *Version) decode(
	encoded map[string]any, stored bool,
) (object map[string]any, pruned []string, malformed *field.Error) {
	object = runtime.DeepCopyJSON(encoded)
	pruned = pruning.PruneWithOptions(object, v.structural, true,
		structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	defaulting.PruneNonNullableNullsWithoutDefaults(object, v.structural)
	malformed, unknown := objectmeta.CoerceWithOptions(nil, object, v.structural, false,
		objectmeta.CoerceOptions{DropInvalidFields: stored, ReturnUnknownFieldPaths: true})
	defaulting.Default(object, v.structural)
	return object, append(pruned, unknown...), malformed
}

// Create returns what is stored of a manifest that is created, the paths of the fields that are dropped, and the
// errors for which the API server refuses it. A status is dropped if it is a subresource.
func (v *Version) Create(manifest map[string]any) (stored map[string]any, pruned []string, errs field.ErrorList) {
	stored, pruned, malformed := v.decode(manifest, false)
	if malformed != nil {
		return stored, pruned, field.ErrorList{malformed}
	}
	if v.status {
		delete(stored, "status")
	}
	return stored, pruned, v.validate(stored, nil, false)
}

// Update returns the errors for which the API server refuses to replace a stored object, both as Read returns them.
// With ratcheting, which Kubernetes has from 1.30 on, errors of values that did not change are accepted.
func (v *Version) Update(object, stored map[string]any, ratcheting bool) field.ErrorList {
	object = runtime.DeepCopyJSON(object)
	if v.status {
		delete(object, "status")
		if status, ok := stored["status"]; ok {
			object["status"] = status
		}
	}
	return v.validate(object, stored, ratcheting)
}

// Valid returns the paths of the fields of an object that the schema does not have, and the errors of the rest with its
// defaults, as if users wrote the status too.
func (v *Version) Valid(object map[string]any) (pruned []string, errs field.ErrorList) {
	read, pruned, malformed := v.decode(object, false)
	if malformed != nil {
		return pruned, field.ErrorList{malformed}
	}
	return pruned, v.validate(read, nil, false)
}

// Status says whether the version has the status subresource.
func (v *Version) Status() bool { return v.status }
