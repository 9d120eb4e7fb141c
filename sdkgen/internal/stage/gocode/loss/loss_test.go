package loss_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/gocode/loss"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestOf runs testdata/*.txtar: "before" and "after" are schemas of version v1, and "lost" is what the second lacks. A
// schema is lost to itself in nothing.
func TestOf(t *testing.T) {
	testkit.Each(t, "*.txtar", func(t *testing.T, c *testkit.Case) {
		c.Only(t, "before", "after", "lost")
		before, after := crd(c.Part("before")), crd(c.Part("after"))
		var b strings.Builder
		for _, l := range loss.Of(before, after) {
			fmt.Fprintln(&b, l)
			if l.Metadata != (c.Name == "metadata") {
				t.Errorf("%s: metadata is %t", l, l.Metadata)
			}
		}
		c.Want(t, "lost", b.String())
		if lost := loss.Of(before, before); len(lost) > 0 {
			t.Errorf("to itself: %v", lost)
		}
	})
}

// crd is a CRD with a version v1, of that schema or spec.versions.
func crd(schema string) []byte {
	head := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  versions:\n"
	if strings.HasPrefix(schema, "- name") {
		return []byte(head + "  " + strings.ReplaceAll(schema, "\n", "\n  "))
	}
	return []byte(head + "  - name: v1\n    schema:\n      openAPIV3Schema:\n        " +
		strings.ReplaceAll(schema, "\n", "\n        ") + "\n")
}

// TestOther: what is no CRD of version v1 is not compared.
func TestOther(t *testing.T) {
	for _, other := range []string{"", "kind: CustomResourceDefinition", "a: [",
		"apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nspec: {}"} {
		if lost := loss.Of([]byte(other), crd("type: object")); lost != nil {
			t.Errorf("%q: %v", other, lost)
		}
	}
}
