// Package samples makes a manifest of each kind that the API server accepts, and validates those that the authors of an
// API wrote.
package samples

import (
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/server"
)

// Sample is an object of a custom resource that the API server accepts.
type Sample struct {
	Object map[string]any // with int64 and float64 for numbers
}

// Make returns a sample of a version of a custom resource: the required fields without a default, those with
// +kubebuilder:example, and what else the rules ask for. That the API server would refuse all that were tried is an
// *Unsolved; it is an *Example if an example does not fit its own field.
func Make(definition *apiextensionsv1.CustomResourceDefinition, version string) (*Sample, error) {
	kind, err := newKind(definition, version)
	if err != nil {
		return nil, err
	}
	return kind.sample()
}

// YAML returns the manifest.
func (s *Sample) YAML() ([]byte, error) { return yaml.Marshal(s.Object) }

// Unsolved says that no sample was found.
type Unsolved struct{ Errors field.ErrorList }

// Error implements error.
func (e *Unsolved) Error() string {
	return fmt.Sprintf("no sample was found that the API server accepts: %s", brief(e.Errors[0]))
}

// Example says that the value of a +kubebuilder:example marker is not valid.
type Example struct {
	Path   []string // of the field: names, itemStep and valueStep
	Errors field.ErrorList
}

// Error implements error.
func (e *Example) Error() string {
	return fmt.Sprintf("+kubebuilder:example does not fit: %s", brief(e.Errors[0]))
}

// Steps of a path other than the names of fields.
const (
	ItemStep  = "[]" // to the elements of a list
	ValueStep = "{}" // to the values of a map
)

// kind is a version of a custom resource.
type kind struct {
	definition *apiextensionsv1.CustomResourceDefinition
	version    string
	schema     *schema
	server     *server.Version
}

func newKind(definition *apiextensionsv1.CustomResourceDefinition, version string) (*kind, error) {
	server, err := server.New(definition, version)
	if err != nil {
		return nil, err
	}
	for _, v := range definition.Spec.Versions {
		if v.Name == version {
			return &kind{definition, version, v.Schema.OpenAPIV3Schema, server}, nil
		}
	}
	return nil, fmt.Errorf("%s has no version %q", definition.Name, version)
}

// apiVersion is that of the kind's objects.
func (k *kind) apiVersion() string { return k.definition.Spec.Group + "/" + k.version }

// validate returns the errors for which the API server refuses to create an object.
func (k *kind) validate(object map[string]any) field.ErrorList {
	_, pruned, errs := k.server.Create(object)
	for _, path := range pruned {
		errs = append(errs, field.Invalid(rooted(path), nil, "unknown field"))
	}
	return errs
}

// brief is an error in one line.
func brief(err *field.Error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return strings.TrimPrefix(text, "<nil>: ")
}

// rooted is a path as the API server spells it.
func rooted(path string) *field.Path { return field.NewPath(strings.TrimPrefix(path, ".")) }
