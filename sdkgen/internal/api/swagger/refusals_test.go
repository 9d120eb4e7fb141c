package swagger_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/lint"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

const refusedIntro = `# What sdkgen refuses

` + notByHand + `
Types and markers that would become something else than their author means. ` + "`sdkgen generate`" + ` reports all of them with file, line
and column, and writes nothing. Each rule has the message of an example, the source that it is about, and what to write instead.
The links lead to all tested cases. Other messages, such as those about sdkgen.yaml, are in [messages.md](messages.md#bad-input).
`

// refusedDocument is docs/use/refused.md: the rules of testdata/refusals.txt with their examples, and of package lint's
// table those whose cases have a message that no rule there matches, under their own ID and text. Each diagnostic of
// the corpus belongs to a rule.
func refusedDocument(t *testing.T) string {
	groups, table := readRules(t), &ruleGroup{title: "Other rules"}
	for _, glob := range []string{"build/*.txtar", "../../lint/testdata/*.txtar"} {
		for _, c := range testkit.Cases(t, glob) {
			for _, r := range refusals(t, c) {
				if rule := ruleOf(groups, r.message); rule != nil {
					rule.add(glob, c.Name, r)
				} else if rule := ruleOfTable(table, c.Name); rule != nil {
					rule.add(glob, c.Name, r)
				} else {
					t.Errorf("no rule of testdata/refusals.txt matches %q, of %s", r.message, c.Name)
				}
			}
		}
	}
	if len(table.rules) > 0 {
		groups = append(groups, table)
	}
	var b strings.Builder
	b.WriteString(refusedIntro + "\n")
	for _, g := range groups {
		var titles []string
		for _, r := range g.rules {
			titles = append(titles, r.Title)
		}
		fmt.Fprintf(&b, "- [%s](#%s): %s\n", g.title, anchor(g.title), strings.Join(titles, "; "))
	}
	for _, g := range groups {
		fmt.Fprintf(&b, "\n## %s\n\n", g.title)
		if g.intro != "" {
			b.WriteString(g.intro + "\n\n")
		}
		for _, r := range g.rules {
			r.write(t, &b)
		}
	}
	return b.String()
}

// ruleGroup is a section of docs/use/refused.md.
type ruleGroup struct {
	title, intro string
	rules        []*refusalRule
}

// refusalRule is a rule of testdata/refusals.txt, whose lines "name: value" are its exported fields.
type refusalRule struct {
	Title, Match, Why, Instead, Show, Before string

	match   *regexp.Regexp
	example *refusal
	cases   []string // links to the corpus
}

func readRules(t *testing.T) []*ruleGroup {
	t.Helper()
	var groups []*ruleGroup
	for block := range strings.SplitSeq(string(testkit.Read(t, "testdata/refusals.txt")), "\n\n") {
		title, isGroup := strings.CutPrefix(block, "== ")
		switch {
		case strings.HasPrefix(block, "#") || block == "":
		case isGroup:
			groups = append(groups, &ruleGroup{title: title})
		case strings.HasPrefix(block, "title: "):
			g := groups[len(groups)-1]
			g.rules = append(g.rules, readRule(t, block))
		default:
			groups[len(groups)-1].intro = block
		}
	}
	return groups
}

func readRule(t *testing.T, block string) *refusalRule {
	t.Helper()
	r := &refusalRule{}
	for line := range strings.SplitSeq(strings.TrimSpace(block), "\n") {
		name, value, _ := strings.Cut(line, ": ")
		field := reflect.ValueOf(r).Elem().FieldByName(strings.ToUpper(name[:1]) + name[1:])
		if !field.IsValid() || value == "" {
			t.Fatalf("testdata/refusals.txt: unknown line %q", line)
		}
		field.SetString(value)
	}
	r.match = regexp.MustCompile(r.Match)
	return r
}

func ruleOf(groups []*ruleGroup, message string) *refusalRule {
	for _, g := range groups {
		for _, r := range g.rules {
			if r.match.MatchString(message) {
				return r
			}
		}
	}
	return nil
}

// ruleOfTable returns the rule of package lint with an ID, which is the name of its cases; nil if there is none.
func ruleOfTable(table *ruleGroup, id string) *refusalRule {
	for _, r := range table.rules {
		if r.Title == id {
			return r
		}
	}
	for _, rule := range lint.Rules() {
		if rule.ID == id {
			r := &refusalRule{Title: id, Why: rule.Doc}
			table.rules = append(table.rules, r)
			return r
		}
	}
	return nil
}

