package gotypes

import (
	"go/token"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"
)

// Steps of a path to an item of a list and to a value of a map; the others are the keys of properties.
const (
	ItemStep  = "[]"
	ValueStep = "{}"
)

// FieldPosition returns where the field at a path below a Go type is declared, or the last one on the way that is
// known.
func (s *Source) FieldPosition(goType string, steps []string) token.Position {
	pos := s.Position(goType, "")
	schemas, err := s.Schemas()
	if err != nil {
		return pos
	}
	at, _ := schemas.Schema(goType)
	for _, step := range steps {
		owner, next := stepInto(schemas, goType, at, step)
		if next == nil {
			break
		}
		if found := s.Position(owner, step); found.IsValid() && step != ItemStep && step != ValueStep {
			pos = found
		}
		goType, at = owner, *next
	}
	return pos
}

// stepInto returns the schema one step below that of a Go type, or below what it refers to, and the Go type that has
// it.
func stepInto(
	schemas *Schemas, goType string, at apiextensionsv1.JSONSchemaProps, step string,
) (string, *apiextensionsv1.JSONSchemaProps) {
	switch property, ok := at.Properties[step]; {
	case ok:
		return goType, &property
	case step == ItemStep && at.Items != nil:
		return goType, at.Items.Schema
	case step == ValueStep && at.AdditionalProperties != nil:
		return goType, at.AdditionalProperties.Schema
	case at.Ref != nil:
		name, pkg, err := crd.RefParts(*at.Ref)
		if err != nil {
			return "", nil
		}
		referred, _ := schemas.Schema(pkg + "." + name)
		return stepInto(schemas, pkg+"."+name, referred, step)
	}
	for _, part := range at.AllOf { // types that are inline, and references with more beside them
		if owner, next := stepInto(schemas, goType, part, step); next != nil {
			return owner, next
		}
	}
	return "", nil
}
