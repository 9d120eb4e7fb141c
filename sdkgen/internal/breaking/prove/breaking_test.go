package prove_test

import (
	"cmp"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/compare"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/prove"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/report"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/surface"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

type schema = apiextensionsv1.JSONSchemaProps

// TestRules compares the CRDs of each case in both directions. A part "old" or "now" is the schema of .spec or, if it
// has versions, a CRD's spec; "want" is the report, and "back" that of the way back.
func TestRules(t *testing.T) {
	testkit.Each(t, "*.txtar", func(t *testing.T, c *testkit.Case) {
		c.Only(t, "old", "now", "want", "back")
		old, now := parse(t, c.Part("old")), parse(t, c.Part("now"))
		c.Want(t, "want", text(t, old, now))
		c.Want(t, "back", text(t, now, old))
	})
}

// TestCompatible: in the cases of TestRules, no object fares worse at a place where the report says that all is as
// before.
func TestCompatible(t *testing.T) {
	testkit.Each(t, "*.txtar", func(t *testing.T, c *testkit.Case) {
		for _, parts := range [][2]string{{"old", "now"}, {"now", "old"}} {
			old, now := parse(t, c.Part(parts[0])), parse(t, c.Part(parts[1]))
			changes, err := report.New("the other", old, now, false)
			if err != nil {
				t.Fatal(err)
			}
			_, unreported, err := prove.Unreported(changes.Changes, old, now, 30, 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range unreported {
				t.Errorf("%s to %s: not told: %s", parts[0], parts[1], found)
			}
		}
	})
}

// TestEveryRule: each rule has a case that reports it.
func TestEveryRule(t *testing.T) {
	var rules, callers []string
	for _, rule := range compare.Rules {
		rules = append(rules, rule.ID)
	}
	for _, rule := range compare.CallerRules {
		callers = append(callers, rule.ID)
	}
	for _, test := range []struct {
		cases       string
		parts       []string
		every, more []string
	}{
		{"*.txtar", []string{"want", "back"}, rules, nil},
		{"callers/*.txtar", []string{"want"}, callers, rules},
	} {
		reported := map[string]bool{}
		for _, c := range testkit.Cases(t, test.cases) {
			for _, part := range test.parts {
				for _, match := range ruleAtEnd.FindAllStringSubmatch(c.Part(part), -1) {
					reported[match[1]] = true
				}
			}
		}
		for _, id := range test.every {
			if !reported[id] {
				t.Errorf("no case of %s reports %s", test.cases, id)
			}
		}
		for _, id := range slices.Sorted(maps.Keys(reported)) {
			if !slices.Contains(slices.Concat(test.every, test.more), id) {
				t.Errorf("cases of %s report %s, which is no rule", test.cases, id)
			}
		}
	}
}

// ruleAtEnd is the rule that the first line of a change ends in.
var ruleAtEnd = regexp.MustCompile(`(?m)^[a-z].* \(([a-z-]+)\)$`)

func text(t *testing.T, old, now *surface.Surface) string {
	t.Helper()
	changes, err := report.New("the other", old, now, true)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := changes.Text(&b, true, true); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func parse(t *testing.T, part string) *surface.Surface {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	out := &surface.Surface{Version: "1.0.0", Locate: func(string, string) token.Position { return token.Position{} }}
	switch {
	case part == "":
		return out
	case strings.Contains(part, "versions:"):
		if err := yaml.UnmarshalStrict([]byte(part), &crd.Spec); err != nil {
			t.Fatal(err)
		}
	default:
		spec := schema{}
		if err := yaml.UnmarshalStrict([]byte(part), &spec); err != nil {
			t.Fatal(err)
		}
		crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true,
			Schema: &apiextensionsv1.CustomResourceValidation{
				OpenAPIV3Schema: &schema{Type: "object", Properties: map[string]schema{
					"apiVersion": {Type: "string"}, "kind": {Type: "string"}, "metadata": {Type: "object"}, "spec": spec,
				}},
			}}}
	}
	crd.Spec.Group = "example.org"
	if crd.Spec.Names.Kind == "" {
		crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Kind: "Widget", ListKind: "WidgetList",
			Plural: "widgets", Singular: "widget"}
	}
	crd.Spec.Scope = cmp.Or(crd.Spec.Scope, apiextensionsv1.NamespaceScoped)
	out.CRDs = append(out.CRDs, crd)
	return out
}
