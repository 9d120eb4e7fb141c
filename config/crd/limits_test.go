package crd_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/internal/testkit"
	"github.com/flux-framework/flux-operator/test/report"
)

// TestLimits: each string, list and map of the spec has a limit, and docs/operate/operator.md lists them.
func TestLimits(t *testing.T) {
	all, err := testkit.Limits()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 60 {
		t.Errorf("only %d limits", len(all))
	}
	for path, limit := range all {
		if !limit.Complete() {
			t.Errorf("spec.%s has no limit: %s", path, limit)
		}
		if services, ok := strings.CutPrefix(path, "services[]"); ok && all["containers[]"+services] != limit {
			t.Errorf("spec.%s has another limit than in containers: %s", path, limit)
		}
	}
	const page = "../../docs/operate/operator.md"
	if testkit.Update() {
		if err := report.Write(page, []report.Section{{Mark: "limits", Text: table(all)}}); err != nil {
			t.Fatal(err)
		}
	}
	if text := read(t, page); !strings.Contains(text, table(all)) {
		t.Error("docs/operate/operator.md has another table: go test ./config/crd -update")
	}
}

// table lists the fields of each limit, without those of services, which are those of containers.
func table(all map[string]testkit.Limit) string {
	fields := map[testkit.Limit][]string{}
	for path, limit := range all {
		if !strings.HasPrefix(path, "services[]") {
			fields[limit] = append(fields[limit], "`"+path+"`")
		}
	}
	var b strings.Builder
	b.WriteString("| at most | fields of the spec |\n|---|---|\n")
	for _, limit := range slices.SortedFunc(maps.Keys(fields), func(a, b testkit.Limit) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Entries, b.Entries), cmp.Compare(a.Keys, b.Keys),
			cmp.Compare(a.Characters, b.Characters))
	}) {
		slices.Sort(fields[limit])
		fmt.Fprintf(&b, "| %s | %s |\n", limit, strings.Join(fields[limit], ", "))
	}
	return b.String()
}
