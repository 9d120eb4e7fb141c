package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/flux-framework/flux-operator/sdkgen/test/report"
)

// tables are all sections of the report.
func (r *result) tables() []report.Section {
	return []report.Section{
		{Mark: "machine", Text: r.machine},
		{Mark: "targets", Text: r.targets()},
		{Mark: "warm", Text: comparison("what is done", "classic recipe", r.in(warmTable))},
		{Mark: "steps", Text: r.stepTable()},
		{Mark: "programs", Text: r.programTable()},
		{Mark: "cold", Text: comparison("empty build cache", "classic recipe", r.in(coldTable))},
		{Mark: "types", Text: growth("API", "types", r.in(typesTable))},
		{Mark: "refused", Text: r.refusals()},
		{Mark: "packages", Text: growth("API packages", "packages", r.in(packagesTable))},
		{Mark: "others", Text: comparison("sdkgen", "other", r.in(othersTable)) + strings.Join(r.missing, "\n") +
			newline(len(r.missing) > 0)},
	}
}

func newline(expected bool) string {
	if expected {
		return "\n"
	}
	return ""
}

// printTables prints the sections that have something to say.
func printTables(w io.Writer, sections []report.Section) error {
	for _, s := range sections {
		if s.Text == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s:\n%s\n", s.Mark, s.Text); err != nil {
			return err
		}
	}
	return nil
}

// markdown is a table; the first column is text, the others are figures. There is none without rows.
func markdown(head []string, rows [][]string) string {
	if len(rows) == 0 {
		return ""
	}
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(head)
	line(append([]string{"---"}, strings.Split(strings.Repeat("---: ", len(head)-1), " ")[:len(head)-1]...))
	for _, cells := range rows {
		line(cells)
	}
	return b.String()
}

// comparison is the table of sdkgen beside another.
func comparison(what, other string, rows []*measured) string {
	head := []string{
		what, "n", "wall s", "CPU s", "own MiB", "largest MiB",
		other + ": wall s", "CPU s", "largest MiB", "ratio of wall", "of CPU", "of largest",
	}
	var lines [][]string
	for _, m := range rows {
		a, b := median(m.a), median(m.b)
		cells := []string{m.name, fmt.Sprint(len(m.a)), seconds(a.Wall), seconds(a.CPU), mebibytes(a.Own), mebibytes(a.Peak)}
		if len(m.b) == 0 {
			cells = append(cells, none, none, none, none, none, none)
		} else {
			cells = append(cells, seconds(b.Wall), seconds(b.CPU), mebibytes(b.Peak),
				parts(ratio(a.Wall, b.Wall)), parts(ratio(a.CPU, b.CPU)), parts(ratio(a.Peak, b.Peak)))
		}
		lines = append(lines, cells)
	}
	return markdown(head, lines)
}

// stepTable is what the steps of the classic recipe take in a warm run.
func (r *result) stepTable() string {
	m := r.find(clientsRow)
	if m == nil {
		return ""
	}
	var lines [][]string
	for i, s := range m.classic {
		one := median(m.steps[i])
		lines = append(lines, []string{s.name, seconds(one.Wall), seconds(one.CPU), mebibytes(one.Peak)})
	}
	return markdown([]string{"step of the classic recipe", "wall s", "CPU s", "largest MiB"}, lines)
}

// growth is the table of runs on ever larger input, and how the time grows.
func growth(what, target string, rows []*measured) string {
	var lines [][]string
	for _, m := range rows {
		a := median(m.a)
		lines = append(lines, []string{m.name, fmt.Sprint(m.made), fmt.Sprint(len(m.a)), seconds(a.Wall), seconds(a.CPU),
			mebibytes(a.Own), mebibytes(a.Peak)})
	}
	table := markdown([]string{what, target, "n", "wall s", "CPU s", "own MiB", "largest MiB"}, lines)
	if len(rows) < 3 {
		return table
	}
	x, wall, cpu := points(rows)
	return table + "\n" + law("CPU", target, x, cpu) + law("Wall", target, x, wall)
}

// law says how y grows with x, in seconds.
func law(name, target string, x, y []float64) string {
	l := fit(x, y)
	exponent, r2 := power(x, y)
	last := len(x) - 1
	step := (y[last] - y[last-1]) / (x[last] - x[last-1])
	return fmt.Sprintf(
		"- %s: %.2f s + %.1f ms for each of the %s (least squares, R² %.2f), %.1f ms for each that the last row adds; "+
			"as a power of their number, the exponent is %.2f (R² %.2f)\n", name, l.At, 1000*l.Slope, target, l.R2, 1000*step,
		exponent, r2)
}

// points are the sizes of rows, and their medians in seconds.
func points(rows []*measured) (x, wall, cpu []float64) {
	for _, m := range rows {
		a := median(m.a)
		x, wall, cpu = append(x, float64(m.made)), append(wall, a.Wall.Seconds()), append(cpu, a.CPU.Seconds())
	}
	return x, wall, cpu
}

// refusals is the table of what sdkgen does not take of k8s.io/api.
func (r *result) refusals() string {
	var lines [][]string
	for _, f := range r.refused {
		lines = append(lines, []string{strings.ReplaceAll(f.says, "|", `\|`), f.did})
	}
	if len(lines) == 0 && len(r.in(typesTable)) > 0 {
		return "Nothing was refused.\n"
	}
	return strings.Replace(markdown([]string{"what sdkgen says", "what is changed in the copy"}, lines), "---:", "---", 1)
}

const none = "–"

func seconds(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%.3f", d.Seconds())
	}
	return fmt.Sprintf("%.2f", d.Seconds())
}

func mebibytes(size int64) string {
	if size == 0 {
		return none
	}
	return fmt.Sprint(size >> 20)
}

func parts(ratio float64) string { return fmt.Sprintf("%.2f", ratio) }
