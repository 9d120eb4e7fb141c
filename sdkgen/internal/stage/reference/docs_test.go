package reference_test

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/constraint"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/python"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/reference"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// changes are what the comparison of the versions in the cases says.
var changes = []reference.Comparison{{Group: "example.org", Kind: "Widget", From: "v1beta1", To: "v1",
	Changes: []reference.Change{
		{Path: "spec.size", Text: "maximum: 10, now 9", Effect: "the API server refuses to create an object that was valid"},
		{Path: "spec.size", Text: "default: none, now 3"},
		{Path: "spec.old", Text: "removed", Effect: "strict clients are refused"},
		{Path: "spec.parts", Text: "added"},
		{Path: "", Text: "a rule | with a bar"},
	}}}

// TestPages runs testdata/*.txtar: the files of a site and of Markdown for the documents "swagger.json" and "old.json",
// with the schema of Widget in "crd.yaml".
func TestPages(t *testing.T) {
	testkit.Each(t, "*.txtar", func(t *testing.T, c *testkit.Case) {
		for _, format := range []string{"html", "markdown"} {
			var first string
			for range 20 {
				text := print(pages(t, c, format == "markdown"))
				if first == "" {
					first = text
					c.Want(t, format, text)
				}
				if text != first {
					t.Fatalf("%s: two runs differ", format)
				}
			}
		}
	})
}

func pages(t *testing.T, c *testkit.Case, markdown bool) *artifact.Set {
	t.Helper()
	var apis []reference.API
	crds := map[string]*constraint.Schema{}
	if text := c.Part("crd.yaml"); text != "" {
		crds["Widget"] = &constraint.Schema{}
		if err := yaml.UnmarshalStrict([]byte(text), crds["Widget"]); err != nil {
			t.Fatal(err)
		}
	}
	for _, part := range []string{"old.json", "swagger.json"} {
		if c.Part(part) == "" {
			continue
		}
		api := testkit.Model(t, []byte(c.Part(part)))
		apis = append(apis, reference.API{
			API: api, Languages: []reference.Language{{Name: "Python", Separator: ": ", Classes: python.Classes(api)}},
			CRDs: crds, Samples: map[string][]reference.Sample{"Widget": {{Name: "YAML", Text: "kind: Widget # </code>\n"}}},
		})
	}
	set, err := reference.Pages(reference.Options{Dir: "site", Markdown: markdown, Title: "Widgets & more"}, apis, changes)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// print is the text of all files but style and script.
func print(set *artifact.Set) string {
	var b strings.Builder
	for file := range set.All() {
		if name := path.Base(file.Path); name != "style.css" && name != "search.js" {
			fmt.Fprintf(&b, "=== %s\n%s", file.Path, file.Data)
		}
	}
	return b.String()
}

var (
	ids   = regexp.MustCompile(` id="([^"]*)"`)
	hrefs = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	links = regexp.MustCompile(`\]\(([^)]*)\)`)
)

// TestLinks: each link of a page leads to a page of the site, and to an element that it has, and no element's name is
// taken twice.
func TestLinks(t *testing.T) {
	for _, c := range testkit.Cases(t, "*.txtar") {
		for _, markdown := range []bool{false, true} {
			set := pages(t, c, markdown)
			found := 0
			for file := range set.All() {
				seen := map[string]bool{}
				for _, id := range ids.FindAllStringSubmatch(string(file.Data), -1) {
					if seen[id[1]] {
						t.Errorf("%s has two elements %s", file.Path, id[1])
					}
					seen[id[1]] = true
				}
				pattern := hrefs
				if markdown || path.Ext(file.Path) == ".txt" {
					pattern = links
				}
				for _, link := range pattern.FindAllStringSubmatch(string(file.Data), -1) {
					if !strings.Contains(link[1], ":/") && !strings.HasPrefix(link[1], "data:") {
						found++
						follow(t, set, file, link[1])
					}
				}
			}
			if found < 2 {
				t.Errorf("only %d links were followed", found)
			}
		}
	}
}

// follow looks for what a link leads to.
func follow(t *testing.T, set *artifact.Set, from artifact.File, link string) {
	t.Helper()
	name, id, _ := strings.Cut(link, "#")
	to := from
	if name != "" {
		var ok bool
		if to, ok = set.Lookup(path.Join(path.Dir(from.Path), name)); !ok {
			t.Errorf("%s: nothing is at %s", from.Path, link)
			return
		}
	}
	if id != "" && !strings.Contains(string(to.Data), fmt.Sprintf(` id="%s"`, id)) {
		t.Errorf("%s: there is no element %s", from.Path, link)
	}
}
