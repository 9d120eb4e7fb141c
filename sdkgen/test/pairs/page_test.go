package pairs

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
	"github.com/flux-framework/flux-operator/sdkgen/test/report"
)

// page is the document that the tables go to, from this directory.
const page = "../../../docs/use/breaking.md"

// publish holds the document against the tables, as far as they are not measured, or writes them.
func publish(t *testing.T, rows []row) {
	t.Helper()
	if testkit.Update() {
		if !*slow {
			t.Fatal("-update needs -slow: the tables have all pairs")
		}
		sections := []report.Section{{Mark: "pairs", Text: countTable(rows)}, {Mark: "pairs crdify", Text: crdifyTable(rows)},
			{Mark: "pairs time", Text: timeTable(rows)}}
		if err := report.Write(page, sections); err != nil {
			t.Fatal(err)
		}
		return
	}
	lines := strings.Split(string(read(t, page)), "\n")
	for line := range strings.SplitSeq(strings.TrimSpace(countTable(rows)+crdifyTable(rows)), "\n") {
		if !slices.Contains(lines, line) {
			t.Errorf("%s lacks this line; `make test-all ONLY=pairs ARGS=-update` writes it:\n%s", filepath.Base(page), line)
		}
	}
}

func (p *pair) title() string { return fmt.Sprintf("%s %s to %s", p.Name, p.Old, p.Now) }

// countTable counts by audience and verdict.
func countTable(rows []row) string {
	var b strings.Builder
	b.WriteString(
		"| pair | changes | stored objects | manifests | Python callers | Go callers | witnesses | " +
			"|\n|---|---:|---|---|---|---|---:|---|\n")
	for _, r := range rows {
		cells := []string{r.title(), fmt.Sprint(len(r.changes))}
		for _, audience := range []string{"stored objects", "manifests", "Python callers", "Go callers"} {
			by := map[string]int{}
			for _, c := range r.changes {
				by[c.verdict(audience)]++
			}
			cells = append(cells, fmt.Sprintf("%d / %d / %d", by["breaking"], by["risky"], by["compatible"]))
		}
		fmt.Fprintf(&b, "| %s | %d | %s |\n", strings.Join(cells, " | "), r.witnesses, r.Note)
	}
	return b.String()
}

// timeTable has the times of this machine.
func timeTable(rows []row) string {
	var b strings.Builder
	b.WriteString(
		"| pair | `sdkgen breaking --witness`, s | `sdkgen generate --force`, s | ratio |\n|---|---:|---:|---:|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %.2f | %.2f | %.1f |\n", r.title(), r.seconds.breaking, r.seconds.generate, r.seconds.ratio())
	}
	return b.String()
}

// crdifyTable counts places by who sees them; "" if crdify did not run.
func crdifyTable(rows []row) string {
	var b strings.Builder
	for _, r := range rows {
		if o := r.crdify; o != nil {
			unhandled := fmt.Sprintf("%d / %d / %d", o.unhandled["breaking"], o.unhandled["risky"], o.unhandled["compatible"])
			fmt.Fprintf(&b, "| %s | %d | %d | %s | %d | %d | %s | %s | %d |\n", r.title(), o.both, o.sdkgen, counts(o.rules),
				o.callers, o.crdify, counts(o.checks), unhandled, o.wording)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "| pair | both | only sdkgen | its rules | only callers | only crdify | its checks | unhandled | description " +
		"|\n|---|---:|---:|---|---:|---:|---|---|---:|\n" + b.String()
}
