package swagger_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

const notByHand = "<!-- Made by `go test ./sdkgen/internal/api/swagger -run TestDocs -update`: do not edit. -->\n"

// TestDocs holds docs/use/types.md against what the cases in testdata/types become, and docs/use/refused.md
// against the cases that are refused, here and in lint's testdata. With -update it writes them.
func TestDocs(t *testing.T) {
	t.Run("types", func(t *testing.T) { checkDocument(t, "types.md", typesDocument(t)) })
	t.Run("refused", func(t *testing.T) { checkDocument(t, "refused.md", refusedDocument(t)) })
}

func checkDocument(t *testing.T, name, got string) {
	t.Helper()
	testkit.CheckFile(t, filepath.Join(testkit.Repository, "docs", "use", name), got)
}

// code is text as code in Markdown, also in a cell of a table.
func code(text string) string {
	text = strings.ReplaceAll(text, "|", `\|`)
	if strings.Contains(text, "`") {
		return "`` " + text + " ``"
	}
	return "`" + text + "`"
}

// anchor is the fragment by which a heading is linked.
func anchor(heading string) string {
	return strings.ReplaceAll(regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// table writes a Markdown table.
func table(b *strings.Builder, head []string, rows [][]string) {
	fmt.Fprintf(b, "\n| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	for _, row := range rows {
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
	}
}

// split divides a case's comment, without the fields of TestBuild, into its title and the rest.
func split(c *testkit.Case) (title, intro string) {
	var lines []string
	for line := range strings.Lines(string(c.Comment)) {
		name, _, _ := strings.Cut(line, ":")
		if !slices.Contains([]string{"alone", "by", "example", "floats", "names", "plain", "show"}, name) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines[0], strings.Join(lines[1:], "\n")
}
