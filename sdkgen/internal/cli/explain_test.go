package cli

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

var explained = testkit.Repository + "/docs/use/explain.md"

// TestExplainDocs holds the examples of docs/use/explain.md against what testdata/script/explain.txtar says is printed.
// With -update it rewrites them.
func TestExplainDocs(t *testing.T) {
	old := testkit.Read(t, explained)
	got := old
	for _, c := range testkit.Cases(t, "script/explain.txtar") {
		got = section(t, got, "explained", "```console\n$ sdkgen explain widget.spec.parts\n"+c.Part("parts.txt")+"```\n")
		got = section(t, got, "explained json", "```json\n"+c.Part("name.json")+"```\n")
	}
	if bytes.Equal(old, got) {
		return
	}
	if flag.Lookup("update").Value.String() != "true" {
		t.Fatalf("docs/use/explain.md (-found +printed):\n%s", cmp.Diff(string(old), string(got)))
	}
	if err := os.WriteFile(explained, got, 0o644); err != nil {
		t.Fatal(err)
	}
}
