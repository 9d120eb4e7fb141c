package server

import (
	"context"
	"math"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
)

// validate validates an object; old is nil when it is created.
func (v *Version) validate(object, old map[string]any, ratcheting bool) field.ErrorList {
	var errs field.ErrorList
	var correlated *common.CorrelatedObject
	switch {
	case old == nil || !ratcheting:
		errs = validation.ValidateCustomResource(nil, object, v.validator)
	default:
		correlated = common.NewCorrelatedObject(object, old, &model.Structural{Structural: v.structural})
		errs = validation.ValidateCustomResourceUpdate(nil, object, old, v.validator, validation.WithRatcheting(correlated))
	}
	errs = append(errs, v.scaled(object, true)...)
	errs = append(errs, objectmeta.Validate(context.Background(), nil, object, v.structural, false)...)
	errs = append(errs, v.duplicates(object, old)...)
	return append(errs, v.rules(object, old, correlated, errs)...)
}

// UpdateStatus returns the errors for which the API server refuses to replace the status of a stored object through the
// status subresource. Both are as Read returns them.
func (v *Version) UpdateStatus(object, stored map[string]any, ratcheting bool) field.ErrorList {
	status, ok := object["status"]
	object = runtime.DeepCopyJSON(stored)
	delete(object, "status")
	if ok {
		object["status"] = runtime.DeepCopyJSONValue(status)
	}
	var correlated *common.CorrelatedObject
	var options []validation.ValidationOption
	if ratcheting {
		correlated = common.NewCorrelatedObject(object, stored, &model.Structural{Structural: v.structural})
		options = append(options, validation.WithRatcheting(correlated.Key("status")))
	}
	var errs field.ErrorList
	if ok && v.statusValidator != nil {
		errs = validation.ValidateCustomResourceUpdate(field.NewPath("status"), status, stored["status"], v.statusValidator,
			options...)
	}
	errs = append(errs, v.scaled(object, false)...)
	errs = append(errs, v.duplicates(object, stored)...)
	return append(errs, v.rules(object, stored, correlated, errs)...)
}

// duplicates validates sets and list maps. The API server does so only if the old object had no such error anywhere.
func (v *Version) duplicates(object, old map[string]any) field.ErrorList {
	if old != nil && len(listtype.ValidateListSetsAndMaps(nil, v.structural, old)) > 0 {
		return nil
	}
	return listtype.ValidateListSetsAndMaps(nil, v.structural, object)
}

// rules evaluates the CEL rules, unless an error blocks them; correlated is nil without ratcheting.
func (v *Version) rules(
	object, old map[string]any, correlated *common.CorrelatedObject, errs field.ErrorList,
) field.ErrorList {
	if v.cel == nil || slices.ContainsFunc(errs, BlocksRules) {
		return nil
	}
	var before any // a nil map would be an old object
	if old != nil {
		before = old
	}
	var options []cel.Option
	if correlated != nil {
		options = append(options, cel.WithRatcheting(correlated))
	}
	found, _ := v.cel.Validate(context.Background(), nil, v.structural, object, before, celconfig.RuntimeCELCostBudget,
		options...)
	return found
}

// BlocksRules says whether no CEL rule is evaluated on an object that has the error.
func BlocksRules(err *field.Error) bool {
	blocking := []field.ErrorType{
		field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany,
		field.ErrorTypeTypeInvalid,
	}
	return slices.Contains(blocking, err.Type)
}

// scaled validates what the scale subresource reads; the replicas of the spec only if they can be written.
func (v *Version) scaled(object map[string]any, spec bool) field.ErrorList {
	if v.scale == nil {
		return nil
	}
	var errs field.ErrorList
	if spec {
		errs = append(errs, replicas(object, v.scale.SpecReplicasPath)...)
	}
	errs = append(errs, replicas(object, v.scale.StatusReplicasPath)...)
	if path := v.scale.LabelSelectorPath; path != nil {
		if value, _, err := unstructured.NestedString(object, keysOf(*path)...); err != nil {
			errs = append(errs, field.Invalid(field.NewPath(*path), value, err.Error()))
		}
	}
	return errs
}

func replicas(object map[string]any, path string) field.ErrorList {
	n, _, err := unstructured.NestedInt64(object, keysOf(path)...)
	switch {
	case err != nil:
		return field.ErrorList{field.Invalid(field.NewPath(path), n, err.Error())}
	case n < 0:
		return field.ErrorList{field.Invalid(field.NewPath(path), n, "should be a non-negative integer")}
	case n > math.MaxInt32:
		return field.ErrorList{field.Invalid(field.NewPath(path), n, "should be less than or equal to 2147483647")}
	}
	return nil
}

func keysOf(path string) []string { return strings.Split(strings.TrimPrefix(path, "."), ".") }
