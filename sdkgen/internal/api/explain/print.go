package explain

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/constraint"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

// width is that of the text.
const width = 80

// Text prints an explanation as kubectl explain does, with what that does not know. Of fields below, short prints a
// line each.
func (e *Explanation) Text(w io.Writer, short bool) error {
	p := &printer{}
	if e.Group != "" {
		p.line("GROUP:      %s", e.Group)
	}
	p.line("KIND:       %s", e.Kind)
	p.line("VERSION:    %s", e.Version)
	if strings.Contains(e.Path, ".") {
		p.line("")
		p.line("FIELD: %s <%s>%s", e.Name, e.Type, e.flags())
	}
	if e.Deprecated != "" {
		p.section("DEPRECATED", func() { p.text(4, e.Deprecated) })
	}
	p.section("DESCRIPTION", func() {
		p.text(4, cmp.Or(e.Description, "<empty>"))
	})
	if e.Default != nil {
		p.section("DEFAULT", func() { p.line("    %s", e.Default) })
	}
	if len(e.Constraints) > 0 {
		p.section("CONSTRAINTS", func() { p.constraints(e.Constraints) })
	}
	if len(e.Rules) > 0 {
		p.section("RULES", func() { p.rules(e.Rules) })
	}
	p.section("WHERE", func() { p.where(e.Where) })
	if len(e.Fields) > 0 {
		p.section("FIELDS", func() { p.fields(e.Fields, 2, short) })
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// flags are what is told of a field in its own line.
func (f *Field) flags() string {
	flags := ""
	if f.Required {
		flags += " -required-"
	}
	if f.Deprecated != "" {
		flags += " -deprecated-"
	}
	return flags
}

// printer collects lines.
type printer struct{ strings.Builder }

// line adds a line, with a blank for each character that a terminal would not print.
func (p *printer) line(format string, args ...any) {
	p.WriteString(strings.TrimRight(model.Visible(fmt.Sprintf(format, args...)), " ") + "\n")
}

func (p *printer) section(title string, body func()) {
	p.line("")
	p.line("%s:", title)
	body()
}

// text prints a text in which each paragraph is wrapped, and lines that are indented or begin like items of a list are
// kept.
func (p *printer) text(indent int, text string) {
	blank := strings.Repeat(" ", indent)
	for _, line := range joined(text) {
		if line == "" {
			p.line("")
		}
		own := blank + line[:len(line)-len(strings.TrimLeft(line, " "))]
		for _, wrapped := range model.Wrap(line, max(width-len(own), 20)) {
			p.line("%s%s", own, wrapped)
		}
	}
}

// item is the beginning of a line that does not go on the one before: an indented one, one of a list, table or block.
var item = regexp.MustCompile("^(\\s|```|[-*+|<>#]|[0-9]+[.)] )")

// joined returns the lines of a text, with those of a paragraph joined.
func joined(text string) []string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		line = strings.ReplaceAll(strings.TrimRight(line, " \t\r"), "\t", "    ")
		last := len(lines) - 1
		if last >= 0 && line != "" && lines[last] != "" && !item.MatchString(line) && !strings.HasPrefix(lines[last], "```") {
			lines[last] += " " + line
			continue
		}
		lines = append(lines, line)
	}
	return lines
}

func (p *printer) constraints(all []constraint.Constraint) {
	for _, c := range all {
		p.line("    %s", c)
	}
}

func (p *printer) rules(rules []constraint.Rule) {
	for _, rule := range rules {
		p.text(4, rule.Rule)
		if name := rule.Name(); name != "rule" {
			p.line("      %s", name)
		}
		if rule.Message != "" {
			p.text(6, rule.Message)
		}
	}
}

func (p *printer) where(where Where) {
	if where.Go != nil {
		p.declaration("Go:", where.Go)
		if target := where.Go.Of; target != nil {
			p.declaration("type:", target)
		}
	}
	if crd := where.CRD; crd != nil {
		file := cmp.Or(crd.File, crd.Name)
		if crd.Line > 0 {
			file += fmt.Sprintf(":%d", crd.Line)
		}
		p.line("    %-10s %s: %s", "CRD:", file, crd.Path)
	}
	for _, sdk := range []struct {
		title string
		*Attribute
		separator string
	}{{"Python:", where.Python, ": "}, {"Go client:", where.Client, " "}} {
		if sdk.Attribute != nil {
			p.line("    %-10s %s", sdk.title, sdk.spell(sdk.separator))
		}
	}
}

// spell is an attribute as its language names it.
func (a *Attribute) spell(separator string) string {
	text := a.Class
	if a.Module != "" {
		text = a.Module + "." + text
	}
	if a.Name == "" {
		return text
	}
	return text + "." + a.Name + separator + a.Type
}

func (p *printer) declaration(title string, d *Declaration) {
	p.line("    %-10s %s:%d:%d: %s", title, d.File, d.Line, d.Column, strings.TrimSpace(d.Name+" "+d.Type))
	for _, marker := range d.Markers {
		p.line("               %s", clip(marker))
	}
}

// clip cuts a long CEL rule's marker: rules have a section of their own.
func clip(marker string) string {
	if runes := []rune(marker); len(runes) > width && strings.Contains(marker, "XValidation") {
		return string(runes[:width]) + "…"
	}
	return marker
}

// fields prints the fields below: a line each, or with defaults, constraints and the first paragraph of what they are.
func (p *printer) fields(fields []*Field, indent int, short bool) {
	blank := strings.Repeat(" ", indent)
	for i, field := range fields {
		tail := ""
		if short && field.Default != nil {
			tail = " default: " + string(field.Default)
		}
		p.line("%s%s <%s>%s%s", blank, field.Name, field.Type, field.flags(), tail)
		if short {
			p.fields(field.Fields, indent+2, true)
			continue
		}
		if field.Default != nil {
			p.line("%s  default: %s", blank, field.Default)
		}
		for _, c := range field.Constraints {
			p.line("%s  %s", blank, c)
		}
		if first, _, _ := strings.Cut(strings.TrimSpace(field.Description), "\n\n"); first != "" {
			p.text(indent+2, first)
		}
		if i < len(fields)-1 {
			p.line("")
		}
	}
}
