package schemas

import (
	"maps"
	"slices"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
)

// validations adds the constraints of a value, of which s is the structure.
func validations(out node, v *structuralschema.ValueValidation, s *structuralschema.Structural) {
	if len(v.Enum) > 0 {
		values := []any{}
		for _, value := range v.Enum {
			if value.Object != nil { // null is in no enumeration of the API server's
				values = append(values, value.Object)
			}
		}
		out["enum"] = values
	}
	text(out, v)
	numbers(out, v)
	addFormat(out, v.Format)
	for keyword, bound := range map[string]*int64{"minItems": v.MinItems, "maxItems": v.MaxItems,
		"maxProperties": v.MaxProperties} {
		if bound != nil {
			out[keyword] = *bound
		}
	}
	if v.UniqueItems {
		out["uniqueItems"] = true
	}
	required(out, v.Required, s)
	leastProperties(out, v.MinProperties, s)
	for keyword, branches := range map[string][]structuralschema.NestedValueValidation{"allOf": v.AllOf, "anyOf": v.AnyOf,
		"oneOf": v.OneOf} {
		for i := range branches {
			list, _ := out[keyword].([]any)
			out[keyword] = append(list, nested(&branches[i], s))
		}
	}
	if v.Not != nil {
		out["not"] = nested(v.Not, s)
	}
}

func text(out node, v *structuralschema.ValueValidation) {
	if v.MinLength != nil {
		out["minLength"] = *v.MinLength
	}
	if v.MaxLength != nil {
		out["maxLength"] = *v.MaxLength
	}
	if v.Pattern != "" {
		out["pattern"] = v.Pattern
	}
}

func numbers(out node, v *structuralschema.ValueValidation) {
	if v.Minimum != nil {
		keyword := "minimum"
		if v.ExclusiveMinimum {
			keyword = "exclusiveMinimum"
		}
		out[keyword] = *v.Minimum
	}
	if v.Maximum != nil {
		keyword := "maximum"
		if v.ExclusiveMaximum {
			keyword = "exclusiveMaximum"
		}
		out[keyword] = *v.Maximum
	}
	if v.MultipleOf != nil {
		out["multipleOf"] = *v.MultipleOf
	}
}

// required adds the fields that must be set: what has a default is when the API server validates.
func required(out node, keys []string, s *structuralschema.Structural) {
	var left []string
	for _, key := range keys {
		if property, ok := s.Properties[key]; !ok || property.Default.Object == nil {
			left = append(left, key)
		}
	}
	if len(left) > 0 {
		out["required"] = left
	}
}

// leastProperties adds how many fields must be set. Those with a default are, and a null that the API server drops is
// not: JSON Schema can count one field besides, and of more only how many keys there are.
func leastProperties(out node, bound *int64, s *structuralschema.Structural) {
	if bound == nil {
		return
	}
	left, defaulted := *bound, node{}
	for key, property := range s.Properties {
		if property.Default.Object != nil {
			defaulted[key] = true
			left--
		}
	}
	if left > 0 {
		out["minProperties"] = left
		list, _ := out["allOf"].([]any)
		out["allOf"] = append(list, node{"not": node{"properties": defaulted, "additionalProperties": node{"type": "null"}}})
	}
}

// nested returns the schema of a branch of a composition, of which s is the structure. The branch is evaluated on the
// value that has its defaults, and has lost nulls.
func nested(v *structuralschema.NestedValueValidation, s *structuralschema.Structural) node {
	out := node{}
	if v.ForbiddenGenerics.Type != "" { // as an int-or-string may have it
		out["type"] = v.ForbiddenGenerics.Type
	}
	validations(out, &v.ValueValidation, s)
	if len(v.XValidations) > 0 {
		out[rulesExtension] = v.XValidations
	}
	if v.Items != nil && s.Items != nil {
		out["items"] = nested(v.Items, s.Items)
	}
	if v.AdditionalProperties != nil && s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		out["additionalProperties"] = orNull(nested(v.AdditionalProperties, s.AdditionalProperties.Structural))
	}
	keys := slices.Sorted(maps.Keys(v.Properties))
	for _, key := range v.Required {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		if below := propertyOf(s, key); below != nil {
			nestedProperty(out, v, key, s, below)
		}
	}
	return out
}

// nestedProperty adds what a branch says of a property. below is its structure.
func nestedProperty(
	out node, v *structuralschema.NestedValueValidation, key string, s, below *structuralschema.Structural,
) {
	property, declared := v.Properties[key]
	found := node{}
	if declared {
		found = nested(&property, below)
	}
	null := !slices.Contains(v.Required, key)
	if below.Nullable {
		null = len(property.Enum) == 0
	} else if below.Default.Object != nil {
		if null = accepts(&property, below); !null {
			list, _ := out["required"].([]string)
			out["required"] = append(slices.Clone(list), key)
		}
	}
	always := s.ValueValidation != nil && slices.Contains(s.ValueValidation.Required, key) && below.Default.Object == nil
	switch {
	case null:
		found = orNull(found)
	case !always:
		found = notNull(found)
	}
	if len(found) == 0 {
		return
	}
	properties, ok := out["properties"].(node)
	if !ok {
		properties = node{}
		out["properties"] = properties
	}
	properties[key] = found
}

// propertyOf returns the structure of a field of an object, or of a value of a map; nil if there is none.
func propertyOf(s *structuralschema.Structural, key string) *structuralschema.Structural {
	if property, ok := s.Properties[key]; ok {
		return &property
	}
	if s.AdditionalProperties != nil {
		return s.AdditionalProperties.Structural
	}
	return nil
}

// accepts says whether a branch accepts the default of a value.
func accepts(v *structuralschema.NestedValueValidation, s *structuralschema.Structural) bool {
	branch := structuralschema.Structural{ValueValidation: &structuralschema.ValueValidation{AllOf: []structuralschema.NestedValueValidation{*v}}}
	value := runtime.DeepCopyJSONValue(s.Default.Object)
	defaulting.Default(value, s)
	return validate.NewSchemaValidator(branch.ToKubeOpenAPI(), nil, "", strfmt.Default).Validate(value).IsValid()
}

// withoutIntOrString returns the constraints of a value without the branches for integers and strings: its type says
// so.
func withoutIntOrString(s *structuralschema.Structural) *structuralschema.ValueValidation {
	v := *s.ValueValidation
	if !s.XIntOrString {
		return &v
	}
	both := func(branches []structuralschema.NestedValueValidation) bool {
		return len(branches) == 2 && branches[0].ForbiddenGenerics.Type == "integer" &&
			branches[1].ForbiddenGenerics.Type == "string"
	}
	if both(v.AnyOf) {
		v.AnyOf = nil
	}
	v.AllOf = slices.DeleteFunc(slices.Clone(v.AllOf),
		func(branch structuralschema.NestedValueValidation) bool { return both(branch.AnyOf) })
	return &v
}