// add notes a diagnostic of a case that the rule owns.
func (r *refusalRule) add(glob, name string, found refusal) {
	file := filepath.ToSlash(filepath.Join("../../sdkgen/internal/api/swagger/testdata", filepath.Dir(glob),
		name+".txtar"))
	if link := fmt.Sprintf("[%s](%s)", name, file); !slices.Contains(r.cases, link) {
		r.cases = append(r.cases, link)
	}
	if r.example == nil && strings.Contains(found.source+"\n"+found.message, r.Show) &&
		(found.source != "" || r.Before != "") {
		r.example = &found
	}
}

func (r *refusalRule) write(t *testing.T, b *strings.Builder) {
	t.Helper()
	if r.example == nil {
		t.Errorf("testdata/refusals.txt: there is no example of %q", r.Title)
		return
	}
	if r.example.hint == "" && r.Instead == "" {
		t.Errorf("testdata/refusals.txt: the example of %q has no hint: say instead", r.Title)
	}
	before := strings.Join(codes(strings.Split(r.example.source, "\n")), " ")
	if r.Before != "" {
		before = code(r.Before)
	}
	fmt.Fprintf(b, "- **%s.** %s (cases: %s)\n", r.Title, r.Why, strings.Join(r.cases, ", "))
	fmt.Fprintf(b, "  - message: %s\n", code(r.example.message))
	fmt.Fprintf(b, "  - before: %s\n", before)
	fmt.Fprintf(b, "  - instead: %s\n", strings.Join(slices.DeleteFunc([]string{r.example.hint, r.Instead}, isEmpty),
		"; or "))
}

// refusal is a diagnostic that a case wants, with the source that it is about and its hint as Markdown.
type refusal struct{ source, message, hint string }

var diagnosticLine = regexp.MustCompile(`^(\S+?):(\d+):\d+: (.*) \(\w+\)$`)

// refusals reads the diagnostics of a case. Those about a file that the case does not have, such as
// the one with its kind, have no source.
func refusals(t *testing.T, c *testkit.Case) []refusal {
	t.Helper()
	var out []refusal
	for line := range strings.Lines(c.Part("want") + c.Part("refused")) {
		line = strings.TrimSuffix(line, "\n")
		if hint, ok := strings.CutPrefix(line, "    "); ok && len(out) > 0 {
			last := &out[len(out)-1].hint
			*last = strings.TrimSpace(*last + " " + advice(hint))
			continue
		}
		parts := diagnosticLine.FindStringSubmatch(line)
		if len(parts) == 0 {
			continue
		}
		number, err := strconv.Atoi(parts[2])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, refusal{source: written(c, parts[1], number), message: parts[3]})
	}
	return out
}

// written is the line of a case that a diagnostic is about: a marker with the declaration below it,
// or a declaration with the markers above it.
func written(c *testkit.Case, file string, number int) string {
	for _, f := range c.Files {
		lines := strings.Split(string(f.Data), "\n")
		if file != f.Name && filepath.Base(file) != f.Name || number > len(lines) {
			continue
		}
		text := source(lines[number-1])
		if isMarker(text) {
			for _, line := range lines[number:] {
				if below := source(line); !isMarker(below) && below != "" && !strings.HasPrefix(below, "//") {
					return text + "\n" + below
				}
			}
		}
		for i := number - 2; i >= 0 && isMarker(source(lines[i])); i-- {
			text = source(lines[i]) + "\n" + text
		}
		return text
	}
	return ""
}

func isEmpty(text string) bool { return text == "" }

func isMarker(source string) bool { return strings.HasPrefix(source, "+") }

var control = regexp.MustCompile(`[[:cntrl:]\x{80}-\x{9f}]`)

// source is a line of Go without indentation, and without the comment sign of a marker. It names
// control characters.
func source(line string) string {
	text := strings.Join(strings.Fields(line), " ")
	if marker := strings.TrimPrefix(text, "// "); isMarker(marker) {
		text = marker
	}
	return control.ReplaceAllStringFunc(text, func(c string) string { return fmt.Sprintf("<%U>", []rune(c)[0]) })
}

// advice is a line of a hint as Markdown: source as code, or words.
func advice(hint string) string {
	if text := source(hint); isMarker(text) {
		return code(text)
	}
	return plainText(hint)
}

// plainText escapes what Markdown would change, except code.
func plainText(text string) string {
	return regexp.MustCompile(`[\\*_<>|\[\]]`).ReplaceAllString(text, `\$0`)
}
