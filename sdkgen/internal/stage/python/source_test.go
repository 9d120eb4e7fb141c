package python

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestSource: ruff leaves statements of all lengths as they are.
func TestSource(t *testing.T) {
	var b strings.Builder
	b.WriteString("\"\"\"Statements.\"\"\"\n\n\nclass C:\n    \"\"\"Statements.\"\"\"\n\n")
	for n := 1; n < 110; n++ {
		name := strings.Repeat("a", n)
		for _, hint := range []source{
			atom(strings.Repeat("B", n)), subscript("Optional", subscript("Literal", atoms([]string{`"a"`, quote(name)})...)),
			subscript("Dict", atom("str"), atom(strings.Repeat("B", n))), subscript("Optional", atom("int")),
		} {
			for _, arguments := range [][]source{
				{atom(`"a"`)}, {text(name), text("b c"), valueOf(map[string]any{"enum": []any{"a", name}}).after("rules=")},
				{text(strings.Repeat(name+" ", 2)).after("default="),
					valueOf(map[string]any{"maxItems": 64, "pattern": `^\d"` + name}).after("rules=")},
			} {
				fmt.Fprintf(&b, "    %s\n", annotated("attr", hint, call("_model.field(", ")", arguments...), 4))
			}
		}
	}
	for n := 1; n < 110; n++ {
		name := strings.Repeat("a", n)
		params := []source{atom("self"), atom(name + ": str"),
			subscript("Union", atom("A"), atom(name)).after("body: ").before(" = None"), atom("**query: Unpack[Q]")}
		for _, returns := range []source{atom("A"), subscript("Union", atom("A"), atom(name))} {
			fmt.Fprintf(&b, "\n    %s\n        %s\n", signature("f", params, returns, 4),
				call("return x(", ")", call("segments(", ")", text("a"), text(name)), atom("q")).render(8))
		}
	}
	dir := t.TempDir()
	project, err := os.ReadFile(filepath.Join(testkit.Repository, "sdkgen", "templates", "python", "project",
		"pyproject.toml.mustache"))
	if err != nil {
		t.Fatal(err)
	}
	_, settings, ok := strings.Cut(string(project), "[tool.ruff]")
	if !ok {
		t.Fatal("pyproject.toml.mustache has no [tool.ruff]")
	}
	testkit.Write(t, dir, "pyproject.toml", []byte("[tool.ruff]"+settings))
	testkit.Write(t, dir, "statements.py", []byte(b.String()))
	testkit.RuffFormat(t, dir)
}
