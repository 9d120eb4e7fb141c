package rules_test

import (
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/flux-framework/flux-operator/internal/rules"
)

// TestCheck runs testdata/*.txtar: "report" is openapi-gen's report, "exceptions" the list,
// "diagnostics" what is said, and "updated" the list that --update writes.
func TestCheck(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parts := map[string]string{}
			for _, f := range archive.Files {
				parts[f.Name] = string(f.Data)
			}
			got := check(t, parts["report"], parts["exceptions"])
			if d := cmp.Diff(parts["diagnostics"], got); d != "" {
				t.Errorf("diagnostics:\n%s", d)
			}
			if want, ok := parts["updated"]; ok {
				violations, err := rules.ParseReport("report", []byte(parts["report"]))
				if err != nil {
					t.Fatal(err)
				}
				updated := rules.Update([]byte(parts["exceptions"]), violations)
				if d := cmp.Diff(want, string(updated)); d != "" {
					t.Errorf("updated:\n%s", d)
				}
				if again := check(t, parts["report"], string(updated)); again != "" {
					t.Errorf("the updated list is not clean: %s", again)
				}
			}
		})
	}
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
