package compare

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/surface"
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
	for _, was := range old {
		if is := classOf(now, c.pairs.now[was.Definition]); is != nil && is.Name != was.Name {
			c.names = append(c.names, spelling{regexp.MustCompile(`\b` + was.Name + `([A-Z]\w*)?\b`), is.Name + "$1"})
		}
	}
	for _, was := range old {
		say := says{who: Go, verdict: Breaking, place: Place{Version: c.version, GoType: surface.GoType(was.Definition), Path: was.Name}, near: c.pairs.users[was.Definition]}
		is := classOf(now, c.pairs.now[was.Definition])
		if is == nil || is.Name != was.Name {
			say.id, say.instead = "class-removed", "keep the type for a release, marked \"// Deprecated:\""
			say.text = noticed("the client's type "+was.Name+" is gone", was.Deprecated)
			if is != nil {
				say.text, say.instead = fmt.Sprintf("the client's type %s is %s now", was.Name, is.Name), "keep the name with swagger.names in the configuration"
			}
			say.program = c.program(nil, "var _ "+was.Name)
			c.say(say)
		}
		if is == nil {
			continue
		}
		c.scope(say, was, *is)
		for _, attr := range was.Attrs {
			c.field(say, was, attr, *is)
		}
		for _, attr := range is.Attrs {
			if attributeOf(was.Attrs, attr.Key) == nil {
				c.added(say, was, *is, attr)
			}
		}
	}
}

func (c *client) added(say says, was, is model.Class, attr model.Attr) {
	say.place, say.id = at(say.place, is, attr), "attribute-added"
	say.verdict, say.text = Compatible, fmt.Sprintf("%s.%s is new", is.Name, attr.Name)
	if attr.Mandatory {
		say.id, say.verdict, say.instead = "attribute-required", Breaking, rule("required-added").Instead
		c.arguments(&say, was, is, fmt.Sprintf("New%s takes %s", is.Name, attr.Name))
	}
	c.say(say)
}

// field compares a field with that of the new struct.
func (c *client) field(say says, class model.Class, was model.Attr, in model.Class) {
	say.place = at(say.place, class, was)
	name := class.Name + "." + was.Name
	is := attributeOf(in.Attrs, was.Key)
	if is == nil || is.Name != was.Name {
		say.id, say.instead = "attribute-removed", rule("field-removed").Instead
		say.text = noticed(name+" of the client is gone", was.Deprecated)
		say.program = c.program(nil, fmt.Sprintf("func _(x *%s) { _ = x.%s }", class.Name, was.Name))
		c.say(say)
		return
	}
	if c.spelled(was.Type) != is.Type {
		say.id, say.instead = "attribute-type", rule("type-changed").Instead
		say.text = fmt.Sprintf("%s of the client has another type: %s, now %s", name, was.Type, is.Type)
		say.program = c.program(was.Imports, fmt.Sprintf("func _(x *%s, value %s) %s {\n\tx.%s = value\n\treturn x.%s\n}", class.Name, was.Type, was.Type, was.Name, was.Name))
		c.say(say)
	}
	for _, constant := range was.Constants {
		if !slices.Contains(is.Constants, c.spelled(constant)) && is.Constants != nil {
			say.id, say.instead = "attribute-values", rule("enum-narrowed").Instead
			say.text = fmt.Sprintf("the constant %s of the client is gone", constant)
			say.program = c.program(nil, "var _ = "+constant)
			c.say(say)
		}
	}
	if was.Mandatory == is.Mandatory {
		return
	}
	say.id, say.instead = "attribute-optional", ""
	text := fmt.Sprintf("New%s no longer takes %s", in.Name, was.Name)
	if is.Mandatory {
		say.id, say.instead, text = "attribute-required", rule("required-added").Instead, fmt.Sprintf("New%s takes %s", in.Name, was.Name)
	}
	c.arguments(&say, class, in, text)
	c.say(say)
}

// arguments says that the constructor of a struct takes other arguments. Of the same types they compile, and set other
// fields.
func (c *client) arguments(say *says, was, is model.Class, text string) {
	_, before := parameters(was)
	_, after := parameters(is)
	say.text, say.program = text, c.constructor(was)
	if c.spelled(strings.Join(before, ", ")) == strings.Join(after, ", ") {
		say.verdict, say.program = Risky, ""
		say.text += ": the arguments that it took still compile, and set other fields"
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
func (c *client) scope(say says, was, is model.Class) {
	if was.Accessor == "" || is.Accessor == "" || was.Root.Namespaced == is.Root.Namespaced {
		return
	}
	say.id, say.instead, say.text = "scope", rule("scope").Instead, fmt.Sprintf("Client.%s takes no namespace", was.Accessor)
	parameter := "string"
	if is.Root.Namespaced {
		say.text, parameter = fmt.Sprintf("Client.%s takes a namespace", was.Accessor), ""
	}
	say.program = c.program(nil, fmt.Sprintf("var _ func(*Client, %s) *%sClient = (*Client).%s", parameter, was.Name, was.Accessor))
	c.say(say)
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
