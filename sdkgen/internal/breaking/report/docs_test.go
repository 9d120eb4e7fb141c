package report

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/compare"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
	published "github.com/flux-framework/flux-operator/sdkgen/test/report"
)

// TestDocs holds the tables in docs/use/breaking.md against compare.Rules and compare.CallerRules. With -update it
// writes them.
func TestDocs(t *testing.T) {
	var b strings.Builder
	b.WriteString("| rule | change | stored objects | manifests | in the status | instead |\n|---|---|---|---|---|---|\n")
	cell := func(e compare.Effect) string {
		if e.Verdict == compare.Compatible {
			return "compatible"
		}
		return fmt.Sprintf("%s: %s", e.Verdict, e.Reason)
	}
	for _, rule := range compare.Rules {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", rule.ID, rule.What, cell(rule.Spec.Stored),
			cell(rule.Spec.Manifests), cell(rule.Status.Stored), rule.Instead)
	}
	callers := "| rule | change | told with |\n|---|---|---|\n"
	for _, rule := range compare.CallerRules {
		callers += fmt.Sprintf("| %s | %s | %s |\n", rule.ID, rule.What, strings.Join(rule.Same, ", "))
	}
	file := filepath.Join(testkit.Repository, "docs", "use", "breaking.md")
	if flag.Lookup("update").Value.String() == "true" {
		if err := published.Write(file, []published.Section{{Mark: "rules", Text: b.String()},
			{Mark: "caller rules", Text: callers}}); err != nil {
			t.Fatal(err)
		}
	}
	text := string(testkit.Read(t, file))
	for _, table := range []string{b.String(), callers} {
		if !strings.Contains(text, table) {
			t.Errorf("%s does not have this table, run the test with -update:\n%s", file, table)
		}
	}
}
