package reference

import (
	"bytes"
	"fmt"
	"strings"
)

// llms is the index for programs: a list of the pages, and a line for each field of each kind, which grep finds by its
// path.
func (s *site) llms() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b,
		"# %s\n\n> Reference of the API. Each line under Fields is: KIND VERSION PATH | type | default | constraints | "+
			"first sentence.\n\n## Kinds\n\n", s.Title)
	for _, p := range s.kinds {
		fmt.Fprintf(&b, "- [%s %s](%s): %s\n", p.Root.Kind, p.Root.GroupVersion(), p.Path, sentence(p.Doc()))
	}
	b.WriteString("\n## Fields\n\n")
	for _, p := range s.kinds {
		walk(p.Fields, func(n *node) {
			columns := []string{
				fmt.Sprintf("%s %s %s", p.Root.Kind, p.Root.GroupVersion(), n.Path),
				n.Type, n.Default, strings.Join(n.constraints(), "; "), sentence(n.Doc),
			}
			b.WriteString(strings.Join(strings.Fields(strings.Join(columns, " | ")), " ") + "\n")
		})
	}
	return b.Bytes()
}

// constraints are what has to hold for a value, in a few words each.
func (n *node) constraints() []string {
	var all []string
	if n.Required {
		all = append(all, "required")
	}
	if n.Deprecated != "" {
		all = append(all, "deprecated: "+n.Deprecated)
	}
	for _, fact := range n.Facts {
		all = append(all, fact.String())
	}
	for _, rule := range n.Rules {
		all = append(all, rule.Name()+": "+rule.Rule)
	}
	return all
}
