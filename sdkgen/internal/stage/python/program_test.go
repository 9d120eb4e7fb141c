package python_test

import (
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/python"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

const widgets = `{"swagger": "2.0", "info": {"title": "t", "version": "v1"}, "paths": {}, "definitions": {
  "V1ObjectMeta": {"type": "object", "properties": {"name": {"type": "string"}}, "x-go-type": {"type": "ObjectMeta", "import": {"package": "k8s.io/apimachinery/pkg/apis/meta/v1"}}},
  "Part": {"type": "object", "properties": {"class": {"type": "string"}}},
  "Widget": {"type": "object", "properties": {
      "kind": {"type": "string"}, "metadata": {"$ref": "#/definitions/V1ObjectMeta"}, "madeAt": {"type": "string", "format": "date-time"},
      "parts": {"type": "array", "items": {"$ref": "#/definitions/Part"}}, "labels": {"type": "object", "additionalProperties": {"type": "string"}}},
    "x-sdkgen-plural": "widgets", "x-kubernetes-group-version-kind": [{"group": "example.org", "version": "v1", "kind": "Widget"}]}}}`

// TestProgram writes an object with a value of each kind, and refuses a field that no class has.
func TestProgram(t *testing.T) {
	api := testkit.Model(t, []byte(widgets))
	widget := api.Definitions[2]
	object := map[string]any{
		"kind": "Widget", "metadata": map[string]any{"name": "a"}, "madeAt": "2026-01-02T03:04:05Z",
		"parts": []any{map[string]any{"class": `x"y`}}, "labels": map[string]any{"k": "v"},
	}
	want := `from datetime import datetime

from kubernetes.client import V1ObjectMeta

from example.v1 import Part, Widget

sample = Widget(
    labels={"k": "v"},
    made_at=datetime.fromisoformat("2026-01-02T03:04:05+00:00"),
    metadata=V1ObjectMeta(name="a"),
    parts=[Part(_class='x"y')],
)
`
	if got, err := python.Program(widget, "example.v1", object); err != nil || got != want {
		t.Errorf("%v\n%s\nwant:\n%s", err, got, want)
	}
	object["weight"] = int64(3)
	if _, err := python.Program(widget, "example.v1", object); err == nil ||
		!strings.Contains(err.Error(), `the class Widget has no attribute for "weight"`) {
		t.Errorf("the error is %v", err)
	}
}
