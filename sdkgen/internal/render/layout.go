package render

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// layout says which files a generator makes of a document, and how it spells names.
type layout struct {
	model, api, once []output
	modelFile        func(definition string) string
	tag              func(tag string) string // as it is sorted, and as its class and file are named after
	apiFile          func(tag string) string
	id               func(operation string) string // operationId, by which operations are sorted
}

// output is a template and the file that it makes; {package}, {class} and {file} in it are replaced.
type output struct{ template, path string }

var layouts = map[string]layout{
	Python: {
		model: []output{
			{"model.mustache", "{package}/models/{file}.py"},
			{"model_doc.mustache", "docs/{class}.md"},
			{"model_test.mustache", "test/test_{file}.py"},
		},
		api: []output{{"api.mustache", "{package}/api/{file}.py"}},
		once: []output{
			{"__init__package.mustache", "{package}/__init__.py"},
			{"__init__model.mustache", "{package}/models/__init__.py"},
			{"__init__api.mustache", "{package}/api/__init__.py"},
		},
		modelFile: FileName,
		tag:       word,
		apiFile:   func(tag string) string { return FileName(camel(tag) + "Api") },
		id:        FileName,
	},
	Go: {
		model:     []output{{"model.mustache", "{file}.go"}},
		api:       []output{{"api.mustache", "{file}.go"}},
		modelFile: func(name string) string { return goFile("model_" + FileName(name)) },
		tag:       goTag,
		apiFile:   func(tag string) string { return goFile("api_" + FileName(tag)) },
		id:        camel,
	},
}

var (
	acronymEnd = regexp.MustCompile(`([A-Z]+)([A-Z][a-z][a-z]+)`)
	wordEnd    = regexp.MustCompile(`([a-z0-9])([A-Z])`)
)

// FileName returns how openapi-generator spells the name of a definition in the names of files: FooURLs and FooUrls are
// both foo_urls.
func FileName(definition string) string {
	return strings.ToLower(wordEnd.ReplaceAllString(acronymEnd.ReplaceAllString(definition, "${1}_${2}"), "${1}_${2}"))
}

// templates returns the names of the layout's templates.
func (l layout) templates() []string {
	var names []string
	for _, out := range slices.Concat(l.model, l.api, l.once) {
		names = append(names, out.template)
	}
	return names
}

var notWord = regexp.MustCompile(`\W`)

// word replaces what an identifier may not have.
func word(tag string) string { return notWord.ReplaceAllString(tag, "_") }

// camel leaves underscores out and spells what follows each with a capital.
func camel(tag string) string {
	var name strings.Builder
	for part := range strings.SplitSeq(word(tag), "_") {
		first, size := utf8.DecodeRuneInString(part)
		if size > 0 {
			name.WriteRune(unicode.ToUpper(first))
			name.WriteString(part[size:])
		}
	}
	return name.String()
}

// goTag is a tag as a Go identifier.
func goTag(tag string) string {
	name := camel(tag)
	if name != "" && '0' <= name[0] && name[0] <= '9' {
		return "Class" + name
	}
	return name
}

// platforms end the names of Go files that are built for tests or one platform only.
var platforms = strings.Fields("test aix android darwin dragonfly freebsd illumos ios js linux netbsd openbsd plan9 " +
	"solaris wasip1 windows zos 386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm")

// goFile adds an underscore to the name of a file that would be built for one platform only.
func goFile(name string) string {
	if slices.Contains(platforms, name[strings.LastIndexByte(name, '_')+1:]) {
		return name + "_"
	}
	return name
}
