package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/constraint"
)

// writer writes a page of Markdown that mkdocs, Docusaurus (MDX) and Hugo read alike.
type writer struct {
	strings.Builder
	site *site
	root string // from the page to the site's directory
}

// markdown returns the pages for another site generator.
func (s *site) markdown() ([]file, error) {
	var files []file
	add := func(name, title string, write func(*writer)) {
		w := &writer{site: s, root: strings.Repeat("../", strings.Count(name, "/"))}
		w.printf("---\ntitle: %s\n---\n\n# %s\n", encoded(title), escape(title))
		write(w)
		files = append(files, file{name, []byte(w.String())})
	}
	add("README.md", s.Title, (*writer).overview)
	for _, p := range slices.Concat(s.kinds, s.types) {
		add(p.Path, p.title(), func(w *writer) { w.page(p) })
	}
	for _, p := range s.pairs {
		add(p.Path, p.Kind+": "+p.From+" and "+p.To, func(w *writer) { w.pair(p) })
	}
	return files, nil
}

func (p *page) title() string {
	if p.Kubernetes {
		return p.Name
	}
	return p.Root.Kind + " " + p.Root.Version
}

func (w *writer) printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

func (w *writer) overview() {
	for _, group := range w.site.Groups() {
		w.printf("\n## %s\n\n", escape(group))
		for _, p := range w.site.kinds {
			if p.Root.Group == group {
				w.printf("- [%s %s](%s): %s\n", escape(p.Root.Kind), p.Root.Version, p.Path, escape(sentence(p.Doc())))
			}
		}
	}
	for i, p := range w.site.pairs {
		if i == 0 {
			w.printf("\n## Versions side by side\n\n")
		}
		w.printf("- [%s: %s and %s](%s)\n", escape(p.Kind), p.From, p.To, p.Path)
	}
	for i, p := range w.site.types {
		if i == 0 {
			w.printf("\n## Types of Kubernetes\n\n")
		}
		w.printf("- [%s](%s)\n", escape(p.Name), p.Path)
	}
}

func (w *writer) page(p *page) {
	if p.Kubernetes {
		w.printf("\nA type of Kubernetes, %s.\n", code(p.GoType.Package+"."+p.GoType.Name))
	} else {
		scope := "cluster-scoped"
		if p.Root.Namespaced {
			scope = "namespaced"
		}
		w.printf("\n%s, %s, %s\n", code(p.Root.GroupVersion().String()), scope, code(p.Root.Plural+"."+p.Root.Group))
	}
	w.deprecated(p.Deprecated)
	w.doc(p.Note())
	w.doc(p.Doc())
	w.rules(p.Rules())
	for _, pair := range p.Pairs {
		w.printf("\n[%s and %s side by side](%s%s)\n", pair.From, pair.To, w.root, pair.Path)
	}
	for i, sample := range p.Samples() {
		if i == 0 {
			w.printf("\n## Samples\n")
		}
		w.printf("\n```%s\n%s```\n", strings.ToLower(sample.Name), sample.Text)
	}
	w.fields(p, "Fields", p.Fields)
}

// fields writes the fields of an object under its path, then those of the objects in it.
func (w *writer) fields(p *page, title string, nodes []*node) {
	if len(nodes) == 0 {
		return
	}
	w.printf("\n## %s\n", title)
	for _, n := range nodes {
		w.field(n)
	}
	for _, n := range nodes {
		w.fields(p, code(n.Path), n.Fields)
	}
}

func (w *writer) field(n *node) {
	w.printf("\n### %s\n\n<a id=\"%s\"></a>", code(n.Key), attribute(n.Anchor))
	typ := code(n.Type)
	switch {
	case strings.HasPrefix(n.Link, "#"):
		typ = "[" + typ + "](" + n.Link + ")"
	case n.Link != "":
		typ = "[" + typ + "](" + w.root + n.Link + ")"
	}
	w.WriteString(typ)
	if n.Required {
		w.WriteString(", required")
	}
	if n.Default != "" {
		w.printf(", default %s", code(n.Default))
	}
	w.WriteString("\n")
	w.deprecated(n.Deprecated)
	w.doc(n.Doc)
	w.WriteString("\n")
	w.printf("- path: %s\n", code(n.Path))
	for _, fact := range n.Facts {
		w.printf("- %s: %s\n", escape(fact.Name()), code(fact.Text()))
	}
	for _, rule := range n.Rules {
		w.rule(rule)
	}
	for _, name := range n.Names {
		w.printf("- %s: %s\n", name.Language, code(name.Name))
	}
}

func (w *writer) deprecated(instead string) {
	if instead != "" {
		w.printf("\n**Deprecated:** %s\n", escape(instead))
	}
}

