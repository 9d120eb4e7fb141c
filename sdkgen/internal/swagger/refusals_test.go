package swagger_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

const refusedIntro = `# What is refused

` + notByHand + `
What ` + "`sdkgen`" + ` says of a type or a marker that would not become what its author means. Nothing is written then. Each finding has its
position, which is left out here; the last column is what to write, where there is one answer.
`

// refusedDocument is docs/refused.md.
func refusedDocument(t *testing.T) string {
	var b strings.Builder
	b.WriteString(refusedIntro)
	found := 0
	for _, glob := range []string{"build/*.txtar", "../../lint/testdata/*.txtar"} {
		for _, c := range testkit.Cases(t, glob) {
			rows := refusals(t, c)
			if len(rows) == 0 {
				continue
			}
			found += len(rows)
			title, _ := split(c)
			fmt.Fprintf(&b, "\n## %s\n", strings.TrimSuffix(title, "."))
			table(&b, []string{"written", "said", "to do"}, rows)
		}
	}
	if found < 200 {
		t.Errorf("only %d findings", found)
	}
	return b.String()
}

var finding = regexp.MustCompile(`^(\S+?):(\d+):\d+: (.*) \(\w+\)$`)

// refusals writes a row for each finding that a case wants at a line of its own.
func refusals(t *testing.T, c *testkit.Case) [][]string {
	t.Helper()
	var rows [][]string
	for line := range strings.Lines(c.Part("want") + c.Part("refused")) {
		line = strings.TrimSuffix(line, "\n")
		if hint, ok := strings.CutPrefix(line, "    "); ok && len(rows) > 0 {
			last := &rows[len(rows)-1][2]
			*last = strings.TrimSpace(*last + " " + advice(hint))
			continue
		}
		parts := finding.FindStringSubmatch(line)
		if len(parts) == 0 || filepath.Base(parts[1]) == "zz_generated.openapi.go" {
			continue
		}
		number, err := strconv.Atoi(parts[2])
		if err != nil {
			t.Fatal(err)
		}
		if source, ok := written(c, parts[1], number); ok {
			rows = append(rows, []string{strings.Join(codes(strings.Split(source, "\n")), " "), plainText(parts[3]), ""})
		}
	}
	return rows
}

// written is the line of a case that a finding is about, with the markers above it; false if it is
// in a file that all cases have.
func written(c *testkit.Case, file string, number int) (string, bool) {
	for _, f := range c.Files {
		lines := strings.Split(string(f.Data), "\n")
		if file != f.Name && filepath.Base(file) != f.Name || number > len(lines) {
			continue
		}
		text := source(lines[number-1])
		for i := number - 2; i >= 0 && !strings.HasPrefix(text, "+") && strings.HasPrefix(source(lines[i]), "+"); i-- {
			text = source(lines[i]) + "\n" + text
		}
		return text, true
	}
	return "", false
}

var control = regexp.MustCompile(`[[:cntrl:]\x{80}-\x{9f}]`)

// source is a line of Go without indentation and comment sign, and with its control characters named.
func source(line string) string {
	text := strings.Join(strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "// ")), " ")
	return control.ReplaceAllStringFunc(text, func(c string) string { return fmt.Sprintf("<%U>", []rune(c)[0]) })
}

// advice is a line of a hint: what is to be written, or words.
func advice(hint string) string {
	if text := source(hint); strings.HasPrefix(text, "+") {
		return code(text)
	}
	return plainText(hint)
}

// plainText is a text that Markdown changes nothing in.
func plainText(text string) string {
	return regexp.MustCompile("[\\\\`*_<>|\\[\\]]").ReplaceAllString(text, `\$0`)
}
