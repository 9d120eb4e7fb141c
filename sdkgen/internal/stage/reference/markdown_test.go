package reference

import (
	"html"
	"regexp"
	"strings"
	"testing"
)

// FuzzEscape: what escape and code return has nothing in it that HTML, MDX or templates take for more than text, and,
// read as HTML, is the text again.
func FuzzEscape(f *testing.F) {
	for _, text := range []string{"", "a", "{{< x >}}", "import x from 'y'", "1. one", "- x",
		"a_b *c* `d` [e](f) <g> {h} \\i", "![x]", ":::note", "&amp;", "https://example.org/a_b#c.", "# x", "= y", "| z |",
		"$math$"} {
		f.Add(text)
	}
	link := regexp.MustCompile(`\[([^\]\[]*)\]\(https?://[^)\s]*\)`)
	f.Fuzz(func(t *testing.T, text string) {
		plain := strings.Join(strings.Fields(text), " ")
		got := link.ReplaceAllString(escape(text), "$1")
		if strings.ContainsAny(got, "<>{}`*_[]|\\$") ||
			html.UnescapeString(got) != html.UnescapeString(plain) && html.UnescapeString(got) != plain {
			t.Errorf("escape(%q) = %q", text, got)
		}
		got = code(text)
		inner, isHTML := strings.CutPrefix(got, "<code>")
		inner = strings.TrimSuffix(inner, "</code>")
		if isHTML {
			inner = html.UnescapeString(inner)
		} else {
			inner = strings.Trim(inner, "`")
		}
		if inner != plain || !isHTML && strings.ContainsAny(got, "{}<>&|") {
			t.Errorf("code(%q) = %q", text, got)
		}
	})
}
