package pysdk

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/flux-framework/flux-operator/sdkgen/internal/document"
)

var wholeNumber = regexp.MustCompile(`^-?[0-9]+$`)

// literal returns a JSON value as Python source. Dictionaries are sorted by key. Whatever the
// value holds, the result is one literal: a string can not end early.
func literal(value any) string {
	switch v := value.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case string:
		return quote(v)
	case json.Number:
		return v.String()
	case float64:
		return document.FormatNumber(v)
	case int:
		return strconv.Itoa(v)
	case []any:
		items := make([]string, 0, len(v))
		for _, item := range v {
			items = append(items, literal(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case map[string]any:
		items := make([]string, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			items = append(items, quote(key)+": "+literal(v[key]))
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	return quote(fmt.Sprint(value))
}

func quote(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range s {
		if r == '\'' {
			b.WriteString(`\'`)
			continue
		}
		writeRune(&b, r)
	}
	b.WriteByte('\'')
	return b.String()
}

// writeRune writes one character of a string literal, quotes aside.
func writeRune(b *strings.Builder, r rune) {
	switch {
	case r == '\\':
		b.WriteString(`\\`)
	case r == '\n':
		b.WriteString(`\n`)
	default:
		b.WriteString(visible(r))
	}
}

// visible returns a character, or the escape of one that is not printable, for a string literal or a
// regular expression.
func visible(r rune) string {
	switch {
	case unicode.IsPrint(r):
		return string(r)
	case r <= 0xff:
		return fmt.Sprintf(`\x%02x`, r)
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// width is where docstrings are wrapped, indentation included.
const width = 96

// docstring returns a text for between """ and """ in a class: wrapped, continued lines
// indented by four spaces, quotes and backslashes escaped. Without a text it is the name's.
func docstring(text, name string) string {
	text = escapeDoc(text)
	if strings.TrimSpace(text) == "" {
		text = name + "."
	}
	var paragraphs []string
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if lines := document.Wrap(paragraph, width-4); len(lines) > 0 {
			paragraphs = append(paragraphs, strings.Join(lines, "\n    "))
		}
	}
	return strings.Join(paragraphs, "\n\n    ")
}

// oneLine is docstring for a text that must stay on its line.
func oneLine(text string) string {
	return strings.Join(strings.Fields(escapeDoc(text)), " ")
}

// escapeDoc escapes what could end or change a """ string. Blanks stay.
func escapeDoc(text string) string {
	var b strings.Builder
	for _, r := range strings.TrimSpace(text) {
		switch r {
		case '"':
			b.WriteString(`\"`)
		case '\n', '\t', ' ':
			b.WriteRune(r)
		default:
			writeRune(&b, r)
		}
	}
	return b.String()
}
