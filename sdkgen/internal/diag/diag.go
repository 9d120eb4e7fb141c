// Package diag holds the diagnostics that the toolchain reports about its input: a position,
// the rule that was broken, what is wrong and what to write instead. Stages collect
// diagnostics; they are sorted, deduplicated and printed once, by the command.
package diag

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// Severity says whether a diagnostic stops a run. The zero value is Error.
type Severity int

// The severities.
const (
	Error   Severity = iota // the run ends without writing anything
	Warning                 // the run goes on
)

func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Diagnostic is one error or warning.
type Diagnostic struct {
	// Filename relative to the project where it lies inside; line and column from 1, 0 where unknown
	Pos      token.Position
	Rule     string // short name of what was checked, such as "names_match" or "load"
	Severity Severity
	Message  string // what is wrong, one line
	Hint     string // what to do; may have several lines, may be empty
}

// List is a set of diagnostics. A non-empty List is an error.
type List []Diagnostic

// Add appends a diagnostic of severity Error.
func (l *List) Add(pos token.Position, rule, hint, format string, args ...any) {
	*l = append(*l, Diagnostic{Pos: pos, Rule: rule, Hint: hint, Message: fmt.Sprintf(format, args...)})
}

// Warn appends a diagnostic of severity Warning.
func (l *List) Warn(pos token.Position, rule, hint, format string, args ...any) {
	l.Add(pos, rule, hint, format, args...)
	(*l)[len(*l)-1].Severity = Warning
}

// Errorf returns an error of one diagnostic.
func Errorf(pos token.Position, rule, hint, format string, args ...any) error {
	var l List
	l.Add(pos, rule, hint, format, args...)
	return l
}

// Sorted returns the diagnostics by file, line, column, rule and message, each once.
func (l List) Sorted() List {
	out := slices.Clone(l)
	slices.SortFunc(out, compare)
	return slices.Compact(out)
}

func compare(a, b Diagnostic) int {
	return cmp.Or(
		cmp.Compare(a.Pos.Filename, b.Pos.Filename),
		cmp.Compare(a.Pos.Line, b.Pos.Line),
		cmp.Compare(a.Pos.Column, b.Pos.Column),
		cmp.Compare(a.Rule, b.Rule),
		cmp.Compare(a.Message, b.Message),
		cmp.Compare(a.Hint, b.Hint),
		cmp.Compare(a.Severity, b.Severity),
	)
}

// Err returns the list as an error if it holds a diagnostic of severity Error, else nil.
func (l List) Err() error {
	if slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error }) {
		return l
	}
	return nil
}

// Errors returns the diagnostics of severity Error.
func (l List) Errors() List {
	return slices.DeleteFunc(slices.Clone(l), func(d Diagnostic) bool { return d.Severity != Error })
}

// Error implements error: the diagnostics as Text prints them.
func (l List) Error() string {
	lines := make([]string, 0, len(l))
	for _, d := range l.Sorted() {
		lines = append(lines, d.String())
	}
	return strings.Join(lines, "\n")
}

// String is one diagnostic as text: "file:line:col: message (rule)", and the hint on lines of its own.
func (d Diagnostic) String() string {
	var b strings.Builder
	if d.Pos.Filename != "" {
		b.WriteString(position(d.Pos) + ": ")
	}
	if d.Severity == Warning {
		b.WriteString("warning: ")
	}
	b.WriteString(d.Message)
	if d.Rule != "" {
		fmt.Fprintf(&b, " (%s)", d.Rule)
	}
	if d.Hint != "" {
		b.WriteString("\n    " + strings.ReplaceAll(d.Hint, "\n", "\n    "))
	}
	return b.String()
}

// position prints what is known of pos; token.Position alone drops a column without a line.
func position(pos token.Position) string {
	pos.Offset = 0
	return pos.String()
}

// Of returns the diagnostics that err carries: its List if it wraps one, else one
// diagnostic without a position that holds its message.
func Of(err error) List {
	if err == nil {
		return nil
	}
	if list, ok := errors.AsType[List](err); ok {
		return list
	}
	return List{{Message: err.Error()}}
}
