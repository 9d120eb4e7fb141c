package changelog

import (
	"fmt"
	"slices"
	"strings"
)

// titles are the headings of a section in their order. Other has what names an area that no line of areas has.
var titles = []string{"API", "Operator", "Python SDK", "Go clients", "sdkgen", "Chart", other}

const other = "Other"

// areas are what stands before the colon of a commit's subject, by the heading under which a user looks for it. Those
// without a heading are not told: users do not see them.
var areas = map[string][]string{
	"API":        {"api", "types"},
	"Operator":   {"operator", "controller", "minicluster", "cmd/manager", "cmd/fluxoperator-gen", "config", "diag"},
	"Python SDK": {"python", "client", "runtime", "runtime/python", "sdk/python", "templates/python", "pysdk"},
	"Go clients": {"go", "golink", "gosdk", "clients", "sdk/go", "runtime/go", "templates/go"},
	"sdkgen": {"sdkgen", "action", "adopt", "artifact", "baseline", "breaking", "cli", "codegen", "crd", "doctor",
		"document", "engine", "explain",
		"gogen", "init", "install", "lint", "load", "lock", "mustache", "openapigen", "overlay", "pipeline", "policy",
		"rules", "samples",
		"scaffold", "schemas", "stray", "swagger", "templates", "tools", "verify"},
	"Chart": {"chart", "charts", "kustomize", "images", "image"},
	"": {"apis", "bench", "ci", "clientcost", "docs", "e2e", "examples", "format", "hack", "issue", "make", "messages",
		"readme", "release", "repos",
		"sampler", "site", "test", "tests", "testkit"},
}

// Groups sorts commits by what users see of them. A commit's subject is `area: what`, or `area, area: what`; the first
// area that users see counts. Unsorted are the subjects under "Other".
func Groups(subjects []string) (groups []Group, unsorted []string) {
	items := map[string][]string{}
	for _, subject := range subjects {
		title, item := place(subject)
		if title == "" {
			continue
		}
		if title == other {
			unsorted = append(unsorted, subject)
		}
		if !slices.Contains(items[title], item) {
			items[title] = append(items[title], item)
		}
	}
	for _, title := range titles {
		if len(items[title]) > 0 {
			groups = append(groups, Group{title, items[title]})
		}
	}
	return groups, unsorted
}

// place returns the heading of a subject, empty if users do not see what it says, and its line in the list.
func place(subject string) (title, item string) {
	named, what, ok := strings.Cut(subject, ": ")
	if !ok || strings.Contains(strings.ReplaceAll(named, ", ", ""), " ") {
		return other, "- " + subject
	}
	title = ""
	for area := range strings.SplitSeq(named, ", ") {
		if title = heading(area); title != "" {
			break
		}
	}
	if area := strings.ToLower(named); title == other || area != strings.ToLower(title) && title == "sdkgen" {
		return title, fmt.Sprintf("- %s: %s", named, what)
	}
	return title, "- " + strings.ToUpper(what[:1]) + what[1:]
}

// heading returns the heading of an area. A longer path belongs to the area that it begins with: test/e2e to test.
func heading(area string) string {
	for at := area; at != "."; {
		for _, title := range append(slices.Clone(titles), "") {
			if slices.Contains(areas[title], at) {
				return title
			}
		}
		if slash := strings.LastIndexByte(at, '/'); slash > 0 {
			at = at[:slash]
		} else {
			at = "."
		}
	}
	return other
}
