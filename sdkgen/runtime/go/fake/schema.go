package fake

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kube-openapi/pkg/validation/errors"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
)

//go:embed *.json
var schemas embed.FS

// resource is a kind of the API, as its CustomResourceDefinition would define it.
type resource struct {
	Group, Version, Kind, Plural string
	List                         string // its kind
	Namespaced, Status           bool
	Definition                   string // its name among the definitions

	schema *spec.Schema // without references, and without a schema of the metadata
	types  managedfields.TypeConverter
}

func (r *resource) groupVersion() schema.GroupVersion {
	return schema.GroupVersion{Group: r.Group, Version: r.Version}
}
func (r *resource) kind() schema.GroupVersionKind { return r.groupVersion().WithKind(r.Kind) }
func (r *resource) groupKind() schema.GroupKind   { return r.kind().GroupKind() }
func (r *resource) groupResource() schema.GroupResource {
	return schema.GroupResource{Group: r.Group, Resource: r.Plural}
}

// resources reads those of all schemas.
func resources() (all []*resource, err error) {
	files, err := fs.Glob(schemas, "*.json")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		data, err := schemas.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var document struct {
			Resources   []*resource
			Definitions map[string]*spec.Schema
		}
		if err := json.Unmarshal(data, &document); err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		types, err := managedfields.NewTypeConverter(document.Definitions, false)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		for _, r := range document.Resources {
			r.types = types
			r.schema = inline(document.Definitions[r.Definition], document.Definitions, nil)
			r.schema.Properties["metadata"] = spec.Schema{}
			all = append(all, r)
		}
	}
	return all, nil
}

// inline returns a schema with those that it refers to in it. within are the references that lead here; one of them again
// allows everything.
func inline(s *spec.Schema, all map[string]*spec.Schema, within []string) *spec.Schema {
	out := *s
	if ref := s.Ref.String(); ref != "" {
		name := strings.TrimPrefix(ref, "#/definitions/")
		if all[name] == nil || slices.Contains(within, name) {
			return &spec.Schema{}
		}
		out = *inline(all[name], all, append(within[:len(within):len(within)], name))
		if s.Default != nil {
			out.Default = s.Default
		}
		return &out
	}
	if out.Extensions["x-kubernetes-int-or-string"] == true {
		out.Type, out.Format = nil, ""
	}
	out.Properties = maps.Clone(s.Properties)
	for name, property := range out.Properties {
		out.Properties[name] = *inline(&property, all, within)
	}
	if s.Items != nil && s.Items.Schema != nil {
		out.Items = &spec.SchemaOrArray{Schema: inline(s.Items.Schema, all, within)}
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		out.AdditionalProperties = &spec.SchemaOrBool{Allows: true, Schema: inline(s.AdditionalProperties.Schema, all, within)}
	}
	return &out
}

// prune removes the fields that a schema does not have and returns their paths.
func prune(value any, s *spec.Schema, path string) (unknown []string) {
	switch value := value.(type) {
	case []any:
		for i, elem := range value {
			if s.Items != nil && s.Items.Schema != nil {
				unknown = append(unknown, prune(elem, s.Items.Schema, fmt.Sprintf("%s[%d]", path, i))...)
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			at := strings.TrimPrefix(path+"."+key, ".")
			if property, ok := s.Properties[key]; ok {
				unknown = append(unknown, prune(value[key], &property, at)...)
			} else if more := s.AdditionalProperties; more != nil && more.Schema != nil {
				unknown = append(unknown, prune(value[key], more.Schema, at)...)
			} else if len(s.Properties) > 0 && s.Extensions["x-kubernetes-preserve-unknown-fields"] != true {
				unknown = append(unknown, at)
				delete(value, key)
			}
		}
	}
	return unknown
}

// setDefaults sets the fields that are not there and have a default.
func setDefaults(value any, s *spec.Schema) error {
	switch value := value.(type) {
	case []any:
		for _, elem := range value {
			if s.Items != nil && s.Items.Schema != nil {
				if err := setDefaults(elem, s.Items.Schema); err != nil {
					return err
				}
			}
		}
	case map[string]any:
		for key, property := range s.Properties {
			if value[key] == nil && property.Default != nil {
				set, err := plain(property.Default)
				if err != nil {
					return err
				}
				value[key] = set
			}
			if err := setDefaults(value[key], &property); err != nil {
				return err
			}
		}
		if more := s.AdditionalProperties; more != nil && more.Schema != nil {
			for _, elem := range value {
				if err := setDefaults(elem, more.Schema); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// plain returns a copy of a JSON value with integers of type int64.
func plain(value any) (out any, err error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return out, utiljson.Unmarshal(data, &out)
}

// validateSchema returns what of an object the schema refuses.
func (r *resource) validateSchema(object map[string]any) (all field.ErrorList) {
	for _, err := range validate.NewSchemaValidator(r.schema, nil, "", strfmt.Default).Validate(object).Errors {
		all = append(all, fieldError(err))
	}
	return all
}

// fieldError turns an error of the schema's validator into the API server's.
func fieldError(err error) *field.Error {
	invalid, ok := err.(*errors.Validation)
	if !ok {
		return field.Invalid(nil, "", err.Error())
	}
	path := field.NewPath(strings.TrimPrefix(invalid.Name, "."))
	switch invalid.Code() {
	case errors.RequiredFailCode:
		return field.Required(path, "")
	case errors.InvalidTypeCode:
		return field.TypeInvalid(path, invalid.Value, err.Error())
	case errors.EnumFailCode:
		var values []string
		for _, value := range invalid.Values {
			values = append(values, fmt.Sprint(value))
		}
		return field.NotSupported(path, invalid.Value, values)
	}
	return field.Invalid(path, invalid.Value, err.Error())
}
