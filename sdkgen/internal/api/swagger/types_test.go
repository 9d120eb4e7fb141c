package swagger_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/swagger"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

const typesIntro = `# Go types and markers

` + notByHand + `
What a field of an API type becomes in the CRD, in swagger.json, in the Python SDK and in the Go client. Schemas are written in
YAML's flow style, without descriptions and without ` + "`x-go-type`" + `, in which swagger.json keeps the Go type. "same" is the same as in
the CRD, – is no effect, and ` + "`validate()`" + ` means that this method of Python models checks it. Each section links to the source
that its table is made from. What sdkgen refuses is in [refused.md](refused.md).
`

// typesDocument is docs/use/types.md: a section for each case of testdata/types, in their order. The
// first is the one that markers are compared with, and has none.
func typesDocument(t *testing.T) string {
	cases := testkit.Cases(t, "types/*.txtar")
	themes := themesOf(t, cases)
	var b strings.Builder
	b.WriteString(typesIntro + "\n")
	plain := themes[0].plain()
	themes = themes[1:]
	fmt.Fprintf(&b, "By Go type: %s\n\n", contents(themes, true))
	fmt.Fprintf(&b, "By marker: %s, [%s](#%s)\n", contents(themes, false), generatorsTitle, anchor(generatorsTitle))
	for _, th := range themes {
		th.write(&b, plain)
	}
	writeGenerators(t, &b)
	return b.String()
}

// themesOf loads the cases: those that allow floats each on its own, the others together.
func themesOf(t *testing.T, cases []*testkit.Case) []*theme {
	t.Helper()
	themes := make([]*theme, len(cases))
	var together []*testkit.Case
	var places []int
	for i, c := range cases {
		if c.Field("floats") != "" {
			themes[i] = loadThemes(t, []*testkit.Case{c})[0]
			continue
		}
		together, places = append(together, c), append(places, i)
	}
	for i, th := range loadThemes(t, together) {
		themes[places[i]] = th
	}
	return themes
}

func loadThemes(t *testing.T, cases []*testkit.Case) []*theme {
	t.Helper()
	p, err := open(t, cases)
	if err != nil {
		t.Fatal(err)
	}
	var out []*theme
	for i, c := range cases {
		pkg := p.api.Packages[i]
		definitions, err := p.definitions(pkg)
		if err != nil {
			t.Fatal(err)
		}
		api, err := p.source.Model(pkg, definitions, config.Swagger{})
		if err != nil {
			t.Fatal(err)
		}
		doc, err := swagger.Print(api)
		if err != nil {
			t.Fatal(err)
		}
		if d := p.compare(t, pkg, api, doc); len(d) > 0 {
			t.Error(d)
		}
		out = append(out, newTheme(t, c, p, pkg, api, doc))
	}
	return out
}

// contents links to the sections about types, or to those about markers.
func contents(themes []*theme, ofTypes bool) string {
	var out []string
	for _, th := range themes {
		if (th.file.Field("by") == "types") == ofTypes {
			out = append(out, fmt.Sprintf("[%s](#%s)", th.title(), anchor(th.title())))
		}
	}
	return strings.Join(out, ", ")
}

func (th *theme) title() string {
	title, _ := split(th.file)
	return title
}

// write writes the section of a case. Its field "by" says what the rows are: types, kinds, or
// markers, of which the effects are shown.
func (th *theme) write(b *strings.Builder, plain map[string]*row) {
	title, intro := split(th.file)
	fmt.Fprintf(b, "\n## %s\n\n%s ([source](../../sdkgen/internal/api/swagger/testdata/types/%s.txtar))\n", title,
		strings.TrimSpace(intro), th.file.Name)
	switch th.file.Field("by") {
	case "types":
		table(b, []string{"Go", "CRD", "swagger.json", "Python", "Go client"}, merged(th.typeRows(), 1, ", "))
	case "kinds":
		table(b, []string{"marker", "CRD", "paths below that of a resource"}, merged(th.kindRows(), 1, "<br>"))
	default:
		table(b, []string{"marker", "at", "CRD", "swagger.json", "Python", "Go client"},
			merged(th.markerRows(plain), 2, "<br>"))
	}
	for name := range strings.FieldsSeq(th.file.Field("example")) {
		th.writeExample(b, name)
	}
}

// merged joins the first cells of neighbours that agree in all others. A cell that is the same for all is there once.
func merged(rows [][]string, first int, separator string) [][]string {
	var out [][]string
	for i := 0; i < len(rows); {
		end := i + 1
		for end < len(rows) && slices.Equal(rows[end][first:], rows[i][first:]) {
			end++
		}
		row := slices.Clone(rows[i])
		for column := range first {
			var cells []string
			for _, each := range rows[i:end] {
				cells = append(cells, each[column])
			}
			if column == 0 || len(slices.Compact(slices.Clone(cells))) > 1 {
				row[column] = strings.Join(cells, separator)
			}
		}
		out = append(out, row)
		i = end
	}
	return out
}

const generatorsTitle = "Markers that change no schema"

// writeGenerators writes what testdata/types/generators.md says of the markers that only select what is
// generated. Each must be in the case of markers that lint accepts.
func writeGenerators(t *testing.T, b *strings.Builder) {
	t.Helper()
	text := string(testkit.Read(t, "testdata/types/generators.md"))
	clean, err := os.ReadFile(filepath.FromSlash("../lint/testdata/clean.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(line, "| `+"); ok {
			name = name[:strings.IndexAny(name, "=`")]
			if !strings.Contains(string(clean), "+"+name) {
				t.Errorf("testdata/types/generators.md: +%s is not in lint's clean.txtar", name)
			}
		}
	}
	fmt.Fprintf(b, "\n## %s\n\n%s", generatorsTitle, text)
}