func (w *writer) doc(text string) {
	for _, b := range blocks(text) {
		w.WriteString("\n")
		for _, item := range b.Items {
			w.printf("- %s\n", escape(item))
		}
		switch {
		case b.Code != "":
			w.WriteString("<pre><code>" + strings.ReplaceAll(attribute(b.Code), "\n", "&#10;") + "</code></pre>\n")
		case b.Text != "":
			w.WriteString(escape(b.Text) + "\n")
		}
	}
}

func (w *writer) rules(rules []constraint.Rule) {
	for i, rule := range rules {
		if i == 0 {
			w.WriteString("\n")
		}
		w.rule(rule)
	}
}

func (w *writer) rule(rule constraint.Rule) {
	w.printf("- %s: %s", escape(rule.Name()), code(rule.Rule))
	if rule.Message != "" {
		w.printf(": %s", escape(rule.Message))
	}
	w.WriteString("\n")
}

func (w *writer) pair(p *pair) {
	w.printf("\n[%s](%s%s) and [%s](%s%s) of %s. Fields that are the same in both: %d.\n\n",
		p.From, w.root, p.old.Path, p.To, w.root, p.now.Path, code(p.Group), p.Same())
	w.printf("| field | %s | %s | what changed |\n|---|---|---|---|\n", p.From, p.To)
	for _, r := range p.Rows() {
		var texts []string
		for _, change := range r.Changes {
			text := escape(change.Text)
			if change.Effect != "" {
				text += " (" + escape(change.Effect) + ")"
			}
			texts = append(texts, text)
		}
		old, now := cell(r.Old), cell(r.Now)
		if r.Class == "" {
			old, now = "", ""
		}
		w.printf("| %s | %s | %s | %s |\n", code(r.Path), old, now, strings.Join(texts, "; "))
	}
}

// cell is a field in a table.
func cell(s side) string {
	if s.Node == nil {
		return "not in this version"
	}
	parts := []string{"[" + code(s.Node.Type) + "](" + s.Href + ")"}
	if s.Node.Default != "" {
		parts = append(parts, "default "+code(s.Node.Default))
	}
	for _, constraint := range s.Node.constraints() {
		parts = append(parts, escape(constraint))
	}
	return strings.Join(parts, ", ")
}

// special are the characters that mean something to Markdown, to HTML, to MDX, which takes braces for programs, or to
// the shortcodes of Hugo and the directives of Docusaurus.
const special = "\\`*_{}[]<>&|~$#!:"

// target writes an address as the destination of a link.
var target = strings.NewReplacer("{", "%7B", "}", "%7D", "|", "%7C", "`", "%60", "\\", "%5C", "[", "%5B", "]", "%5D",
	"$", "%24")

// escape returns a text for a paragraph, with links for the addresses in it.
func escape(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	var b strings.Builder
	end := 0
	for _, at := range address.FindAllStringIndex(text, -1) {
		link := text[at[0]:at[1]]
		fmt.Fprintf(&b, "%s[%s](%s)", literal(text[end:at[0]], end == 0), literal(link, false), target.Replace(link))
		end = at[1]
	}
	return b.String() + literal(text[end:], end == 0)
}

// literal returns a text in which nothing means anything: such characters are written as HTML entities, which Markdown,
// MDX and Hugo all take for text. start says whether it begins a paragraph.
func literal(text string, start bool) string {
	var b strings.Builder
	for i, r := range text {
		first := start && i == 0
		switch {
		case strings.ContainsRune(special, r) && (r != ':' && r != '!' || first || needed(text, i)):
			fmt.Fprintf(&b, "&#%d;", r)
		case first && (strings.ContainsRune("+-=.)", r) || numbered(text) || strings.HasPrefix(text, "import ") ||
			strings.HasPrefix(text, "export ")):
			fmt.Fprintf(&b, "&#%d;", r) // a list, a heading, or a statement of MDX
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// needed says whether a colon or an exclamation mark may mean something: :name is a directive of Docusaurus, ![ an
// image.
func needed(text string, i int) bool {
	if text[i] == '!' {
		return strings.HasPrefix(text[i+1:], "[")
	}
	return i+1 < len(text) && text[i+1] != ' '
}

// numbered says whether a text begins as an item of a list.
func numbered(text string) bool {
	rest := strings.TrimLeft(text, "0123456789")
	return rest != text && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, ")"))
}

// code returns a text as code. In code of Markdown, Hugo reads shortcodes, templates for mkdocs read braces, and a
// table reads bars; these are written in HTML.
func code(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if !strings.ContainsAny(text, "`{}<>&|") && text != "" {
		return "`" + text + "`"
	}
	return "<code>" + attribute(text) + "</code>"
}

// attribute writes all that means something to HTML, Markdown or MDX as entities.
func attribute(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune(special+"\"'", r) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
