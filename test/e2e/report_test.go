package e2e

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	docs "github.com/flux-framework/flux-operator/test/report"
)

var reportFile = flag.String("report", "", "update the tables of faults and load, or of upgrades, in this file")

// report collects the tables of docs/operate/reliability.md and docs/operate/operator.md.
type report struct{ faults, load, upgrades []string }

// fault adds a row to the table of faults, unless the test has failed.
func (s *suite) fault(t *testing.T, what, checked, result string) {
	t.Helper()
	if !t.Failed() {
		s.report.faults = append(s.report.faults, fmt.Sprintf("| %s | %s | %s |", what, checked, result))
	}
	t.Logf("%s: %s", what, result)
}

// figure adds a row to the table of load.
func (s *suite) figure(t *testing.T, what, value string) {
	t.Helper()
	s.report.load = append(s.report.load, fmt.Sprintf("| %s | %s |", what, value))
	t.Logf("%s: %s", what, value)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// write replaces the tables in a file. Empty ones are left alone.
func (r *report) write(file string) error {
	var sections []docs.Section
	if len(r.faults) > 0 {
		sections = append(sections, section("faults", "| fault | checked afterwards | result |\n|---|---|---|", r.faults))
	}
	if len(r.load) > 0 {
		machine := fmt.Sprintf("| machine | %d cores, %s, shared with the control plane |", runtime.NumCPU(), runtime.GOARCH)
		sections = append(sections, section("load", "| | |\n|---|---|", append(r.load, machine)))
	}
	if len(r.upgrades) > 0 {
		sections = append(sections, section("upgrade",
			"| upgrade | running MiniClusters | Jobs, pods, keys and ConfigMaps that changed | writes of the new operator | "+
				"new operator active after | all reconciled after |\n|---|---|---|---|---|---|",
			r.upgrades))
	}
	return docs.Write(file, sections)
}

func section(mark, head string, rows []string) docs.Section {
	return docs.Section{Mark: mark, Text: head + "\n" + strings.Join(rows, "\n") + "\n"}
}
