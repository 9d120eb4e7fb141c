package rules

import (
	"bytes"
	"slices"
	"strings"
)

// Update returns the exceptions list that accepts exactly the violations, sorted. A comment
// stays with the exception below it, and is removed with it; one that is followed by a blank
// line, and one at the end, moves to the top.
func Update(old []byte, violations []Violation) []byte {
	head, above := comments(old)
	sorted := slices.Clone(violations)
	slices.SortFunc(sorted, compare)
	var out bytes.Buffer
	for i, block := range head {
		if i > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(block)
	}
	if len(head) > 0 && len(sorted) > 0 {
		out.WriteByte('\n')
	}
	for _, v := range slices.Compact(sorted) {
		out.WriteString(above[v])
		out.WriteString(v.String() + "\n")
	}
	return out.Bytes()
}

// comments splits a list's comments into those of an exception and the others.
func comments(data []byte) (head []string, above map[Violation]string) {
	above = map[Violation]string{}
	var block strings.Builder
	flush := func() {
		if block.Len() > 0 {
			head = append(head, block.String())
			block.Reset()
		}
	}
	for line := range bytes.Lines(data) {
		text := strings.TrimSpace(string(line))
		switch {
		case strings.HasPrefix(text, "#"):
			block.WriteString(text + "\n")
		case text == "":
			flush()
		default:
			if v, err := parse(text); err == nil {
				above[v] = block.String()
			}
			block.Reset()
		}
	}
	flush()
	return head, above
}
