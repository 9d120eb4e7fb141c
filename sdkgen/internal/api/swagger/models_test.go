package swagger_test

import (
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/swagger"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

const modelDocument = `{"definitions": {
"Widget": {"type": "object", "description": "has ` + "`text`" + `", "required": ["spec"],
  "x-go-type": {"type": "Widget", "import": {"package": "example.org/op/api/v1"}},
  "properties": {
    "description": {"type": "string", "default": "` + "`" + `", "pattern": "` + "`" + `"},
    "size": {"type": "integer", "default": 3, "maximum": 5},
    "port": {"type": "string", "format": "int-or-string", "x-kubernetes-int-or-string": true},
    "any": {"type": "object", "additionalProperties": true},
    "spec": {"allOf": [{"$ref": "#/definitions/Part"}], "default": {}},
    "whole": {"allOf": [{"$ref": "#/definitions/Part"}], "x-kubernetes-map-type": "atomic"},
    "parts": {"type": "array", "items": {"$ref": "#/definitions/Part"}, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
  }},
"Part": {"type": "object", "x-go-type": {"type": "Part", "import": {"package": "k8s.io/api/core/v1"}}}
}}`

// TestModels: names come from Go types, references follow, and what can be text is gone.
func TestModels(t *testing.T) {
	got, err := swagger.Models(testkit.Model(t, []byte(modelDocument)),
		testkit.Model(t, []byte(strings.ReplaceAll(modelDocument, "api/v1", "api/v2"))))
	if err != nil {
		t.Fatal(err)
	}
	widget := func(name, part string) string {
		return `"org.example.op.api.` + name +
			`.Widget":{"properties":{"any":{"additionalProperties":true,"type":"object"},"description":{"type":"string"},` +
			`"parts":{"items":{"$ref":"#/definitions/` + part +
			`"},"type":"array","x-kubernetes-list-map-keys":["name"],"x-kubernetes-list-type":"map"},` +
			`"port":{"format":"int-or-string","type":"string","x-kubernetes-int-or-string":true},` +
			`"size":{"default":3,"type":"integer"},"spec":{"$ref":"#/definitions/` + part + `"},` +
			`"whole":{"$ref":"#/definitions/` + part + `","x-kubernetes-map-type":"atomic"}},"type":"object"}`
	}
	want := `{"definitions":{"io.k8s.api.core.v1.Part":{"type":"object"},` + widget("v1", "io.k8s.api.core.v1.Part") +
		"," +
		widget("v2", "io.k8s.api.core.v1.Part") + `},"info":{"title":"models","version":"0"},"paths":{},"swagger":"2.0"}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestModelsBackquote: the generator would print it into Go source.
func TestModelsBackquote(t *testing.T) {
	for _, document := range []string{
		strings.ReplaceAll(modelDocument, `"size"`, "\"si`ze\""),
		strings.ReplaceAll(modelDocument, `["name"]`, "[\"na`me\"]"),
	} {
		if _, err := swagger.Models(testkit.Model(t, []byte(document))); err == nil ||
			!strings.Contains(err.Error(), "backquote") {
			t.Errorf("error %v", err)
		}
	}
}
