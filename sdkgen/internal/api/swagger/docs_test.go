package swagger_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	checkFile(t, filepath.Join(testkit.Repository, "docs", "use", name), got)
}

// checkFile holds a file that a test writes against what it would write; -update writes it.
func checkFile(t *testing.T, file, got string) {
	t.Helper()
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := string(testkit.Read(t, file)); got != want {
		t.Errorf("%s is not what the cases give, run the test with -update (-file +cases):\n%s", file, cmp.Diff(want, got))
	}
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
