package python

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// docstring returns a text as a string literal behind so many blanks: wrapped, its paragraphs and lists
// kept, a full stop at its end. Without a text it is "".
func docstring(text string, indent int) string {
	text = complete(strings.TrimSpace(text))
	if text == "" {
		return ""
	}
	prefix, text := escapeDoc(text)
	quotes := prefix + `"""`
	if strings.HasPrefix(text, `"`) {
		quotes += " " // four quotes in a row would mislead readers
	}
	room := columns - indent
	lines := wrap(text, room-len(quotes)-3, room)
	if len(lines) == 1 {
		return quotes + lines[0] + `"""`
	}
	end := "\n" + strings.Repeat(" ", indent)
	out := quotes + strings.Join(append(lines, `"""`), end)
	return strings.ReplaceAll(out, end+"\n", "\n\n")
}

// complete returns a text with a full stop, if it ends without a mark.
func complete(text string) string {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, ")"))
	if text == "" || strings.HasSuffix(text, "```") || strings.ContainsRune(".!?:;…", last) {
		return text
	}
	return text + "."
}

// listItem starts the lines of a text that stay at the start of a line.
var listItem = regexp.MustCompile(`^[ \t]*([-*+]|[0-9]+[.)])[ \t]`)

// wrap returns the words of a text in lines of at most limit columns, the first of at most first, where no word is
// longer. Paragraphs and the items of lists start on a new line.
func wrap(text string, first, limit int) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		words := strings.FieldsFunc(line, isBlank)
		last := len(lines) - 1
		fresh := last < 0 || lines[last] == "" || listItem.MatchString(line)
		if len(words) == 0 && !fresh {
			lines = append(lines, "")
		}
		for _, word := range words {
			room := limit
			if len(lines) == 1 {
				room = first
			}
			if last := len(lines) - 1; !fresh && textWidth(lines[last]+" "+word) <= room {
				lines[last] += " " + word
			} else {
				lines = append(lines, word)
			}
			fresh = false
		}
	}
	return lines
}

func isBlank(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }

// page returns a text for a page of Markdown, with its paragraphs and lists.
func page(text string) string {
	return strings.Join(wrap(strings.Map(printable, strings.TrimSpace(text)), math.MaxInt, math.MaxInt), "\n")
}

// printable returns a character, or a blank for one that is not printable.
func printable(r rune) rune {
	if unicode.IsPrint(r) || isBlank(r) {
		return r
	}
	return ' '
}

// escapeDoc returns a text as it stands between """ quotes, and the prefix of such a string: r if there are
// backslashes in it. Blanks and ends of lines stay, and so do quotes that end nothing.
func escapeDoc(text string) (prefix, escaped string) {
	switch plain := strings.Map(printable, text) == text && !strings.Contains(text, `"""`); {
	case plain && strings.Contains(text, `\`):
		return "r", text
	case plain:
		return "", text
	}
	var b strings.Builder
	quotes := 0
	for _, r := range text {
		quotes++
		if r != '"' {
			quotes = 0
		}
		switch {
		case r == '\\' || quotes == 3 || r <= 0xffff && printable(r) != r:
			fmt.Fprintf(&b, `\u%04x`, r)
			quotes = 0
		case isBlank(r):
			b.WriteRune(r)
		default:
			b.WriteString(visible(r))
		}
	}
	return "", b.String()
}
