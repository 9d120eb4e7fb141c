package scaffold

import (
	"io/fs"
	"regexp"
	"strings"
)

// header is the comment above generated Go files.
type header struct {
	file string // "" for none
	text string
	year string // in place of " YEAR"
	bad  string // why the file cannot be the header
}

// boilerplates are where projects have the header; kubebuilder's is the first.
var boilerplates = []string{"hack/boilerplate.go.txt", "hack/boilerplate/boilerplate.go.txt",
	"hack/boilerplate/boilerplate.generatego.txt"}

// readHeader finds the header: the one that controller-gen's object generator is given, else that of
// kubebuilder's layout.
func (p *project) readHeader() header {
	names, input := boilerplates, ""
	for _, c := range p.calls {
		if c.generator == "object" {
			input = c.options["year"]
			if file := c.options["headerFile"]; !strings.Contains(file, "$") {
				names = []string{c.resolve(file)} // a directory, if it has none
			}
			break
		}
	}
	for _, name := range names {
		if data, err := fs.ReadFile(p.tree, name); err == nil {
			return p.newHeader(name, string(data), input)
		}
	}
	return header{}
}

// newHeader works out the year that a header needs; given is the one that controller-gen is told.
func (p *project) newHeader(file, text, input string) header {
	h := header{file: file, text: text}
	if !strings.Contains(text, "YEAR") {
		return h
	}
	if h.year = input; input == "" || strings.Contains(input, "$") {
		h.year = p.yearIn(h.text)
	}
	switch {
	case h.year == "":
		h.bad = "it contains the word YEAR, and the project does not say which year to write"
	case strings.Contains(strings.ReplaceAll(h.text, " YEAR", ""), "YEAR"):
		h.bad = "it contains the word YEAR without a space before it, which controller-gen does not replace"
	}
	return h
}

// yearIn returns the year that a Go file of an API package has where the header has YEAR; first of the
// deepcopy code, which controller-gen made.
func (p *project) yearIn(text string) string {
	before, after, _ := strings.Cut(text, " YEAR")
	after, _, _ = strings.Cut(after, "\n")
	from := strings.LastIndexByte(before, '\n') + 1
	form := regexp.MustCompile(regexp.QuoteMeta(before[from:]) + ` ([0-9]{4}(?:[-, ]+[0-9]{4})*)` +
		regexp.QuoteMeta(after))
	year := ""
	for _, a := range p.apis {
		for _, name := range a.files {
			data, err := fs.ReadFile(p.tree, name)
			if err != nil {
				continue
			}
			if m := form.FindSubmatch(data); m != nil && (year == "" || strings.HasSuffix(name, "/"+deepcopyFile)) {
				year = string(m[1])
			}
		}
	}
	return year
}

// comment is the header as it is in a Go file.
func (h header) comment() string {
	if h.file == "" || h.bad != "" {
		return ""
	}
	return strings.TrimRight(strings.ReplaceAll(h.text, " YEAR", " "+h.year), "\n") + "\n\n"
}
