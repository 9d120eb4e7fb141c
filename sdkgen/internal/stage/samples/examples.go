package samples

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/sampler"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/server"
)

// checkExamples returns an *Example for the first example that its own schema refuses.
func checkExamples(s *schema, path []string) error {
	if s == nil || !exemplified(s) {
		return nil
	}
	if s.Example != nil {
		validator, err := server.NewValidator(s)
		if err != nil {
			return err
		}
		if errs := validation.ValidateCustomResource(field.NewPath(strings.NewReplacer("."+ItemStep, ItemStep, "."+ValueStep,
			ValueStep).Replace(strings.Join(path, "."))), sampler.Decode(*s.Example), validator); len(errs) > 0 {
			return &Example{slices.Clone(path), errs}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[key]
		if err := checkExamples(&property, append(path, key)); err != nil {
			return err
		}
	}
	if err := checkExamples(sampler.Items(s), append(path, ItemStep)); err != nil {
		return err
	}
	return checkExamples(sampler.Values(s), append(path, ValueStep))
}
