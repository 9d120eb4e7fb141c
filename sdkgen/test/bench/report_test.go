package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flux-framework/flux-operator/sdkgen/test/report"
)

// samples are one sample of so many seconds, twice as many of CPU, and so many MiB.
func samples(wall float64, mib int64) []sample {
	return []sample{{Wall: time.Duration(wall * 1e9), CPU: time.Duration(2 * wall * 1e9), Peak: mib << 20, Own: mib << 19}}
}

func TestComparison(t *testing.T) {
	const want = `| what | n | wall s | CPU s | own MiB | largest MiB | other: wall s | CPU s | largest MiB | ratio of wall | of CPU | of largest |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| one | 1 | 0.500 | 1.00 | 50 | 100 | 4.00 | 8.00 | 400 | 0.12 | 0.12 | 0.25 |
| alone | 1 | 0.040 | 0.080 | 5 | 10 | – | – | – | – | – | – |
`
	got := comparison("what", "other", []*measured{
		{row: row{name: "one"}, a: samples(0.5, 100), b: samples(4, 400)}, {row: row{name: "alone"}, a: samples(0.04, 10)},
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGrowth(t *testing.T) {
	const want = `| API | types | n | wall s | CPU s | own MiB | largest MiB |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
| a | 10 | 1 | 1.00 | 2.00 | 1 | 2 |
| b | 20 | 1 | 2.00 | 4.00 | 1 | 2 |
| c | 40 | 1 | 4.00 | 8.00 | 1 | 2 |

- CPU: 0.00 s + 200.0 ms for each of the types (least squares, R² 1.00), 200.0 ms for each that the last row adds; as a power of their number, the exponent is 1.00 (R² 1.00)
- Wall: 0.00 s + 100.0 ms for each of the types (least squares, R² 1.00), 100.0 ms for each that the last row adds; as a power of their number, the exponent is 1.00 (R² 1.00)
`
	var rows []*measured
	for i, name := range []string{"a", "b", "c"} {
		rows = append(rows, &measured{row: row{name: name}, a: samples(float64(int(1)<<i), 2), made: 10 << i})
	}
	if diff := cmp.Diff(want, growth("API", "types", rows)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTargets(t *testing.T) {
	r := &result{rows: []*measured{
		{row: row{name: fullRow}, a: samples(1, 100), b: samples(20, 90)}, {row: row{name: unchangedRow}, a: samples(0.2, 1)},
	}}
	const want = `| target | wanted | measured | result |
| --- | ---: | ---: | ---: |
| everything but code-generator's clients: wall, of the classic recipe's | ≤ 0.06 | 0.05 | met |
| everything but code-generator's clients: CPU, of the classic recipe's | ≤ 0.06 | 0.05 | met |
| everything but code-generator's clients: largest process, of the classic recipe's | ≤ 1.00 | 1.11 | **not met** |
| nothing changed: wall s | ≤ 0.100 | 0.200 | **not met** |
`
	if diff := cmp.Diff(want, r.targets()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestComplete(t *testing.T) {
	r := &result{rows: []*measured{
		{row: row{name: "full"}, a: samples(1, 1), b: samples(4, 4)},
		{row: row{name: "again", like: "full", size: func() (int, error) { return 7, nil }}, a: samples(2, 2)},
	}}
	if err := r.complete(); err != nil {
		t.Fatal(err)
	}
	if again := r.find("again"); again.made != 7 || !cmp.Equal(again.b, samples(4, 4)) {
		t.Errorf("got %+v", again)
	}
}

// TestMarks holds the marks in the document against the sections.
func TestMarks(t *testing.T) {
	data, err := os.ReadFile("../../../docs/use/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "performance.md")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := report.Write(file, (&result{}).tables()); err != nil {
		t.Error(err)
	}
}
