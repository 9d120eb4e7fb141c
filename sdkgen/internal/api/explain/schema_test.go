package explain

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestTypeOf spells types as kubectl does.
func TestTypeOf(t *testing.T) {
	for text, want := range map[string]string{
		"{type: string, maxLength: 3}":                                                 "string",
		"{type: array, items: {type: array, items: {type: integer}}}":                  "[][]integer",
		"{type: object, additionalProperties: {type: array, items: {type: object}}}":   "map[string][]Object",
		"{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}": "IntOrString",
		"{type: object}": "Object",
		"{x-kubernetes-preserve-unknown-fields: true}": "Object",
		"{type: object, title: ObjectMeta}":            "ObjectMeta",
	} {
		s := &schema{}
		if err := yaml.UnmarshalStrict([]byte(text), s); err != nil {
			t.Fatal(err)
		}
		if got := typeOf(s, nil); got != want {
			t.Errorf("%s is %s, not %s", text, got, want)
		}
	}
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

// TestJoined: paragraphs are joined, lists, code and what is indented stay.
func TestJoined(t *testing.T) {
	got := strings.Join(
		joined("One\ntwo.\n\n- an item\n- another\ngoes on\n1. first\n  indented\n\n```\ncode\n```\n2024 is a year\n"), "|")
	if want := "One two.||- an item|- another goes on|1. first|  indented||```|code|```|2024 is a year"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
