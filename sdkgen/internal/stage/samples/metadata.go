package samples

import (
	"bytes"
	"encoding/json"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// unknownField is the type of the error for a field that ObjectMeta does not have.
const unknownField field.ErrorType = "unknown field"

// metadata returns the errors for which the API server refuses an object's metadata.
func (k *kind) metadata(object map[string]any) field.ErrorList {
	at := field.NewPath("metadata")
	data, err := json.Marshal(object["metadata"])
	if err != nil {
		return field.ErrorList{field.Invalid(at, nil, err.Error())}
	}
	var meta metav1.ObjectMeta
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&meta); err != nil {
		message := strings.TrimPrefix(err.Error(), "json: ")
		if name, ok := strings.CutPrefix(message, "unknown field "); ok {
			at = at.Child(strings.Trim(name, `"`))
		}
		return field.ErrorList{&field.Error{Type: unknownField, Field: at.String(), Detail: message}}
	}
	namespaced := k.definition.Spec.Scope == apiextensionsv1.NamespaceScoped
	if namespaced && meta.Namespace == "" {
		meta.Namespace = metav1.NamespaceDefault // the one that kubectl fills in
	}
	return validation.ValidateObjectMeta(&meta, namespaced, validation.NameIsDNSSubdomain, at)
}
