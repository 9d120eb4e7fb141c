package main

import (
	"regexp"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/internal/apiserver"
)

// noPath is the Field of a field.Error without a path.
const noPath = "<nil>"

// server is the API server's view of MiniClusters.
type server struct{ *apiserver.Server }

func newServer(manifest []byte) (*server, error) {
	s, err := apiserver.New(manifest, api.SchemeGroupVersion.Version)
	return &server{s}, err
}

// admit does what the API server does when an object is created: it prunes unknown fields and
// returns their paths, drops the status, applies defaults and validates. Numbers that
// intstr.IntOrString cannot hold are errors, too.
func (s *server) admit(object map[string]any) (unknown []string, errs field.ErrorList) {
	unknown = s.Prune(object)
	delete(object, "status")
	errs = s.Create(object)
	return unknown, oneEach(append(errs, largeNumbers(nil, s.Structural, object)...))
}

// largeNumbers reports numbers that the schema accepts and intstr.IntOrString cannot hold.
func largeNumbers(path *field.Path, s *schema.Structural, value any) field.ErrorList {
	var errs field.ErrorList
	switch value := value.(type) {
	case int64:
		if s.XIntOrString && value != int64(int32(value)) {
			errs = append(errs, field.Invalid(path, value, "is too large for a number: write it as a string, in quotes"))
		}
	case []any:
		for i, item := range value {
			if s.Items != nil {
				errs = append(errs, largeNumbers(path.Index(i), s.Items, item)...)
			}
		}
	case map[string]any:
		for key, item := range value {
			if property, ok := s.Properties[key]; ok {
				errs = append(errs, largeNumbers(path.Child(key), &property, item)...)
			} else if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
				errs = append(errs, largeNumbers(path.Key(key), s.AdditionalProperties.Structural, item)...)
			}
		}
	}
	return errs
}

// pathInText finds the path in a message of the validator, which has no Field for some numbers.
var pathInText = regexp.MustCompile(`(?: in |^")([^\s"]+)(?:$|")`)

// oneEach keeps one error per path: for one wrong value the validator reports its type, its format
// and each alternative.
func oneEach(errs field.ErrorList) field.ErrorList {
	var out field.ErrorList
	seen := map[string]bool{}
	add := func(err *field.Error) {
		if !seen[err.Field] {
			out = append(out, err)
		}
		seen[err.Field] = true
	}
	for _, err := range errs {
		if err.Field != noPath {
			add(err)
		}
	}
	for _, err := range errs {
		if err.Field != noPath {
			continue
		}
		if m := pathInText.FindStringSubmatch(err.Detail); m != nil {
			err.Field, err.BadValue = m[1], field.OmitValueType{}
		}
		add(err)
	}
	return out
}
