package model

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// setDefault decides a type's default: it is the one that the CRD's schema has, and no other. Of a string it is a
// string, of
// a list []any, of an object map[string]any; a number is a float64, or a json.Number where that cannot hold the
// integer.
func (t *Type) setDefault(declared *apiextensionsv1.JSON) (err error) {
	if declared != nil {
		t.Default, err = Value(declared.Raw)
	}
	return err
}

// SetFields gives an object its fields, in the order of their keys.
func (t *Type) SetFields(fields []*Field) {
	t.Fields = fields
	t.require(false)
}

// require decides which fields of a type must be set. The API server sets what has a default; the classes of
// Kubernetes' own clients insist on such a field, too.
func (t *Type) require(kubernetes bool) {
	for _, field := range t.Fields {
		field.Required = slices.Contains(t.Keywords.Required, field.Key)
		field.Mandatory = field.Required && (field.Default == nil || kubernetes)
	}
}

// Value returns a JSON value. Numbers are float64, but integers that a float64 may not hold are json.Number.
func Value(raw []byte) (any, error) {
	var value any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&value); err != nil {
		return nil, err
	}
	return exactFloats(value), nil
}

// maxExact is the largest integer up to which float64 holds every one.
const maxExact = 1 << 53

// exactFloats turns the json.Numbers in a decoded value into float64, where that changes nothing.
func exactFloats(value any) any {
	switch value := value.(type) {
	case json.Number:
		i, err := value.Int64()
		f, floatErr := value.Float64()
		isInteger := !strings.ContainsAny(string(value), ".eE")
		if floatErr != nil || isInteger && (err != nil || i > maxExact || i < -maxExact) {
			return value
		}
		return f
	case []any:
		for i, item := range value {
			value[i] = exactFloats(item)
		}
	case map[string]any:
		for key, item := range value {
			value[key] = exactFloats(item)
		}
	}
	return value
}
