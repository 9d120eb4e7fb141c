package constraint_test

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/constraint"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestSchemas: of each schema in testdata/schemas.txtar, a YAML document each, "want" has the constraints and the
// rules.
func TestSchemas(t *testing.T) {
	testkit.Each(t, "schemas.txtar", func(t *testing.T, c *testkit.Case) {
		var b strings.Builder
		for document := range strings.SplitSeq(c.Part("schemas"), "---\n") {
			s := &constraint.Schema{}
			if err := yaml.UnmarshalStrict([]byte(document), s); err != nil {
				t.Fatal(err)
			}
			b.WriteString("schema\n")
			for _, c := range constraint.Of(s) {
				b.WriteString("  " + c.String() + "\n")
			}
			for _, rule := range constraint.Rules(s) {
				b.WriteString("  " + rule.Name() + ": " + rule.Rule + "\n")
			}
		}
		c.Want(t, "want", b.String())
	})
}
