// Package rules compares kube-openapi's report of API rule violations with a list of
// exceptions: known violations that are accepted, one a line, in the report's format.
package rules

import (
	"bytes"
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// prefix starts each line of the report, and of the exceptions list.
const prefix = "API rule violation: "

// Violation is one line of openapi-gen's report.
type Violation struct {
	Rule    string // names_match, list_type_missing, …
	Package string // import path
	Type    string // Go type
	Field   string // Go field; empty if the type as a whole breaks the rule
}

// String is the violation as a line of the report and of the exceptions list.
func (v Violation) String() string {
	return prefix + strings.Join([]string{v.Rule, v.Package, v.Type, v.Field}, ",")
}

func compare(a, b Violation) int {
	return cmp.Or(cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Package, b.Package),
		cmp.Compare(a.Type, b.Type), cmp.Compare(a.Field, b.Field))
}

// Exception is one line of the exceptions list.
type Exception struct {
	Violation
	Line int // from 1
}

// Result is the comparison of violations with exceptions.
type Result struct {
	New   []Violation // not in the list: an error each
	Known []Violation // in the list
	Stale []Exception // in the list, but no longer violated: an error each
}

// ParseReport reads openapi-gen's report. name is the file's name in messages.
func ParseReport(name string, data []byte) ([]Violation, error) {
	exceptions, err := ParseExceptions(name, data)
	if err != nil {
		return nil, err
	}
	var out []Violation
	for _, e := range exceptions {
		out = append(out, e.Violation)
	}
	return out, nil
}

// ParseExceptions reads an exceptions list: lines of the report, comments that start
// with #, blank lines. The error is a diag.List with the line of each bad one.
func ParseExceptions(name string, data []byte) ([]Exception, error) {
	var out []Exception
	var list diag.List
	seen := map[Violation]int{}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		text := strings.TrimSpace(string(line))
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		pos := token.Position{Filename: name, Line: number, Column: 1}
		v, err := parse(text)
		if err != nil {
			list.Add(pos, "exceptions", "write: "+prefix+"RULE,PACKAGE,TYPE,FIELD", "%v", err)
			continue
		}
		if first := seen[v]; first > 0 {
			list.Add(pos, "exceptions", "remove one of the lines", "duplicate of the exception on line %d", first)
			continue
		}
		seen[v] = number
		out = append(out, Exception{Violation: v, Line: number})
	}
	return out, list.Err()
}

func parse(line string) (Violation, error) {
	text, ok := strings.CutPrefix(line, prefix)
	if !ok {
		return Violation{}, fmt.Errorf("%.80q does not start with %q", line, prefix)
	}
	parts := strings.Split(text, ",")
	if len(parts) != 4 {
		return Violation{}, fmt.Errorf("%.80q has %d parts, not rule, package, type and field", text, len(parts))
	}
	for i, part := range parts[:3] {
		if part == "" {
			return Violation{}, fmt.Errorf("%.80q has no %s", text, [...]string{"rule", "package", "type"}[i])
		}
	}
	return Violation{Rule: parts[0], Package: parts[1], Type: parts[2], Field: parts[3]}, nil
}

// Check compares the violations with the exceptions. Each part of the result is sorted.
func Check(violations []Violation, exceptions []Exception) Result {
	var res Result
	violated := map[Violation]bool{}
	for _, v := range violations {
		violated[v] = true
	}
	excepted := map[Violation]bool{}
	for _, e := range exceptions {
		excepted[e.Violation] = true
		if !violated[e.Violation] {
			res.Stale = append(res.Stale, e)
		}
	}
	for v := range violated {
		if excepted[v] {
			res.Known = append(res.Known, v)
		} else {
			res.New = append(res.New, v)
		}
	}
	slices.SortFunc(res.New, compare)
	slices.SortFunc(res.Known, compare)
	slices.SortFunc(res.Stale, func(a, b Exception) int { return cmp.Compare(a.Line, b.Line) })
	return res
}

// Locate gives the position of a field, or of the type if field is empty.
type Locate func(pkg, typeName, field string) token.Position

// Diagnostics reports each new violation where it is declared, and each stale exception
// at its line. list is the exceptions' file.
func (r Result) Diagnostics(list string, locate Locate) diag.List {
	var out diag.List
	for _, v := range r.New {
		pos := locate(v.Package, v.Type, v.Field)
		what := "type " + v.Type
		if v.Field != "" {
			what = "field " + v.Type + "." + v.Field
		}
		hint := advice(v)
		if list != "" {
			hint += "\nor accept the violation: add to " + list + "\n" + v.String()
		} else {
			hint += "\n" + acceptHint
		}
		out.Add(pos, v.Rule, hint, "API rule violation: %s", what)
	}
	for _, e := range r.Stale {
		out.Add(token.Position{Filename: list, Line: e.Line, Column: 1}, "exceptions",
			"remove the line, or run `sdkgen rules --update`", "stale exception, no longer violated: %s", e.Violation)
	}
	return out
}

// acceptHint says how to accept violations where there is no exceptions list yet.
const acceptHint = "or accept it: name a file with `rules: {exceptions: FILE}` in sdkgen.yaml and run `sdkgen rules " +
	"--update`"

// advice returns how to comply with the rule.
func advice(v Violation) string {
	switch v.Rule {
	case "names_match":
		return "make the Go name the JSON name with an upper-case first letter, or change the JSON name"
	case "list_type_missing":
		// with ListMeta, the rule forbids what it asks for elsewhere
		if v.Field == "Items" && strings.HasSuffix(v.Type, "List") {
			return "remove the list type, which the Items of a type with ListMeta do not have; without ListMeta, add // " +
				"+listType=atomic, set or map"
		}
		return "add the list type: // +listType=atomic, // +listType=set, or // +listType=map with // +listMapKey=NAME"
	case "omitempty_match_case":
		return "write omitempty in lower case in the json tag"
	case "streaming_list_type_json_tags":
		return "write: " + listFields[v.Field]
	case "streaming_list_type_field_order":
		return "write the fields in this order: TypeMeta, ListMeta, Items"
	case "streaming_list_type_proto_tags":
		return "remove the protobuf tag: custom resources are stored as JSON"
	}
	return "see the rule in kube-openapi's pkg/generators/rules"
}

// listFields are the fields of a list as the rule on their json tags wants them, by name.
var listFields = map[string]string{
	"TypeMeta": "metav1.TypeMeta `json:\",inline\"`",
	"ListMeta": "metav1.ListMeta `json:\"metadata,omitempty\"`, or, as kubebuilder does, `json:\"metadata,omitzero\"`",
	"Items":    "Items []KIND `json:\"items\"`, with the kind of the list",
}
