package explain

import (
	"encoding/json"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestSchemas: of each schema in testdata/schemas.txtar, a YAML document each, "want" has the type, the constraints and the rules.
func TestSchemas(t *testing.T) {
	testkit.Each(t, "schemas.txtar", func(t *testing.T, c *testkit.Case) {
		var b strings.Builder
		for document := range strings.SplitSeq(c.Part("schemas"), "---\n") {
			s := &schema{}
			if err := yaml.UnmarshalStrict([]byte(document), s); err != nil {
				t.Fatal(err)
			}
			n := &node{name: "field", schema: s}
			b.WriteString(typeOf(s, nil) + "\n")
			for _, constraint := range constraints(s) {
				b.WriteString("  " + constraint.String() + "\n")
			}
			for _, rule := range n.rules() {
				b.WriteString("  rule" + about(rule.Of) + ": " + rule.Rule + "\n")
			}
		}
		c.Want(t, "want", b.String())
	})
}

// TestNames tells which fields a rule of the object above names.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		rule, field string
		want        bool
	}{
		{"self.size <= 9", "size", true},
		{"has(self.size)", "size", true},
		{"1 < self.size", "size", true},
		{"self.sizes == self.size", "size", true},
		{"self.sizes > 1", "size", false},
		{"self.size_max > 1", "size", false},
		{"self.größe > 1", "gr", false},
		{"oldSelf.size > 1", "size", false},
		{"oldself.size > 1", "size", true}, // a variable that no one has
		{"self.spec.size > 1", "spec.size", true},
		{"self.spec > 1", "spec.size", false},
	} {
		if got := names(c.rule, c.field); got != c.want {
			t.Errorf("%q names %s: %t", c.rule, c.field, got)
		}
	}
}

// TestTighter: keywords of which nothing is known are not merged.
func TestTighter(t *testing.T) {
	for _, c := range []struct{ keyword, a, b, want string }{
		{"maxLength", "4", "5", "4"}, {"maxLength", "5", "4", "4"}, {"minItems", "1", "2", "2"}, {"minimum", "-1.5", "-2", "-1.5"},
		{"enum", `["a","b"]`, `["b","c"]`, `["b"]`}, {"enum", `["a"]`, `["b"]`, ""},
		{"pattern", `"^a"`, `"^b"`, ""}, {"pattern", `"^a"`, `"^a"`, `"^a"`}, {"multipleOf", "2", "3", ""}, {"format", `"int32"`, "", ""},
	} {
		got, ok := tighter(c.keyword, json.RawMessage(c.a), json.RawMessage(c.b))
		if string(got) != c.want && ok || ok != (c.want != "") {
			t.Errorf("%s %s and %s: %s, %t", c.keyword, c.a, c.b, got, ok)
		}
	}
}

// TestJoined: paragraphs are joined, lists, code and what is indented stay.
func TestJoined(t *testing.T) {
	got := strings.Join(joined("One\ntwo.\n\n- an item\n- another\ngoes on\n1. first\n  indented\n\n```\ncode\n```\n2024 is a year\n"), "|")
	if want := "One two.||- an item|- another goes on|1. first|  indented||```|code|```|2024 is a year"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
