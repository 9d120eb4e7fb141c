package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/compare"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// Text prints the changes for people: a line for each with what changed and where, and one for every audience that it
// concerns. Compatible changes are only counted, unless all is set.
func (r *Report) Text(w io.Writer, all, witnesses bool) error {
	var b strings.Builder
	for _, change := range r.Changes {
		if change.Verdict() == compare.Compatible && !all {
			continue
		}
		if change.Pos.IsValid() {
			b.WriteString(change.Pos.String() + ": ")
		}
		b.WriteString(headline(change) + "\n")
		for _, line := range lines(change, witnesses) {
			b.WriteString("    " + line + "\n")
		}
		if witnesses && change.Witness != nil {
			b.WriteString("    witness:\n" + indent(change.Brief(change.Witness.String()), "      ") + "\n")
		}
	}
	for _, skipped := range r.Skipped {
		fmt.Fprintf(&b, "not compared: %s: %s\n", skipped.Callers, skipped.Reason)
	}
	fmt.Fprintf(&b, "compared with %s: %s\n", r.Against, r.summary())
	_, err := io.WriteString(w, b.String())
	return err
}

// headline is what changed and where, without the position.
func headline(c *compare.Change) string {
	path := c.Place.Path
	if n := len(c.Others); n > 0 {
		path += fmt.Sprintf(" and %d more", n)
	}
	if c.Place.Version != "" {
		path += " (" + c.Place.Version + ")"
	}
	accepted := ""
	if c.Accepted != "" {
		accepted = "accepted, "
	}
	return fmt.Sprintf("%s%s: %s: %s (%s)", accepted, c.Verdict(), path, c.Brief(c.Text), c.Rule)
}

// lines are the effects that are not compatible, with the programs that show them if callers is set, and what to do.
func lines(c *compare.Change, callers bool) []string {
	var lines []string
	for _, who := range compare.Audiences {
		if effect := c.Effects[who]; effect.Verdict != compare.Compatible {
			lines = append(lines, fmt.Sprintf("%s: %s: %s", who, effect.Verdict, c.Brief(effect.Reason)))
		}
		for _, caller := range c.Callers {
			if callers && caller.Audience == who.String() {
				lines = append(lines, "  fails now:\n"+indent(caller.Program, "        "))
			}
		}
	}
	if c.Instead != "" {
		lines = append(lines, "instead: "+c.Instead)
	}
	if c.Accepted != "" {
		lines = append(lines, "accepted: "+c.Accepted)
	}
	return lines
}

// diagnostic is the change for annotations: breaking is an error, unless it is accepted.
func diagnostic(c *compare.Change) diag.Diagnostic {
	severity := diag.Warning
	if c.Verdict() == compare.Breaking && c.Accepted == "" {
		severity = diag.Error
	}
	return diag.Diagnostic{Pos: c.Pos, Rule: c.Rule, Severity: severity, Message: headline(c),
		Hint: strings.Join(lines(c, false), "\n")}
}

// Diagnostics are the changes that are not compatible.
func (r *Report) Diagnostics() diag.List {
	var list diag.List
	for _, change := range r.Changes {
		if change.Verdict() != compare.Compatible {
			list = append(list, diagnostic(change))
		}
	}
	return list
}

// Markdown prints a changelog for release notes: what breaks first, then what is risky, then what is deprecated and
// what is new.
func (r *Report) Markdown(w io.Writer) error {
	var b strings.Builder
	for _, section := range []struct {
		verdict    compare.Verdict
		deprecated bool
		title      string
	}{{compare.Breaking, false, "Breaking changes"}, {compare.Risky, false, "Changes to look at"},
		{compare.Compatible, true, "Deprecations"}, {compare.Compatible, false, "Other changes"}} {
		title := "## " + section.title + "\n\n"
		for _, change := range r.Changes {
			if change.Verdict() != section.verdict || (change.Rule == "deprecated") != section.deprecated {
				continue
			}
			b.WriteString(title + item(change))
			title = ""
		}
		if title == "" {
			b.WriteString("\n")
		}
	}
	if b.Len() == 0 {
		b.WriteString("No change of the API.\n")
	}
	_, err := io.WriteString(w, strings.TrimSuffix(b.String(), "\n\n")+"\n")
	return err
}

func item(c *compare.Change) string {
	var b strings.Builder
	fmt.Fprintf(&b, "- `%s`", c.Place.Path)
	if c.Place.Version != "" {
		fmt.Fprintf(&b, " (%s)", c.Place.Version)
	}
	fmt.Fprintf(&b, ": %s\n", strings.ReplaceAll(c.Text, "|", `\|`))
	for _, who := range compare.Audiences {
		if effect := c.Effects[who]; effect.Verdict != compare.Compatible {
			fmt.Fprintf(&b, "  - %s: **%s**, %s\n", who, effect.Verdict, effect.Reason)
		}
	}
	if c.Instead != "" && c.Verdict() == compare.Breaking {
		fmt.Fprintf(&b, "  - %s\n", c.Instead)
	}
	return b.String()
}

func indent(text, by string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSuffix(text, "\n")) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(by)
		}
		b.WriteString(line)
	}
	return b.String()
}
