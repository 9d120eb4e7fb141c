package model

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/go-openapi/spec"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/constraint"
)

// NewType returns the type that a schema of a CRD describes, without what is below it: the caller sets Definition, Elem
// and Fields. The schema has no reference.
func NewType(schema *apiextensionsv1.JSONSchemaProps) (*Type, error) {
	own := *schema.DeepCopy()
	t := &Type{Description: own.Description, Nullable: own.Nullable, CEL: own.XValidations, MapKeys: own.XListMapKeys}
	isMap := own.AdditionalProperties != nil
	own.Description, own.Properties, own.Items = "", nil, nil
	if isMap && own.AdditionalProperties.Schema != nil {
		own.AdditionalProperties = nil
	}
	own.AllOf = slices.DeleteFunc(own.AllOf, func(part apiextensionsv1.JSONSchemaProps) bool {
		return equality.Semantic.DeepEqual(part, apiextensionsv1.JSONSchemaProps{})
	})
	if own.XIntOrString {
		// Swagger 2.0 has no type for "integer or string": the API server's own document leaves it out.
		own.AnyOf, own.Format = nil, cmp.Or(own.Format, "int-or-string")
	}
	t.Keywords, t.Format = own, own.Format
	if own.XListType != nil {
		t.ListType = *own.XListType
	}
	t.Open = own.XPreserveUnknownFields != nil && *own.XPreserveUnknownFields
	switch t.Shape = shapeOf(own.Type, own.Format); {
	case own.XIntOrString:
		t.Shape = IntOrString
	case t.Shape == Object && isMap:
		t.Shape = Map
	}
	if err := t.setDefault(own.Default); err != nil {
		return nil, err
	}
	return t, t.constrain()
}

var shapes = map[string]Shape{
	"string": String, "integer": Integer, "number": Number, "boolean": Boolean, "array": Array, "object": Object,
}

func shapeOf(name, format string) Shape {
	if name == "string" && format == "date-time" {
		return Time
	}
	return shapes[name]
}

// constrain sets the constraints: the schema's, with the ones of its allOf, as far as its own keywords can say them.
func (t *Type) constrain() (err error) {
	if t.SchemaValidations, err = validations(&t.Keywords); err != nil {
		return err
	}
	var parts []constraint.Keywords
	for i := range t.Keywords.AllOf {
		part := &t.Keywords.AllOf[i]
		if len(part.AllOf) > 0 {
			continue
		}
		own, err := validations(part)
		if err != nil {
			return err
		}
		parts = append(parts, keywords(own))
	}
	if len(parts) == 0 {
		return nil
	}
	if merged, ok := constraint.Merge(keywords(t.SchemaValidations), parts...); ok {
		t.SchemaValidations = spec.SchemaValidations{}
		into(&t.SchemaValidations, merged)
	}
	return nil
}

func validations(s *apiextensionsv1.JSONSchemaProps) (spec.SchemaValidations, error) {
	out := spec.SchemaValidations{
		CommonValidations: spec.CommonValidations{
			Maximum: s.Maximum, ExclusiveMaximum: s.ExclusiveMaximum, Minimum: s.Minimum, ExclusiveMinimum: s.ExclusiveMinimum,
			MaxLength: s.MaxLength, MinLength: s.MinLength, Pattern: s.Pattern, MaxItems: s.MaxItems, MinItems: s.MinItems,
			UniqueItems: s.UniqueItems, MultipleOf: s.MultipleOf,
		},
		MaxProperties: s.MaxProperties, MinProperties: s.MinProperties,
	}
	for _, one := range s.Enum {
		value, err := Value(one.Raw)
		if err != nil {
			return out, err
		}
		out.Enum = append(out.Enum, value)
	}
	return out, nil
}

// into copies what JSON says alike of both.
func into(out, from any) {
	if data, err := json.Marshal(from); err == nil {
		_ = json.Unmarshal(data, out)
	}
}

func keywords(own spec.SchemaValidations) constraint.Keywords {
	out := constraint.Keywords{}
	into(&out, own)
	return out
}

// Schema returns the type as the schema that a CRD would have, without properties. The title of a definition's is the
// name of its Go type. t may be nil.
func (t *Type) Schema() *constraint.Schema {
	if t == nil {
		return &constraint.Schema{}
	}
	out := t.Keywords.DeepCopy()
	out.Title, out.Default, out.Required, out.AdditionalProperties = "", nil, nil, nil
	switch t.Shape {
	case Time:
		out.Format = "date-time"
	case IntOrString:
		out.Type, out.Format = "", ""
	case Array:
		out.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: t.Elem.Schema()}
	case Map:
		out.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: t.Elem.Schema()}
	case Reference:
		target := t.Definition
		out.Type, out.Title = "object", target.GoType.Name
		out.MinProperties, out.MaxProperties = cmp.Or(out.MinProperties, target.MinProperties),
			cmp.Or(out.MaxProperties, target.MaxProperties)
		out.XValidations = append(out.XValidations, target.CEL...)
		if target.Open {
			out.XPreserveUnknownFields = &target.Open
		}
	}
	return out
}
