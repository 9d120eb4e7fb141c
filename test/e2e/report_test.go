package e2e

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

var reportFile = flag.String("report", "", "update the tables of faults and load in this file")

// report collects the tables of docs/reliability.md.
type report struct{ faults, load []string }

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

// write replaces the tables in a file, each between its begin and end comments. Empty tables are left
// alone.
func (r *report) write(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text := string(data)
	for mark, rows := range map[string][]string{"faults": r.faults, "load": r.load} {
		if len(rows) == 0 {
			continue
		}
		head := "| fault | checked afterwards | result |\n|---|---|---|\n"
		if mark == "load" {
			head = "| | |\n|---|---|\n"
			rows = append(rows, fmt.Sprintf("| machine | %d cores, %s, shared with the control plane |", runtime.NumCPU(), runtime.GOARCH))
		}
		begin, end := "<!-- "+mark+", begin -->\n", "<!-- "+mark+", end -->"
		i, j := strings.Index(text, begin), strings.Index(text, end)
		if i < 0 || j < i {
			return fmt.Errorf("%s has no lines %q and %q", file, begin, end)
		}
		text = text[:i+len(begin)] + head + strings.Join(rows, "\n") + "\n" + text[j:]
	}
	return os.WriteFile(file, []byte(text), 0o644)
}
