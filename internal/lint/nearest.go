package lint

import (
	"strings"
)

// nearest returns the known spelling that a name is most likely meant to be, "" if it is like none.
func (c *catalog) nearest(name string) string {
	lower := strings.ToLower(name)
	if right := instead[lower]; right != "" {
		return right
	}
	best, least := "", 1+tolerance(lower)
	for _, spelled := range c.spelled {
		if d := distance(lower, strings.ToLower(spelled), least); d < least {
			best, least = spelled, d
		}
	}
	if path, ok := strings.CutPrefix(name, validationPrefix); ok {
		if right := nearestValidation(path); right != "" {
			return validationPrefix + right
		}
		return best
	}
	if best == "" && inNamespace(name) {
		best = c.nearestEnd(lower)
	}
	return best
}

// nearestEnd finds a name whose last part is that of name, or nearly so, and whose namespace is
// not another one: kubebuilder:optional is meant to be optional.
func (c *catalog) nearestEnd(name string) string {
	space, last := name[:strings.IndexByte(name+":", ':')], end(name)
	best, least := "", 0
	for _, spelled := range c.spelled {
		lower := strings.ToLower(spelled)
		if prefix, _, ok := strings.Cut(lower, ":"); ok && prefix != space {
			continue
		}
		d := distance(last, end(lower), 1+tolerance(last))
		if d > tolerance(last) {
			continue
		}
		// The last part counts most, the rest decides between equals.
		if cost := 1 + d*1000 + distance(name, lower, 1000); best == "" || cost < least {
			best, least = spelled, cost
		}
	}
	return best
}

// nearestValidation corrects what follows the prefix of kube-openapi's validations part by part,
// since some parts are names of the user's own.
func nearestValidation(path string) string {
	first, rest, deeper := strings.Cut(path, ":")
	if !deeper {
		return closest(first, validations)
	}
	if strings.HasPrefix(first, "cel[") {
		return under(first, closest(rest, celKeys))
	}
	head := closest(first, []string{"items", "additionalProperties", "properties"})
	if head == "properties" {
		property, below, _ := strings.Cut(rest, ":")
		return under(head, under(property, nearestValidation(below)))
	}
	return under(head, nearestValidation(rest))
}

func under(head, rest string) string {
	if head == "" || rest == "" {
		return ""
	}
	return head + ":" + rest
}

// closest returns the candidate that is nearest to name, "" if none is near.
func closest(name string, candidates []string) string {
	name = strings.ToLower(name)
	best, least := "", 1+tolerance(name)
	for _, candidate := range candidates {
		if d := distance(name, strings.ToLower(candidate), least); d < least {
			best, least = candidate, d
		}
	}
	return best
}

func end(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }

// tolerance is how many slips still make a name of that length recognisable.
func tolerance(name string) int {
	switch {
	case len(name) <= 2:
		return 0
	case len(name) <= 5:
		return 1
	}
	return 2
}

func inNamespace(name string) bool {
	for _, space := range namespaces {
		if strings.HasPrefix(name, space) {
			return true
		}
	}
	return false
}

// distance is the number of characters to insert, drop, replace or swap with the next one to make
// b of a, or limit if there are as many or more.
func distance(a, b string, limit int) int {
	if abs(len(a)-len(b)) >= limit {
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

func abs(n int) int { return max(n, -n) }
