package cli

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

var messages = testkit.Repository + "/docs/use/messages.md"

// TestMessages holds what docs/use/messages.md says of the formats and of bad input against the cases of
// TestBadInput. With -update it rewrites that.
func TestMessages(t *testing.T) {
	var table strings.Builder
	table.WriteString("| what is wrong | exit code | what is said first |\n|---|---|---|\n")
	examples := map[string]string{}
	for _, c := range testkit.Cases(t, "bad/*.txtar") {
		if stdout := c.Part("stdout"); stdout != "" {
			examples[c.Name] = "```\n" + stdout + "```\n"
			continue
		}
		what, _, _ := strings.Cut(string(c.Comment), "\n")
		first, _, _ := strings.Cut(strings.TrimPrefix(c.Part("stderr"), "sdkgen: "), "\n")
		fmt.Fprintf(&table, "| %s | %s | %s |\n", what, c.Field("exit"), inline(first))
	}
	old := testkit.Read(t, messages)
	got := section(t, old, "json", examples["format-json"])
	got = section(t, got, "github", examples["format-github"])
	got = section(t, got, "bad input", table.String())
	if bytes.Equal(old, got) {
		return
	}
	if flag.Lookup("update").Value.String() != "true" {
		t.Fatalf("docs/use/messages.md (-found +cases):\n%s", cmp.Diff(string(old), string(got)))
	}
	if err := os.WriteFile(messages, got, 0o644); err != nil {
		t.Fatal(err)
	}
}

// inline is a text as code in a cell of a table.
func inline(text string) string {
	text = strings.ReplaceAll(text, "|", `\|`)
	if strings.Contains(text, "`") {
		return "`` " + text + " ``"
	}
	return "`" + text + "`"
}

// section replaces what stands between a document's comments that begin and end a section.
func section(t *testing.T, document []byte, name, text string) []byte {
	t.Helper()
	begin, end := []byte("<!-- "+name+", begin -->\n"), []byte("<!-- "+name+", end -->")
	before, rest, found := bytes.Cut(document, begin)
	_, after, closed := bytes.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("docs/use/messages.md has no section %q", name)
	}
	return bytes.Join([][]byte{before, begin, []byte(text), end, after}, nil)
}
