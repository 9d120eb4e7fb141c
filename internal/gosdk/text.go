package gosdk

import (
	"go/token"
	"strconv"
	"strings"
	"unicode"
)

// goName exports a JSON name: parts at characters that no identifier may hold are joined,
// each with an upper-case first letter. It is empty if nothing is left.
func goName(key string) string {
	var b strings.Builder
	upper := true
	for _, r := range key {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			upper = true
			continue
		case upper && b.Len() == 0 && unicode.IsDigit(r):
			b.WriteByte('X')
			b.WriteRune(r)
		case upper:
			b.WriteRune(unicode.ToUpper(r))
		default:
			b.WriteRune(r)
		}
		upper = false
	}
	return b.String()
}

// param is a field's name as a parameter.
func param(name string) string {
	lower := strings.ToLower(name[:1]) + name[1:]
	if token.IsKeyword(lower) {
		return lower + "_"
	}
	return lower
}

func quote(s string) string { return strconv.Quote(s) }

const width = 100

// comment returns the text as line comments, each starting with the indentation; fallback
// if the text is empty; "" without either.
func comment(text, fallback, indent string) string {
	if strings.TrimSpace(text) == "" {
		text = fallback
	}
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if wrapped := wrap(strings.Fields(clean(paragraph))); len(wrapped) > 0 {
			if len(lines) > 0 {
				lines = append(lines, indent+"//")
			}
			for _, line := range wrapped {
				lines = append(lines, indent+"// "+line)
			}
		}
	}
	return strings.Join(lines, "\n")
}

// clean replaces characters that would end a line comment or that no Go source may hold.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || r == ' ' {
			return r
		}
		return ' '
	}, text)
}

func wrap(words []string) []string {
	var lines []string
	var line strings.Builder
	for _, word := range words {
		if line.Len() > 0 && line.Len()+1+len(word) > width {
			lines = append(lines, line.String())
			line.Reset()
		}
		if line.Len() > 0 {
			line.WriteByte(' ')
		}
		line.WriteString(word)
	}
	if line.Len() > 0 {
		lines = append(lines, line.String())
	}
	return lines
}
