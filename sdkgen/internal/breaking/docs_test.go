package breaking

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
	"github.com/flux-framework/flux-operator/sdkgen/test/report"
)

// TestDocs holds the table in docs/breaking.md against Rules. With -update it writes it.
func TestDocs(t *testing.T) {
	var b strings.Builder
	b.WriteString("| rule | change | stored objects | manifests | in the status | instead |\n|---|---|---|---|---|---|\n")
	cell := func(e Effect) string {
		if e.Verdict == Compatible {
			return "compatible"
		}
		return fmt.Sprintf("%s: %s", e.Verdict, e.Reason)
	}
	for _, rule := range Rules {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", rule.ID, rule.What, cell(rule.Spec.Stored), cell(rule.Spec.Manifests), cell(rule.Status.Stored), rule.Instead)
	}
	file := filepath.Join(testkit.Repository, "docs", "breaking.md")
	if flag.Lookup("update").Value.String() == "true" {
		if err := report.Write(file, []report.Section{{Mark: "rules", Text: b.String()}}); err != nil {
			t.Fatal(err)
		}
	}
	if text := string(testkit.Read(t, file)); !strings.Contains(text, b.String()) {
		t.Errorf("%s does not have the table of Rules, run the test with -update:\n%s", file, cmp.Diff(text, b.String()))
	}
}
