package gosdk

import (
	"fmt"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// goName exports a JSON name: parts at characters that no identifier may hold are joined,
// each with an upper-case first letter, an X in front where there is none. It is empty if
// nothing is left.
func goName(key string) string {
	var b strings.Builder
	upper := true
	for _, r := range key {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			upper = true
			continue
		}
		if upper {
			r = unicode.ToUpper(r)
		}
		if b.Len() == 0 && !unicode.IsUpper(r) {
			b.WriteByte('X')
		}
		b.WriteRune(r)
		upper = false
	}
	return b.String()
}

// validTag says whether encoding/json takes a name from a tag, rather than ignore it.
func validTag(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r)
	})
}

// param is a field's name as a parameter.
func param(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	lower := string(unicode.ToLower(first)) + name[size:]
	if token.IsKeyword(lower) || lower == "metav1" || lower == "ptr" {
		return lower + "_"
	}
	return lower
}

// declared are the identifiers and files of the package, by the model that they are for.
type declared map[string]string

var (
	typeName   = regexp.MustCompile(`^[A-Z][A-Za-z0-9_]*$`)
	acronymEnd = regexp.MustCompile(`([A-Z]+)([A-Z][a-z][a-z]+)`)
	wordEnd    = regexp.MustCompile(`([a-z0-9])([A-Z])`)
)

// add takes what a model declares, and says what of it is no name, or another's.
func (d declared) add(model *Model) (problems []string) {
	if !typeName.MatchString(model.Name) {
		return []string{model.Name + " cannot be the name of a type in Go"}
	}
	names := []string{model.Name, "New" + model.Name, "model_" + fileName(model.Name) + ".go"}
	if model.HasDefaults {
		names = append(names, "New"+model.Name+"WithDefaults")
	}
	for _, enum := range model.Enums {
		names = append(names, enum.Name)
		for _, value := range enum.Values {
			names = append(names, value.Name)
		}
	}
	return d.take(model.Name, names...)
}

// fileName spells a name as the jar does in its files': FooURL and FooUrl are both foo_url.
func fileName(name string) string {
	return strings.ToLower(wordEnd.ReplaceAllString(acronymEnd.ReplaceAllString(name, "${1}_${2}"), "${1}_${2}"))
}

// take takes names for a model, and says which are another's.
func (d declared) take(model string, names ...string) (problems []string) {
	for _, name := range names {
		if other, ok := d[name]; ok {
			problems = append(problems, fmt.Sprintf("%s and %s would both have %s in Go", other, model, name))
			continue
		}
		d[name] = model
	}
	return problems
}

// printed are the exported identifiers of the runtime.
var printed = []string{"Client", "Event", "NewClient"}

func quote(s string) string { return strconv.Quote(s) }

const width = 100

// comment returns the text as line comments, each starting with the indentation; fallback
// if the text is empty; "" without either.
func comment(text, fallback, indent string) string {
	if strings.TrimSpace(clean(text)) == "" {
		text = fallback
	}
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if wrapped := wrap(strings.Fields(clean(paragraph))); len(wrapped) > 0 {
			if len(lines) > 0 {
				lines = append(lines, indent+"//")
			}
			for _, line := range wrapped {
				if strings.HasPrefix(line, "+build") { // gofmt would move it to the top of the file
					line = "'+build'" + strings.TrimPrefix(line, "+build")
				}
				lines = append(lines, indent+"// "+line)
			}
		}
	}
	return strings.Join(lines, "\n")
}

// clean replaces characters that would end a line comment or that no Go source may hold.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || r == ' ' {
			return r
		}
		return ' '
	}, text)
}

func wrap(words []string) []string {
	var lines []string
	var line strings.Builder
	for _, word := range words {
		if line.Len() > 0 && line.Len()+1+len(word) > width {
			lines = append(lines, line.String())
			line.Reset()
		}
		if line.Len() > 0 {
			line.WriteByte(' ')
		}
		line.WriteString(word)
	}
	if line.Len() > 0 {
		lines = append(lines, line.String())
	}
	return lines
}
