package swagger

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/go-openapi/spec"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-tools/pkg/crd"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/server"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// ValidateCRDs returns the errors of the API server's own validation of the CRDs of an API, of which
// doc is the document: a recursive type, a default that lacks a required property, a CEL rule that does
// not compile or costs too much. Each is positioned where the field is declared, or, for one in another
// package, where the API refers to it.
func ValidateCRDs(doc *spec.Swagger, api API) diag.List {
	var list diag.List
	if api.CRD == nil {
		return nil
	}
	for _, kind := range api.Kinds {
		if kind.List {
			continue
		}
		definition := api.CRD(kind.Name)
		if definition == nil {
			continue
		}
		errs, err := validateCRD(definition)
		if err != nil {
			list.Add(api.Locate(api.Package+"."+kind.Name, ""), rule, "", "validating the CRD of %s: %v", kind.Name, err)
		}
		for _, found := range errs {
			if path, ok := ofVersion(found.Field, definition, api.Version); ok {
				at := locate(doc, api, kind.Name, path)
				list.Add(at.pos, rule, validationHint(found), "%s: the API server refuses the CRD: %s", at.name, at.message(found))
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

// locate follows a path in the schema of a kind's CRD through the document.
func locate(doc *spec.Swagger, api API, kind, path string) located {
	owner := api.Package + "." + kind
	at := located{name: kind, pos: api.Locate(owner, ""), rest: strings.TrimPrefix(path, ".")}
	var schema spec.Schema
	for name, definition := range doc.Definitions {
		if pkg, goType := GoType(definition); pkg+"."+goType == owner {
			schema = doc.Definitions[name]
		}
	}
	for {
		if target, ok := doc.Definitions[Referenced(schema)]; ok {
			pkg, goType := GoType(target)
			schema, owner = target, pkg+"."+goType
		}
		step, rest, _ := strings.Cut(at.rest, ".")
		switch {
		case strings.HasPrefix(at.rest, "properties["):
			name, after, _ := strings.Cut(strings.TrimPrefix(at.rest, "properties["), "]")
			property, ok := schema.Properties[name]
			if !ok {
				return at
			}
			if pos := api.Locate(owner, name); pos.IsValid() {
				at.pos = pos
			}
			at.name, schema, rest = at.name+"."+name, property, strings.TrimPrefix(after, ".")
		case step == "items" && schema.Items != nil && schema.Items.Schema != nil:
			at.name, schema = at.name+items, *schema.Items.Schema
		case step == "additionalProperties" && schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil:
			at.name, schema = at.name+values, *schema.AdditionalProperties.Schema
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
		return "a recursive type, and one without a schema, must be left open:\n// +kubebuilder:validation:Schemaless\n// +kubebuilder:pruning:PreserveUnknownFields"
	case strings.HasPrefix(found.Detail, "uniqueItems cannot be set"):
		return "+listType=set"
	}
	return ""
}
