package gocode

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func TestUnresolved(t *testing.T) {
	yes := true
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	object := func(properties map[string]apiextensionsv1.JSONSchemaProps) apiextensionsv1.JSONSchemaProps {
		return apiextensionsv1.JSONSchemaProps{Type: "object", Properties: properties}
	}
	schema := object(map[string]apiextensionsv1.JSONSchemaProps{
		"metadata": {Type: "object"},
		"spec": object(map[string]apiextensionsv1.JSONSchemaProps{
			"crop":   text,
			"labels": {Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Schema: &text}},
			"raw": {Type: "object", XPreserveUnknownFields: &yes,
				Properties: map[string]apiextensionsv1.JSONSchemaProps{"a": text}},
		}),
		"status": object(map[string]apiextensionsv1.JSONSchemaProps{"conditions": {Type: "array"}}),
	})
	for path, want := range map[string]string{
		".spec.crop": "", ".spec.corp": ".spec.corp", "spec.corp": ".spec.corp", ".sepc.crop": ".sepc",
		".spec.corp.deep":             ".spec.corp",
		".metadata.creationTimestamp": "", ".kind": "", ".spec.metadata": ".spec.metadata", ".spec.labels.x": "",
		".spec.raw.b": "",
		`.status.conditions[?(@.type=="Ready")].status`: "",
		`.status.condition[?(@.type=="Ready")].status`:  ".status.condition",
		".status.conditions[0].x":                       "", `.spec.labels.a\.b`: "", `.metadata.labels.a\.b/c`: "", "": "",
		".":        "",
		".spec[*]": "",
	} {
		if got, _ := unresolved(&schema, path); got != want {
			t.Errorf("unresolved(%q) = %q, want %q", path, got, want)
		}
	}
}
