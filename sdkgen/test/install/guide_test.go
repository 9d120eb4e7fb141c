package install

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

const guide = "../../../docs/use/getting-started.md"

// block is a fenced block of the guide. A comment before it may say to which file it goes.
var block = regexp.MustCompile("(?m)(?:^<!-- file: (\\S+)(?: after: (.+))? -->\n)?^```(\\w+)\n((?s:.*?))^```$")

// TestGuide does what docs/use/getting-started.md says, in an empty directory: it writes the files and runs the
// commands of each block "console" with sh. The lines of a block "text" are in what the commands before it printed.
func TestGuide(t *testing.T) {
	testkit.NeedAll(t)
	m := newMachine(t)
	m.env = append(m.env, "PATH="+m.bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	dir, printed := t.TempDir(), ""
	blocks := block.FindAllStringSubmatch(string(testkit.Read(t, guide)), -1)
	if len(blocks) < 10 {
		t.Fatalf("the guide has %d blocks: the test does not read it", len(blocks))
	}
	for _, found := range blocks {
		name, after, language, text := found[1], found[2], found[3], found[4]
		switch {
		case name != "" && after != "":
			insert(t, filepath.Join(dir, name), after, text)
		case name != "":
			testkit.Write(t, dir, name, []byte(text))
		case language == "console":
			got := m.run(t, dir, "sh", "-ec", text)
			printed = got.stdout + got.stderr
			if strings.Contains(text, "\ncd farm\n") {
				dir = filepath.Join(dir, "farm")
			}
		case language == "text":
			for line := range strings.Lines(text) {
				if !strings.Contains(printed, line) {
					t.Errorf("the guide says that %q is printed, but that was\n%s", line, printed)
				}
			}
		default:
			t.Errorf("a block of %s has neither a file nor commands:\n%s", language, text)
		}
	}
	m.run(t, dir, ".venv/bin/python", "-c", "import create")
}

// insert puts text behind the line of a file that ends so.
func insert(t *testing.T, file, after, text string) {
	t.Helper()
	before, rest, found := strings.Cut(string(testkit.Read(t, file)), after+"\n")
	if !found {
		t.Fatalf("%s has no line that ends with %s", file, after)
	}
	if err := os.WriteFile(file, []byte(before+after+"\n"+text+rest), 0o644); err != nil {
		t.Fatal(err)
	}
}
