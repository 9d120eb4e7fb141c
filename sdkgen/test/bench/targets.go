package main

import "fmt"

// targets is the table of what is to be reached; what was not measured is left out.
func (r *result) targets() string {
	var lines [][]string
	add := func(name, format string, limit, got float64) {
		result := "met"
		if got > limit {
			result = "**not met**"
		}
		lines = append(lines, []string{name, "≤ " + fmt.Sprintf(format, limit), fmt.Sprintf(format, got), result})
	}
	for _, t := range []struct {
		row   string
		limit float64
	}{{fullRow, 0.06}, {clientsRow, 0.03}, {jarRow, 0.25}, {allJarRow, 0.15}} {
		if m := r.find(t.row); m != nil {
			a, b := median(m.a), median(m.b)
			add(m.name+": wall, of the classic recipe's", "%.2f", t.limit, ratio(a.Wall, b.Wall))
			add(m.name+": CPU, of the classic recipe's", "%.2f", t.limit, ratio(a.CPU, b.CPU))
			add(m.name+": largest process, of the classic recipe's", "%.2f", 1, ratio(a.Peak, b.Peak))
		}
	}
	for _, t := range []struct {
		row   string
		limit float64
	}{{unchangedRow, 0.1}, {copyRow, 0.1}, {lockRow, 0.1}, {commentRow, 0.35}, {fieldRow, 0.35}} {
		if m := r.find(t.row); m != nil {
			add(t.row+": wall s", "%.3f", t.limit, median(m.a).Wall.Seconds())
		}
	}
	if m := r.find(clientsRow); m != nil {
		add(clientsRow+": largest process, MiB", "%.0f", 120, float64(median(m.a).Peak)/(1<<20))
	}
	for _, t := range []struct{ table, of string }{{typesTable, "types"}, {packagesTable, "API packages"}} {
		if rows := r.in(t.table); len(rows) > 2 {
			x, _, cpu := points(rows)
			k, _ := power(x, cpu)
			add("exponent of CPU with the number of "+t.of, "%.2f", 1, k)
		}
	}
	return markdown([]string{"target", "wanted", "measured", "result"}, lines)
}
