package reference

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// block is a paragraph of a description, a list or code.
type block struct {
	Text  string
	Items []string // of a list
	Code  string   // lines between fences, or lines that are indented
}

var item = regexp.MustCompile(`^\s*(?:[-*•]|[0-9]+[.)])\s+(.*)$`)

// blocks takes a doc comment apart: paragraphs are behind blank lines, items of lists have a dash or a number, and code
// is between fences of three backticks, or indented by a tab or four blanks behind a blank line.
func blocks(text string) []block {
	var out []block
	open := false // the last block goes on
	lines := slices.Collect(strings.Lines(text))
	for i := 0; i < len(lines); i++ {
		if code, behind := codeAt(lines, i, !open); behind > i {
			if code != "" {
				out = append(out, block{Code: code})
			}
			i, open = behind-1, false
			continue
		}
		line := strings.TrimSpace(lines[i])
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

// codeAt returns the code that begins at a line, and the number of the line behind it; that of the line if there is
// none. fresh says that a block begins there.
func codeAt(lines []string, at int, fresh bool) (code string, behind int) {
	if opening.MatchString(strings.TrimSpace(lines[at])) {
		for end := at + 1; end < len(lines); end++ {
			if strings.TrimSpace(lines[end]) == fence {
				return dedented(lines[at+1 : end]), end + 1
			}
		}
		return "", at // it is not closed
	}
	end := at
	if item.MatchString(strings.TrimSpace(lines[at])) {
		fresh = false
	}
	for end < len(lines) && fresh && (indented(lines[end]) || end > at && strings.TrimSpace(lines[end]) == "") {
		end++
	}
	if end == at {
		return "", at
	}
	return dedented(lines[at:end]), end
}

// fence begins and ends code. Behind the first may be the language, and nothing else: where the lines of a comment were
// joined, code follows.
const fence = "```"

var opening = regexp.MustCompile("^```[a-zA-Z0-9]*$")

func indented(line string) bool {
	return strings.TrimSpace(line) != "" && (strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    "))
}

// dedented returns lines without the indentation that all have, and without blank lines at the ends.
func dedented(lines []string) string {
	least := -1
	for i, line := range lines {
		lines[i] = strings.TrimRight(strings.ReplaceAll(line, "\t", "    "), " \r\n")
		if indent := len(lines[i]) - len(strings.TrimLeft(lines[i], " ")); lines[i] != "" && (least < 0 || indent < least) {
			least = indent
		}
	}
	for i, line := range lines {
		lines[i] = line[min(max(least, 0), len(line)):]
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// longest is how many characters of a sentence are printed.
const longest = 200

// sentence is the first sentence of a description, in one line.
func sentence(text string) string {
	var first string
	all := slices.DeleteFunc(blocks(text), func(b block) bool { return b.Code != "" })
	if len(all) > 0 {
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
