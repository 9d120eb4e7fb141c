package gotypes

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-tools/pkg/crd"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/server"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// validateCRDs returns the errors of the API server's own validation of an API's CRDs: a recursive type, a default that
// lacks
// a required property, a CEL rule that does not compile or costs too much. Each is positioned where the field is
// declared, or, for one in another package, where the API refers to it.
func validateCRDs(api *model.API, source model.Source) diag.List {
	var list diag.List
	for _, root := range api.Definitions {
		if root.Root == nil || root.Root.Version != api.Version {
			continue
		}
		definition := source.CRD(root.Root.Kind)
		if definition == nil {
			continue
		}
		errs, err := validateCRD(definition)
		if err != nil {
			list.Add(source.Locate(root.GoType.String(), ""), "swagger", "", "validating the CRD of %s: %v", root.Root.Kind, err)
		}
		for _, found := range errs {
			if path, ok := ofVersion(found.Field, definition, api.Version); ok {
				at := locate(source, root, path)
				list.Add(at.pos, "swagger", validationHint(found), "%s: the API server refuses the CRD: %s", at.name,
					at.message(found))
			}
		}
	}
	return list.Sorted()
}

// validateCRD runs the API server's validation.
func validateCRD(definition *apiextensionsv1.CustomResourceDefinition) (field.ErrorList, error) {
	installed := *definition.DeepCopy()
	crd.FixTopLevelMetadata(installed)
	return server.Install(&installed)
}

// ofVersion strips the path to a version's schema from the path of an error; false if that is of
// another version. A schema that all versions share is at the top.
func ofVersion(path string, definition *apiextensionsv1.CustomResourceDefinition, version string) (string, bool) {
	for i, v := range definition.Spec.Versions {
		if rest, ok := strings.CutPrefix(path, fmt.Sprintf("spec.versions[%d].", i)); ok {
			return strings.TrimPrefix(rest, "schema.openAPIV3Schema"), v.Name == version
		}
	}
	return strings.TrimPrefix(path, "spec.validation.openAPIV3Schema"), true
}

// located is the field that the path of an error leads to.
type located struct {
	name string // Widget.spec.parts[].name
	pos  token.Position
	rest string // the remainder of the path: default.name
}

// locate follows a path in the schema of a kind's CRD through the model.
func locate(source model.Source, root *model.Definition, path string) located {
	owner := root.GoType.String()
	at := located{name: root.Root.Kind, pos: source.Locate(owner, ""), rest: strings.TrimPrefix(path, ".")}
	for t := &root.Type; ; {
		if t.Definition != nil {
			owner, t = t.Definition.GoType.String(), &t.Definition.Type
		}
		step, rest, _ := strings.Cut(at.rest, ".")
		switch {
		case strings.HasPrefix(at.rest, "properties["):
			name, after, _ := strings.Cut(strings.TrimPrefix(at.rest, "properties["), "]")
			i := slices.IndexFunc(t.Fields, func(field *model.Field) bool { return field.Key == name })
			if i < 0 {
				return at
			}
			if pos := source.Locate(owner, name); pos.IsValid() {
				at.pos = pos
			}
			at.name, t, rest = at.name+"."+name, &t.Fields[i].Type, strings.TrimPrefix(after, ".")
		case step == "items" && t.Shape == model.Array && t.Elem != nil:
			at.name, t = at.name+"[]", t.Elem
		case step == "additionalProperties" && t.Shape == model.Map && t.Elem != nil:
			at.name, t = at.name+"{}", t.Elem
		default:
			return at
		}
		at.rest = rest
	}
}

// message is an error of the API server on one line. Further lines draw an arrow below a CEL rule.
func (at located) message(found *field.Error) string {
	text, _, _ := strings.Cut(found.ErrorBody(), "\n")
	switch found.BadValue.(type) {
	case string, bool, int, int64, float64:
	default: // a whole schema
		text = strings.TrimSuffix(found.Type.String()+": "+found.Detail, ": ")
	}
	if at.rest != "" {
		text = at.rest + ": " + text
	}
	return text
}

// validationHint says what to write where the API server's message does not.
func validationHint(found *field.Error) string {
	switch {
	case strings.HasPrefix(found.Detail, "must not be empty for specified"):
		return "a recursive type, and one without a schema, must be left open:\n// +kubebuilder:validation:Schemaless\n// " +
			"+kubebuilder:pruning:PreserveUnknownFields"
	case strings.HasPrefix(found.Detail, "uniqueItems cannot be set"):
		return "+listType=set"
	}
	return ""
}
