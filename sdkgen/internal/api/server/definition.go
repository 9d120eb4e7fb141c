package server

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Install returns the errors for which the API server refuses a CustomResourceDefinition.
func Install(definition *apiextensionsv1.CustomResourceDefinition) (field.ErrorList, error) {
	converted, err := internal(definition)
	if err != nil {
		return nil, err
	}
	return validation.ValidateCustomResourceDefinition(context.Background(), converted), nil
}

// Replace returns the errors for which the API server refuses to replace a CustomResourceDefinition that is established
// and whose objects are all stored in its storage version.
func Replace(old, now *apiextensionsv1.CustomResourceDefinition) (field.ErrorList, error) {
	before, err := internal(old)
	if err != nil {
		return nil, err
	}
	after, err := internal(now)
	if err != nil {
		return nil, err
	}
	before.Status.Conditions = []apiextensions.CustomResourceDefinitionCondition{{Type: apiextensions.Established,
		Status: apiextensions.ConditionTrue}}
	before.Status.AcceptedNames = before.Spec.Names
	before.ResourceVersion = "1"
	before.Status.StoredVersions = storage(before, nil)
	after.ObjectMeta, after.Status = *before.ObjectMeta.DeepCopy(), *before.Status.DeepCopy()
	after.Status.StoredVersions = storage(after, before.Status.StoredVersions)
	return validation.ValidateCustomResourceDefinitionUpdate(context.Background(), after, before), nil
}

// storage adds the storage version to those that objects are stored in.
func storage(definition *apiextensions.CustomResourceDefinition, stored []string) []string {
	for _, version := range definition.Spec.Versions {
		if version.Storage && !slices.Contains(stored, version.Name) {
			stored = append(slices.Clone(stored), version.Name)
		}
	}
	return stored
}

// internal returns a definition with its defaults, as the API server's code takes it.
func internal(definition *apiextensionsv1.CustomResourceDefinition) (*apiextensions.CustomResourceDefinition, error) {
	object := definition.DeepCopy()
	object.Name = object.Spec.Names.Plural + "." + object.Spec.Group
	apiextensionsv1.SetDefaults_CustomResourceDefinition(object)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&object.Spec)
	out := &apiextensions.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(object, out,
		nil); err != nil {
		return nil, fmt.Errorf("reading the CRD %s: %w", object.Name, err)
	}
	return out, nil
}
