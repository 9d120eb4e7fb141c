package docs

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// block is a paragraph of a description, or a list.
type block struct {
	Text  string
	Items []string // of a list
}

var item = regexp.MustCompile(`^\s*(?:[-*•]|[0-9]+[.)])\s+(.*)$`)

// blocks takes a doc comment apart: paragraphs are behind blank lines, and items of lists have a dash or a number.
func blocks(text string) []block {
	var out []block
	open := false // the last block goes on
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		match := item.FindStringSubmatch(line)
		last := len(out) - 1
		switch {
		case line == "":
		case match != nil && open && len(out[last].Items) > 0:
			out[last].Items = append(out[last].Items, match[1])
		case match != nil:
			out = append(out, block{Items: []string{match[1]}})
		case open && len(out[last].Items) > 0:
			out[last].Items[len(out[last].Items)-1] += " " + line
		case open:
			out[last].Text += " " + line
		default:
			out = append(out, block{Text: line})
		}
		open = line != ""
	}
	return out
}

// longest is how many characters of a sentence are printed.
const longest = 200

// sentence is the first sentence of a description, in one line.
func sentence(text string) string {
	var first string
	if all := blocks(text); len(all) > 0 {
		first = all[0].Text
		if len(all[0].Items) > 0 {
			first = all[0].Items[0]
		}
	}
	first = strings.Join(strings.Fields(first), " ")
	for i := 0; i < len(first); {
		end := strings.Index(first[i:], ". ")
		if end < 0 {
			break
		}
		i += end + 2
		if next, _ := utf8.DecodeRuneInString(first[i:]); !abbreviated(first[:i-2]) && !unicode.IsLower(next) {
			first = first[:i-1]
			break
		}
	}
	if utf8.RuneCountInString(first) > longest {
		first = strings.TrimRight(string([]rune(first)[:longest-1]), " ") + "…"
	}
	return first
}

// abbreviated says whether the full stop behind a text ends no sentence.
func abbreviated(text string) bool {
	for _, end := range []string{"e.g", "i.e", "etc", "vs", "cf"} {
		if strings.HasSuffix(text, end) {
			return true
		}
	}
	return false
}
