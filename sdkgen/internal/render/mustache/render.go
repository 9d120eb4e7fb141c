package mustache

import (
	"fmt"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// deepest is how many templates may take each other in.
const deepest = 100

// Render renders the template over data. partials has the templates that it may take in, by the name in
// the tag; one that is missing is a diagnostic, as is one that takes itself in without end.
func (t *Template) Render(data map[string]any, partials map[string]*Template) (string, error) {
	r := &renderer{partials: partials}
	if err := r.template(t, &context{value: data}); err != nil {
		return "", err
	}
	return r.out.String(), nil
}

type renderer struct {
	out      strings.Builder
	partials map[string]*Template
	depth    int
}

// context is a value that names are looked up in, and the ones around it.
type context struct {
	value       any
	parent      *context
	index       int // in the innermost list, from 1
	first, last bool
}

func (r *renderer) template(t *Template, c *context) error {
	if r.depth++; r.depth > deepest {
		return fmt.Errorf("%s takes itself in without end", t.name)
	}
	defer func() { r.depth-- }()
	return r.nodes(t, t.body, c)
}

func (r *renderer) nodes(t *Template, body []node, c *context) error {
	for _, n := range body {
		if err := r.node(t, n, c); err != nil {
			return err
		}
	}
	return nil
}

func (r *renderer) node(t *Template, n node, c *context) error {
	switch n.sign {
	case literal:
		r.out.WriteString(n.text)
	case escaped:
		escaper.WriteString(&r.out, format(c.lookup(n.text))) //nolint:errcheck // a strings.Builder takes everything
	case unescaped:
		r.out.WriteString(format(c.lookup(n.text)))
	case section:
		return r.section(t, n, c)
	case inverted:
		switch value := c.lookup(n.text).(type) {
		case nil:
			return r.nodes(t, n.body, c)
		case bool:
			if !value {
				return r.nodes(t, n.body, c)
			}
		case []any:
			if len(value) == 0 {
				return r.nodes(t, n.body, c)
			}
		}
	case partial:
		other, ok := r.partials[n.text]
		if !ok {
			return diag.Errorf(position(t.name, t.text, n.at), rule, "write "+n.text+".mustache, or remove the tag",
				"there is no template %s", n.text)
		}
		return r.template(other, c)
	}
	return nil
}

func (r *renderer) section(t *Template, n node, c *context) error {
	switch value := c.lookup(n.text).(type) {
	case nil:
	case bool:
		if value {
			return r.nodes(t, n.body, c)
		}
	case []any:
		for i, item := range value {
			if err := r.nodes(t, n.body, &context{item, c, i + 1, i == 0, i == len(value)-1}); err != nil {
				return err
			}
		}
	default:
		return r.nodes(t, n.body, &context{value, c, c.index, c.first, c.last})
	}
	return nil
}

// lookup returns the value of a name. The first part of a dotted one is looked for in the contexts
// around this one too, the others in that value only. It is nil if there is none.
func (c *context) lookup(name string) any {
	switch name {
	case ".", "this":
		return c.value
	case "-first":
		return c.first
	case "-last":
		return c.last
	case "-index":
		return c.index
	}
	head, rest, dotted := strings.Cut(name, ".")
	if dotted {
		value := c.lookup(head)
		for dotted {
			head, rest, dotted = strings.Cut(rest, ".")
			value = member(value, head)
		}
		return value
	}
	for at := c; at != nil; at = at.parent {
		if object, ok := at.value.(map[string]any); ok {
			if value, ok := object[name]; ok {
				return value
			}
		}
	}
	return nil
}

func member(value any, name string) any {
	if object, ok := value.(map[string]any); ok {
		return object[name]
	}
	return nil
}

// format prints a value; nil is the empty text.
func format(value any) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// escaper escapes HTML as JMustache does.
var escaper = strings.NewReplacer("&", "&amp;", "'", "&#39;", `"`, "&quot;", "<", "&lt;", ">", "&gt;", "`", "&#x60;",
	"=", "&#x3D;")
