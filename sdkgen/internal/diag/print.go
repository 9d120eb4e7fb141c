package diag

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Format is how diagnostics are printed.
type Format string

// The formats of --format.
const (
	Text   Format = "text"   // for people: file:line:col: message (rule)
	JSON   Format = "json"   // one array of objects
	GitHub Format = "github" // workflow commands, shown on the changed lines of a pull request
)

// ParseFormat returns the format of that name.
func ParseFormat(name string) (Format, error) {
	switch f := Format(name); f {
	case Text, JSON, GitHub:
		return f, nil
	}
	return "", fmt.Errorf("unknown format %q: use text, json or github", name)
}

// Entry is a diagnostic as JSON prints it.
type Entry struct {
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Rule     string `json:"rule,omitempty"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
}

// Print writes the diagnostics, sorted, to w. An empty list prints nothing, but "[]" as JSON.
func Print(w io.Writer, format Format, list List) error {
	list = list.Sorted()
	switch format {
	case JSON:
		return printJSON(w, list)
	case GitHub:
		return printGitHub(w, list)
	default:
		for _, d := range list {
			if _, err := fmt.Fprintln(w, d); err != nil {
				return err
			}
		}
		return nil
	}
}

// Entries returns the diagnostics as JSON prints them, sorted.
func (l List) Entries() []Entry {
	entries := make([]Entry, 0, len(l))
	for _, d := range l.Sorted() {
		entries = append(entries, Entry{
			File: d.Pos.Filename, Line: d.Pos.Line, Column: d.Pos.Column,
			Rule: d.Rule, Severity: d.Severity.String(), Message: d.Message, Hint: d.Hint,
		})
	}
	return entries
}

func printJSON(w io.Writer, list List) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(list.Entries())
}

// printGitHub writes workflow commands: ::error file=F,line=L,col=C,title=R::message.
func printGitHub(w io.Writer, list List) error {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for _, d := range list {
		var props []string
		add := func(name, value string) {
			if value != "" && value != "0" {
				props = append(props, name+"="+property.Replace(value))
			}
		}
		add("file", d.Pos.Filename)
		add("line", fmt.Sprint(d.Pos.Line))
		add("col", fmt.Sprint(d.Pos.Column))
		add("title", d.Rule)
		text := d.Message
		if d.Hint != "" {
			text += "\n" + d.Hint
		}
		head := "::" + d.Severity.String()
		if len(props) > 0 {
			head += " " + strings.Join(props, ",")
		}
		if _, err := fmt.Fprintf(w, "%s::%s\n", head, data.Replace(text)); err != nil {
			return err
		}
	}
	return nil
}
