package minicluster

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/config/crd"
)

// schema is what the schema of the CustomResourceDefinition says about lengths.
type schema struct {
	Properties           map[string]*schema `json:"properties"`
	Items                *schema            `json:"items"`
	AdditionalProperties *schema            `json:"additionalProperties"`
	MaxLength            *int               `json:"maxLength"`
	MaxItems             *int               `json:"maxItems"`
	MaxProperties        *int               `json:"maxProperties"`
}

// specSchema returns the schema of the spec.
var specSchema = sync.OnceValues(func() (*schema, error) {
	var manifest struct {
		Spec struct {
			Versions []struct {
				Name   string `json:"name"`
				Schema struct {
					OpenAPIV3Schema schema `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(crd.MiniClusters, &manifest); err != nil {
		return nil, fmt.Errorf("reading the CustomResourceDefinition: %w", err)
	}
	for _, version := range manifest.Spec.Versions {
		if spec := version.Schema.OpenAPIV3Schema.Properties["spec"]; version.Name == api.SchemeGroupVersion.Version &&
			spec != nil {
			return spec, nil
		}
	}
	return nil, fmt.Errorf("the CustomResourceDefinition has no spec of version %s", api.SchemeGroupVersion.Version)
})

// checkBounds checks the limits of the schema: Helm does not upgrade the CustomResourceDefinition of a
// cluster, and what is stored may be older. Keys and values of maps are not checked.
func checkBounds(mc *api.MiniCluster) field.ErrorList {
	path := field.NewPath("spec")
	s, err := specSchema()
	if err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	c := &checks{}
	c.bounds(path, reflect.ValueOf(mc.Spec), s)
	return c.errs
}

// bounds checks a value and what it contains. A list or map that is too large is not looked into.
func (c *checks) bounds(path *field.Path, v reflect.Value, s *schema) {
	over := func(n int, most *int) bool { return most != nil && n > *most }
	switch v.Kind() {
	case reflect.String:
		if over(v.Len(), s.MaxLength) && over(utf8.RuneCountInString(v.String()), s.MaxLength) {
			c.add(field.TooLongCharacters(path, "", *s.MaxLength))
		}
		return
	case reflect.Slice:
		if over(v.Len(), s.MaxItems) {
			c.add(field.TooMany(path, v.Len(), *s.MaxItems))
			return
		}
	case reflect.Map:
		if over(v.Len(), s.MaxProperties) {
			c.add(field.TooMany(path, v.Len(), *s.MaxProperties))
			return
		}
	}
	for part, value := range parts(v) {
		if inner := s.of(v.Kind(), part); inner != nil {
			c.bounds(part.under(path), value, inner)
		}
	}
}

// of returns the schema of a part of a value.
func (s *schema) of(kind reflect.Kind, p part) *schema {
	switch kind {
	case reflect.Slice:
		return s.Items
	case reflect.Map:
		return s.AdditionalProperties
	}
	return s.Properties[p.name]
}

// part names a part of a value: a field, a key of a map or an index of a list.
type part struct {
	kind  reflect.Kind // of the value that it is a part of
	name  string
	index int
}

func (p part) under(path *field.Path) *field.Path {
	switch p.kind {
	case reflect.Slice:
		return path.Index(p.index)
	case reflect.Map:
		return path.Key(p.name)
	}
	return path.Child(p.name)
}

// parts iterates over the fields of a struct, the values of a map in key order or the items of a list.
func parts(v reflect.Value) iter.Seq2[part, reflect.Value] {
	return func(yield func(part, reflect.Value) bool) {
		switch v.Kind() {
		case reflect.Slice:
			for i := range v.Len() {
				if !yield(part{kind: reflect.Slice, index: i}, v.Index(i)) {
					return
				}
			}
		case reflect.Map:
			keys := v.MapKeys()
			slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
			for _, key := range keys {
				if !yield(part{kind: reflect.Map, name: key.String()}, v.MapIndex(key)) {
					return
				}
			}
		case reflect.Struct:
			for i := range v.NumField() {
				name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
				value := v.Field(i)
				for value.Kind() == reflect.Pointer && !value.IsNil() {
					value = value.Elem()
				}
				if name != "" && !yield(part{kind: reflect.Struct, name: name}, value) {
					return
				}
			}
		}
	}
}
