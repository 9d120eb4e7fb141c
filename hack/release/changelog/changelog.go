// Package changelog keeps CHANGELOG.md. The section of a version has what was written by hand under "Unreleased", and
// below
// it the changes of the API and the subjects of the commits, by what a user sees of them. A section that is there is
// never changed.
package changelog

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Unreleased is the heading of what the next version has.
const Unreleased = "Unreleased"

// preamble begins a new file.
const preamble = "# Changelog\n"

// Section is the part of a version.
type Section struct {
	Version  string // without v
	Released time.Time
	API      string // what `sdkgen breaking --format markdown` says, empty if there is nothing to compare with
	Groups   []Group
}

// Group is a heading with its list.
type Group struct {
	Title string
	Items []string
}

// Has reports whether a changelog has the section of a version.
func Has(text, version string) bool {
	return slices.ContainsFunc(split(text), func(b block) bool { return b.version() == version })
}

// Insert returns the changelog with the section of a version, before those of older versions. If it has one, the text
// is returned as it is.
func Insert(text string, s Section) string {
	if Has(text, s.Version) {
		return text
	}
	blocks := split(text)
	if len(blocks) == 0 || blocks[0].heading != "" {
		blocks = slices.Insert(blocks, 0, block{body: preamble})
	}
	byHand := ""
	if len(blocks) > 1 && blocks[1].version() == Unreleased {
		byHand = blocks[1].body
		blocks = slices.Delete(blocks, 1, 2)
	}
	section := block{
		heading: fmt.Sprintf("## %s - %s", s.Version, s.Released.UTC().Format(time.DateOnly)),
		body:    merge(byHand, s),
	}
	return join(slices.Insert(blocks, 1, block{heading: "## " + Unreleased}, section))
}

// merge adds what a section has to the text that was written by hand: to the lists with the same headings, and below
// it.
func merge(byHand string, s Section) string {
	groups := slices.Clone(s.Groups)
	if api := strings.TrimSpace(s.API); api != "" {
		if len(groups) == 0 || groups[0].Title != "API" {
			groups = slices.Insert(groups, 0, Group{Title: "API"})
		}
		groups[0].Items = append(slices.Clone(groups[0].Items), "", deeper(api))
	}
	parts := splitAt(byHand, "### ")
	for _, group := range groups {
		list := strings.TrimSpace(strings.Join(group.Items, "\n"))
		at := slices.IndexFunc(parts, func(b block) bool { return b.heading == "### "+group.Title })
		if at < 0 {
			parts = append(parts, block{"### " + group.Title, list})
		} else {
			parts[at].body = strings.TrimSpace(parts[at].body) + "\n" + list
		}
	}
	return join(parts)
}

// deeper makes each heading two levels deeper.
func deeper(markdown string) string {
	var b strings.Builder
	for line := range strings.Lines(markdown) {
		if strings.HasPrefix(line, "#") {
			line = "##" + line
		}
		b.WriteString(line)
	}
	return b.String()
}

// A block is a heading and what follows it; the first of a text may have no heading.
type block struct{ heading, body string }

// version returns what a heading is about: in `## [1.2.3] - 2026-01-02` it is 1.2.3.
func (b block) version() string {
	name, _, _ := strings.Cut(strings.TrimPrefix(b.heading, "## "), " ")
	return strings.TrimPrefix(strings.Trim(name, "[]"), "v")
}

func split(text string) []block { return splitAt(text, "## ") }

func splitAt(text, prefix string) []block {
	var blocks []block
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, prefix):
			blocks = append(blocks, block{heading: strings.TrimSpace(line)})
		case len(blocks) == 0:
			blocks = append(blocks, block{body: line})
		default:
			blocks[len(blocks)-1].body += line
		}
	}
	return blocks
}

// join writes the blocks with one empty line between all headings and bodies.
func join(blocks []block) string {
	var parts []string
	for _, b := range blocks {
		for _, part := range []string{b.heading, strings.TrimSpace(b.body)} {
			if part != "" {
				parts = append(parts, part)
			}
		}
	}
	return strings.Join(parts, "\n\n") + "\n"
}
