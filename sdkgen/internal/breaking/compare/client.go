package compare

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

// client compares the structs of the Go client. What programs read and what they write makes no difference: they do not
// compile.
type client struct {
	*comparison
	pairs *pairs
	path  string // import path, "" if it is not known
	names []spelling
}

// spelling is a class by both names.
type spelling struct {
	was *regexp.Regexp
	is  string
}

func (c *client) compare(old, now []model.Class) {
	for _, before := range old {
		if after := classOf(now, c.pairs.now[before.Definition]); after != nil && after.Name != before.Name {
			c.names = append(c.names, spelling{regexp.MustCompile(`\b` + before.Name + `([A-Z]\w*)?\b`), after.Name + "$1"})
		}
	}
	c.classes(c, Go, "the client's type ", c.pairs, old, now)
}

func (c *client) use(class model.Class) string { return c.program(nil, "var _ "+class.Name) }

func (c *client) added(entry finding, before, after model.Class, attr model.Attr) {
	entry.place, entry.id = at(entry.place, after, attr), "attribute-added"
	entry.verdict, entry.text = Compatible, fmt.Sprintf("%s.%s is new", after.Name, attr.Name)
	if attr.Mandatory {
		entry.id, entry.verdict, entry.instead = "attribute-required", Breaking, rule("required-added").Instead
		c.arguments(&entry, before, after, fmt.Sprintf("New%s takes %s", after.Name, attr.Name))
	}
	c.record(entry)
}

// attribute compares a field with the one of the new struct.
func (c *client) attribute(entry finding, class model.Class, before model.Attr, in model.Class) {
	entry.place = at(entry.place, class, before)
	name := class.Name + "." + before.Name
	after := attributeOf(in.Attrs, before.Key)
	if after == nil || after.Name != before.Name {
		entry.id, entry.instead = "attribute-removed", rule("field-removed").Instead
		entry.text = noticed(name+" of the client is gone", before.Deprecated)
		entry.program = c.program(nil, fmt.Sprintf("func _(x *%s) { _ = x.%s }", class.Name, before.Name))
		c.record(entry)
		return
	}
	if c.spelled(before.Type) != after.Type {
		entry.id, entry.instead = "attribute-type", rule("type-changed").Instead
		entry.text = fmt.Sprintf("%s of the client has another type: %s, now %s", name, before.Type, after.Type)
		code := "func _(x *%s, value %s) %s {\n\tx.%s = value\n\treturn x.%s\n}"
		entry.program = c.program(before.Imports, fmt.Sprintf(code, class.Name, before.Type, before.Type, before.Name,
			before.Name))
		c.record(entry)
	}
	for _, constant := range before.Constants {
		if !slices.Contains(after.Constants, c.spelled(constant)) && after.Constants != nil {
			entry.id, entry.instead = "attribute-values", rule("enum-narrowed").Instead
			entry.text = fmt.Sprintf("the constant %s of the client is gone", constant)
			entry.program = c.program(nil, "var _ = "+constant)
			c.record(entry)
		}
	}
	if before.Mandatory == after.Mandatory {
		return
	}
	entry.id, entry.instead = "attribute-optional", ""
	text := fmt.Sprintf("New%s no longer takes %s", in.Name, before.Name)
	if after.Mandatory {
		entry.id, entry.instead, text = "attribute-required", rule("required-added").Instead,
			fmt.Sprintf("New%s takes %s", in.Name, before.Name)
	}
	c.arguments(&entry, class, in, text)
	c.record(entry)
}

// arguments says that the constructor of a struct takes other arguments. Of the same types they compile, and set other
// fields.
func (c *client) arguments(entry *finding, earlier, current model.Class, text string) {
	_, before := parameters(earlier)
	_, after := parameters(current)
	entry.text, entry.program = text, c.constructor(earlier)
	if c.spelled(strings.Join(before, ", ")) == strings.Join(after, ", ") {
		entry.verdict, entry.program = Risky, ""
		entry.text += ": the arguments that it took still compile, and set other fields"
	}
}

// spelled is Go source with the classes that were renamed as they are called now.
func (c *client) spelled(text string) string {
	for _, name := range c.names {
		text = name.was.ReplaceAllString(text, name.is)
	}
	return text
}

// constructor is a program that depends on what the constructor of a struct takes.
func (c *client) constructor(class model.Class) string {
	imports, types := parameters(class)
	return c.program(imports, fmt.Sprintf("var _ func(%s) *%s = New%s", strings.Join(types, ", "), class.Name, class.Name))
}

// parameters are the types that the constructor of a struct takes, with what they import.
func parameters(class model.Class) (imports map[string]string, types []string) {
	imports = map[string]string{}
	for _, attr := range class.Attrs {
		if attr.Mandatory {
			maps.Copy(imports, attr.Imports)
			types = append(types, attr.Type)
		}
	}
	return imports, types
}

// scope compares whether a kind's objects are in namespaces.
func (c *client) scope(entry finding, before, after model.Class) {
	if before.Accessor == "" || after.Accessor == "" || before.Root.Namespaced == after.Root.Namespaced {
		return
	}
	entry.id, entry.instead, entry.text = "scope", rule("scope").Instead,
		fmt.Sprintf("Client.%s takes no namespace", before.Accessor)
	parameter := "string"
	if after.Root.Namespaced {
		entry.text, parameter = fmt.Sprintf("Client.%s takes a namespace", before.Accessor), ""
	}
	code := "var _ func(*Client, %s) *%sClient = (*Client).%s"
	entry.program = c.program(nil, fmt.Sprintf(code, parameter, before.Name, before.Accessor))
	c.record(entry)
}

// program is a Go program with the client's names.
func (c *client) program(imports map[string]string, code string) string {
	if c.path == "" {
		return ""
	}
	lines := []string{fmt.Sprintf("\t. %q\n", c.path)}
	for _, alias := range slices.Sorted(maps.Keys(imports)) {
		lines = append(lines, fmt.Sprintf("\t%s %q\n", alias, imports[alias]))
	}
	return "package caller\n\nimport (\n" + strings.Join(lines, "") + ")\n\n" + code + "\n"
}
