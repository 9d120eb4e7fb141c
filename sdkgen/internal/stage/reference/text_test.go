package reference

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBlocks takes comments apart as their authors see them.
func TestBlocks(t *testing.T) {
	for text, want := range map[string][]block{
		"":                              nil,
		"One\ntwo.\n\nThree.":           {{Text: "One two."}, {Text: "Three."}},
		"Items:\n- one\n  more\n2. two": {{Text: "Items:"}, {Items: []string{"one more", "two"}}},
		"For example:\n\n```yaml\na:\n  b: {{ c }}\n\n  d: 1\n```\nAfter.": {{Text: "For example:"},
			{Code: "a:\n  b: {{ c }}\n\n  d: 1"}, {Text: "After."}},
		"For example:\n\n\ta:\n\t  b: 1\n\nAfter.": {{Text: "For example:"}, {Code: "a:\n  b: 1"},
			{Text: "After."}},
		"A line\n    that goes on.": {{Text: "A line that goes on."}},
		"Items:\n\n    - one\n    - two": {{Text: "Items:"},
			{Items: []string{"one", "two"}}},
		"```yaml a: 1 b: 2\n```\nText.": {{Text: "```yaml a: 1 b: 2 ``` Text."}},
		"```\nnever closed":             {{Text: "``` never closed"}},
		"```\n```\nText.":               {{Text: "Text."}},
	} {
		if diff := cmp.Diff(want, blocks(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	if got := sentence("```\ncode. More\n```\nFirst. Second."); got != "First." {
		t.Errorf("the first sentence is %q", got)
	}
}
