package reference

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"path"
	"regexp"
	"slices"
	"strings"
)

//go:embed site
var embedded embed.FS

// assets are the files of the site that are the same for every API.
var assets = []string{"style.css", "search.js"}

// view is what a template prints.
type view struct {
	Site *site
	Root string // from the page to the site's directory: ../../
	Name string // of the page
	Page *page
	Pair *pair
}

// Kinds are the kinds of the site.
func (s *site) Kinds() []*page { return s.kinds }

// Types are the types of Kubernetes that they reach.
func (s *site) Types() []*page { return s.types }

// Pairs are the comparisons.
func (s *site) Pairs() []*pair { return s.pairs }

// Groups are the groups of the kinds.
func (s *site) Groups() []string {
	var groups []string
	for _, k := range s.kinds {
		groups = append(groups, k.Root.Group)
	}
	return slices.Compact(groups)
}

func (s *site) html() ([]file, error) {
	templates, err := template.New("").Funcs(template.FuncMap{
		"blocks": blocks, "sentence": sentence, "linked": linked, "below": below,
	}).ParseFS(embedded, "site/*.tmpl")
	if err != nil {
		return nil, fmt.Errorf("parsing the templates of the site: %w", err)
	}
	var files []file
	add := func(name, with string, v view) error {
		var b bytes.Buffer
		v.Site, v.Root = s, strings.Repeat("../", strings.Count(name, "/"))
		if err := templates.ExecuteTemplate(&b, with, v); err != nil {
			return fmt.Errorf("writing the page %s: %w", name, err)
		}
		files = append(files, file{name, b.Bytes()})
		return nil
	}
	if err := add("index.html", "index.tmpl", view{Name: s.Title}); err != nil {
		return nil, err
	}
	for _, p := range slices.Concat(s.kinds, s.types) {
		if err := add(p.Path, "page.tmpl", view{Name: p.Name, Page: p}); err != nil {
			return nil, err
		}
	}
	for _, p := range s.pairs {
		if err := add(p.Path, "pair.tmpl", view{Name: p.Kind + ", " + p.From + " and " + p.To, Pair: p}); err != nil {
			return nil, err
		}
	}
	index, err := s.index()
	if err != nil {
		return nil, err
	}
	files = append(files, file{"index.js", index})
	for _, name := range assets {
		data, err := embedded.ReadFile(path.Join("site", name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, data})
	}
	return files, nil
}

// place is a node on a page.
type place struct {
	View view
	Node *node
}

// Href is the address of the fields of the node's type.
func (p place) Href() string {
	if strings.HasPrefix(p.Node.Link, "#") {
		return p.Node.Link
	}
	return p.View.Root + p.Node.Link
}

// Open says whether the node's fields are shown at first: those of the spec are.
func (p place) Open() bool { return p.Node.Path == "spec" }

// Said says whether anything is known of the node beside its type and description.
func (p place) Said() bool {
	n := p.Node
	return n.Link+n.Default != "" || len(n.Facts)+len(n.Rules)+len(n.Names) > 0
}

// below returns the places of nodes.
func below(v view, nodes []*node) []place {
	var all []place
	for _, n := range nodes {
		all = append(all, place{v, n})
	}
	return all
}

var address = regexp.MustCompile(`https?://[^\s<>"'()]*[^\s<>"'().,;:]`)

// linked makes links of the addresses in a text.
func linked(text string) template.HTML {
	var b strings.Builder
	end := 0
	for _, at := range address.FindAllStringIndex(text, -1) {
		link := template.HTMLEscapeString(text[at[0]:at[1]])
		fmt.Fprintf(&b, `%s<a href="%s">%s</a>`, template.HTMLEscapeString(text[end:at[0]]), link, link)
		end = at[1]
	}
	b.WriteString(template.HTMLEscapeString(text[end:]))
	return template.HTML(b.String()) // #nosec G203 -- all of it is escaped
}
