package compare

import "strings"

const (
	width   = 120 // of a rule in text output
	context = 30  // what is left on both sides of a difference
)

// abbreviate shortens long rules in text output around what differs.
func abbreviate(old, now string) correction {
	before, after := old, now
	if old != "" && max(len(old), len(now)) > width {
		before, after = differences(oneLine(old), oneLine(now))
	}
	return func(c *Change) {
		for _, pair := range [][2]string{{now, clip(oneLine(after))}, {old, clip(oneLine(before))}} {
			if pair[0] != pair[1] {
				c.short = append(c.short, pair[0], pair[1])
			}
		}
	}
}

// Brief shortens the CEL rules in a text about the change, for text output.
func (c *Change) Brief(text string) string { return strings.NewReplacer(c.short...).Replace(text) }

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// clip cuts what does not fit.
func clip(text string) string {
	runes := []rune(text)
	if len(runes) <= width {
		return text
	}
	return string(runes[:width-1]) + "…"
}

// differences cuts what two texts begin and end with, up to some context.
func differences(a, b string) (string, string) {
	first, second := []rune(a), []rune(b)
	n := min(len(first), len(second))
	start, end := 0, 0
	for start < n && first[start] == second[start] {
		start++
	}
	for end < n-start && first[len(first)-1-end] == second[len(second)-1-end] {
		end++
	}
	cut := func(text []rune) string {
		from, to := max(0, start-context), min(len(text), len(text)-end+context)
		out := string(text[from:to])
		if from > 0 {
			out = "…" + out
		}
		if to < len(text) {
			out += "…"
		}
		return out
	}
	return cut(first), cut(second)
}
