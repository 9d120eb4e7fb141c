package changelog_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flux-framework/flux-operator/hack/release/changelog"
)

func TestGroups(t *testing.T) {
	groups, unsorted := changelog.Groups([]string{
		"api: add a field",
		"test/e2e: wait",
		"docs, controller: requeue once",
		"ci, docs: run more",
		"runtime/python: close streams",
		"runtime: close streams",
		"breaking: compare lists",
		"sdkgen: say more",
		"No area",
		"a phrase with words: is no area",
		"somewhere: do it",
	})
	want := []changelog.Group{
		{Title: "API", Items: []string{"- Add a field"}},
		{Title: "Operator", Items: []string{"- Requeue once"}},
		{Title: "Python SDK", Items: []string{"- Close streams"}},
		{Title: "sdkgen", Items: []string{"- breaking: compare lists", "- Say more"}},
		{Title: "Other", Items: []string{"- No area", "- a phrase with words: is no area", "- somewhere: do it"}},
	}
	if !slices.EqualFunc(groups, want, func(a, b changelog.Group) bool {
		return a.Title == b.Title &&
			slices.Equal(a.Items, b.Items)
	}) {
		t.Errorf("got %q, want %q", groups, want)
	}
	if len(unsorted) != 3 {
		t.Errorf("without an area are %q, want the last three", unsorted)
	}
}

func TestInsert(t *testing.T) {
	section := changelog.Section{
		Version: "1.1.0", Released: time.Date(2026, 1, 2, 23, 0, 0, 0, time.FixedZone("", -5*3600)),
		API:    "## Other changes\n\n- `Widget.spec.size` (v1): added\n",
		Groups: []changelog.Group{{Title: "API", Items: []string{"- Add size"}}},
	}
	got := changelog.Insert("", section)
	want := `# Changelog

## Unreleased

## 1.1.0 - 2026-01-03

### API

- Add size

#### Other changes

- ` + "`Widget.spec.size`" + ` (v1): added
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if again := changelog.Insert(got, section); again != got {
		t.Errorf("a second time it is\n%s", again)
	}
	_, older, ok := strings.Cut(want, "## 1.1.0")
	if !ok {
		t.Fatal("there is no section of 1.1.0")
	}
	section.Version = "1.2.0"
	if next := changelog.Insert(got, section); !strings.HasSuffix(next, older) {
		t.Errorf("the section of 1.1.0 changed:\n%s", next)
	}
	for heading, has := range map[string]bool{"## 1.1.0": true, "## [1.1.0] - 2026-01-01": true, "## v1.1.0": true,
		"## 1.1.0-rc.1": false, "## 11.1.0": false} {
		if changelog.Has("# Changelog\n\n"+heading+"\n", "1.1.0") != has {
			t.Errorf("%q is the section of 1.1.0: %t, want %t", heading, !has, has)
		}
	}
}
