package rules_test

import (
	"go/token"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/gocode/rules"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestCheck runs testdata/*.txtar: "report" is openapi-gen's report, "exceptions" the list,
// "diagnostics" what is said, and "updated" the list that --update writes.
func TestCheck(t *testing.T) {
	testkit.Each(t, "*.txtar", func(t *testing.T, c *testkit.Case) {
		c.Only(t, "report", "exceptions", "diagnostics", "updated")
		report, list := c.Part("report"), c.Part("exceptions")
		c.Want(t, "diagnostics", check(t, report, list))
		if !c.Has("updated") {
			return
		}
		violations, err := rules.ParseReport("report", []byte(report))
		if err != nil {
			t.Fatal(err)
		}
		updated := string(rules.Update([]byte(list), violations))
		c.Want(t, "updated", updated)
		if again := check(t, report, updated); again != "" {
			t.Errorf("the updated list is not clean: %s", again)
		}
	})
}

func check(t *testing.T, report, list string) string {
	t.Helper()
	violations, err := rules.ParseReport("report", []byte(report))
	if err != nil {
		t.Fatal(err)
	}
	exceptions, err := rules.ParseExceptions("the.list", []byte(list))
	if err != nil {
		return err.Error() + "\n"
	}
	locate := func(pkg, typeName, field string) token.Position {
		return token.Position{Filename: pkg + "/" + typeName + ".go", Line: 7, Column: 2}
	}
	found := rules.Check(violations, exceptions).Diagnostics("the.list", locate)
	if len(found) == 0 {
		return ""
	}
	return found.Error() + "\n"
}

func FuzzParseExceptions(f *testing.F) {
	f.Add("# c\n\nAPI rule violation: names_match,a/b,T,F\n")
	f.Add("API rule violation: x,,T,\n")
	f.Fuzz(func(t *testing.T, text string) {
		exceptions, err := rules.ParseExceptions("the.list", []byte(text))
		if err != nil {
			return
		}
		var violations []rules.Violation
		for _, e := range exceptions {
			violations = append(violations, e.Violation)
		}
		again, err := rules.ParseExceptions("again", rules.Update([]byte(text), violations))
		if err != nil {
			t.Fatalf("the updated list does not parse: %v", err)
		}
		if res := rules.Check(violations, again); len(res.New)+len(res.Stale) > 0 {
			t.Fatalf("the updated list accepts something else: %+v", res)
		}
	})
}
