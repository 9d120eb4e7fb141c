package python

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

var wholeNumber = regexp.MustCompile(`^-?[0-9]+$`)

// Literal returns a JSON value, with numbers of Go's or JSON's types, as Python source on one line.
func Literal(value any) string { return valueOf(value).flat }

// valueOf returns a JSON value as Python source. Dictionaries are sorted by key. Whatever the value
// holds, the result is one literal: a string cannot end early.
func valueOf(value any) source {
	switch v := value.(type) {
	case nil:
		return atom("None")
	case bool:
		if v {
			return atom("True")
		}
		return atom("False")
	case json.Number:
		return atom(number(v.String()))
	case float64:
		return atom(number(model.FormatNumber(v)))
	case int:
		return atom(strconv.Itoa(v))
	case int64:
		return atom(strconv.FormatInt(v, 10))
	case []any:
		var items []source
		for _, item := range v {
			items = append(items, valueOf(item))
		}
		return group("[", "]", items...)
	case map[string]any:
		var items []source
		for _, key := range slices.Sorted(maps.Keys(v)) {
			items = append(items, valueOf(v[key]).after(quote(key)+": "))
		}
		return group("{", "}", items...)
	}
	return text(fmt.Sprint(value))
}

// text returns a string literal. One that is too long for a line is split in parts, in parentheses.
func text(s string) source {
	return source{flat: quote(s), open: "(", close: ")", long: s}
}

// number spells an exponent as Python programmers do: 1E+5 is 1e5.
func number(text string) string {
	return strings.Replace(strings.ToLower(text), "e+", "e", 1)
}

// quote returns a string literal: raw if that saves backslashes, and in double quotes if those need no more
// escapes than single ones.
func quote(s string) string {
	mark := `"`
	if strings.Contains(s, `\`) && isPrintable(s) {
		for _, mark := range []string{`"`, "'"} {
			if fitsRaw(s, mark) {
				return "r" + mark + s + mark
			}
		}
	}
	if strings.Count(s, `"`) > strings.Count(s, "'") {
		mark = "'"
	}
	var b strings.Builder
	b.WriteString(mark)
	for _, r := range s {
		if string(r) == mark {
			b.WriteByte('\\')
		}
		writeRune(&b, r)
	}
	b.WriteString(mark)
	return b.String()
}

// fitsRaw says whether a raw string in such quotes ends where the text does: a quote behind a backslash
// does not end it.
func fitsRaw(s, mark string) bool {
	escaped := false
	for _, r := range s {
		if string(r) == mark && !escaped {
			return false
		}
		escaped = r == '\\' && !escaped
	}
	return !escaped
}

func isPrintable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// quoteParts returns a string as literals that are at most so wide, and end behind blanks where there are some.
func quoteParts(s string, room int) []string {
	if whole := quote(s); textWidth(whole) <= room {
		return []string{whole}
	}
	var parts []string
	start, blank, size := 0, 0, 0
	for i, r := range s {
		if size += sizeOf(string(r)); size > room-len(`r""`) && i > start {
			end := i
			if blank > start {
				end = blank
			}
			for end > start+1 && s[end-1] == '\\' { // a backslash stays with what it escapes
				end--
			}
			parts = append(parts, quote(s[start:end]))
			start, size = end, sizeOf(s[end:i])+sizeOf(string(r))
		}
		if r == ' ' {
			blank = i + 1
		}
	}
	return append(parts, quote(s[start:]))
}

// sizeOf returns how many columns a text takes in a string literal at most.
func sizeOf(text string) int {
	n := strings.Count(text, `"`) + strings.Count(text, "'") + strings.Count(text, `\`)
	for _, r := range text {
		n += textWidth(visible(r))
	}
	return n
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
