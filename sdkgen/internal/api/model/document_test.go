package model_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/constraint"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestModel runs testdata/*.txtar: "model" is the model that the document "swagger.json" is printed from.
func TestModel(t *testing.T) {
	testkit.Each(t, "*.txtar", func(t *testing.T, c *testkit.Case) {
		c.Only(t, "swagger.json", "model")
		c.Want(t, "model", describe(testkit.Model(t, []byte(c.Part("swagger.json")))))
	})
}

// describe returns a line for each definition, field and operation.
func describe(api *model.API) string {
	var b strings.Builder
	for _, d := range api.Definitions {
		fmt.Fprintf(&b, "%s goType=%v kubernetes=%t%s\n", d.Name, d.GoType, d.Kubernetes, deprecated(d.Deprecated))
		if root := d.Root; root != nil {
			fmt.Fprintf(&b, "  root %v plural=%q namespaced=%t served=%t status=%t scale=%t\n",
				root.GroupVersionKind, root.Plural, root.Namespaced, root.List != nil, root.Status, root.Scale)
		}
		for _, f := range d.Fields {
			fmt.Fprintf(&b, "  %s %s default=%v required=%t mandatory=%t pointer=%t%s%s\n", f.Key, typeText(&f.Type), f.Default,
				f.Required, f.Mandatory, f.Pointer, constraints(&f.Type), deprecated(f.Deprecated))
		}
	}
	for _, op := range api.Operations {
		fmt.Fprintf(&b, "%s %s %s %s tag=%s answer=%s stored=%s\n", op.Method, op.Path, op.ID, op.Action, op.Tag,
			name(op.Answer), name(op.Stored))
		for _, param := range op.Parameters {
			fmt.Fprintf(&b, "  %s in %s required=%t body=%s\n", param.Name, param.In, param.Required, name(param.Body))
		}
	}
	return b.String()
}

func constraints(t *model.Type) string {
	var b strings.Builder
	for _, c := range constraint.Of(t.Schema()) {
		fmt.Fprintf(&b, " %s=%s", c.Name(), c.Text())
	}
	return b.String()
}

func deprecated(text string) string {
	if text == "" {
		return ""
	}
	return " deprecated: " + text
}

var shapes = []string{"any", "string", "integer", "number", "boolean", "time", "int-or-string", "array", "map",
	"object", "reference"}

func typeText(t *model.Type) string {
	text := shapes[t.Shape]
	if t.Elem != nil {
		text += " of " + typeText(t.Elem)
	}
	if t.Definition != nil {
		text += " to " + t.Definition.Name
	}
	for _, field := range t.Fields {
		text += " {" + field.Key + " " + typeText(&field.Type) + "}"
	}
	if t.Nullable {
		text += " or null"
	}
	return text
}

func name(d *model.Definition) string {
	if d == nil {
		return "none"
	}
	return d.Name
}

// TestWrap checks that lines are as long as they may be, counted in characters.
func TestWrap(t *testing.T) {
	for text, want := range map[string][]string{
		"":                    nil,
		" \n ":                nil,
		"one two three":       {"one two", "three"},
		"öne twö\tthree":      {"öne twö", "three"},
		"incomprehensible ok": {"incomprehensible", "ok"},
	} {
		if got := model.Wrap(text, 7); !slices.Equal(got, want) {
			t.Errorf("%q is wrapped to %q, not %q", text, got, want)
		}
	}
}
