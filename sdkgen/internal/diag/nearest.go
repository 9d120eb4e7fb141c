package diag

import "strings"

// Nearest returns the candidate that a name is most likely meant to be, "" if it is like none.
func Nearest(name string, candidates []string) string {
	name = strings.ToLower(name)
	best, least := "", 1+Tolerance(name)
	for _, candidate := range candidates {
		if d := Distance(name, strings.ToLower(candidate), least); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// Tolerance is how many slips still make a name of that length recognisable.
func Tolerance(name string) int {
	switch {
	case len(name) <= 2:
		return 0
	case len(name) <= 5:
		return 1
	}
	return 2
}

// Distance is the number of characters to insert, drop, replace or swap with the next one to make
// b of a, or limit if there are as many or more.
func Distance(a, b string, limit int) int {
	if max(len(a)-len(b), len(b)-len(a)) >= limit {
		return limit
	}
	var before []int // the row before the previous
	previous := make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(previous[j+1]+1, row[j]+1, previous[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, previous = previous, row
	}
	return min(previous[len(b)], limit)
}
