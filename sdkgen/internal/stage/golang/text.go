package golang

import (
	"fmt"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
)

// goName exports a JSON name, with an X in front where its first character has no upper case. It is
// empty if nothing is left.
func goName(key string) string {
	name := camel(key)
	if first, _ := utf8.DecodeRuneInString(name); name != "" && !unicode.IsUpper(first) {
		return "X" + name
	}
	return name
}

// camel joins the parts between characters that no identifier may hold, each with an upper-case
// first letter.
func camel(text string) string {
	var b strings.Builder
	upper := true
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			upper = true
			continue
		}
		if upper {
			r = unicode.ToUpper(r)
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

var typeName = regexp.MustCompile(`^[A-Z][A-Za-z0-9_]*$`)

// add takes what a model declares, and says what of it is no name, or another's.
func (d declared) add(m *Model) (problems []string) {
	if !typeName.MatchString(m.Name) {
		return []string{m.Name + " cannot be the name of a type in Go"}
	}
	names := []string{m.Name, "New" + m.Name, "model_" + render.FileName(m.Name) + ".go"}
	if m.HasDefaults {
		names = append(names, "New"+m.Name+"WithDefaults")
	}
	for _, enum := range m.Enums {
		names = append(names, enum.Name)
		for _, value := range enum.Values {
			names = append(names, value.Name)
		}
	}
	return d.take(m.Name, names...)
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
var printed = []string{"Client", "Event", "NewClient", "TooLargeError", "WaitError", "WarningHandler"}

func quote(s string) string { return strconv.Quote(s) }

const width = 100

// comment returns the text as line comments, each starting with the indentation; fallback
// if the text is empty; "" without either.
func comment(text, fallback, indent string) string {
	if strings.TrimSpace(model.Visible(text)) == "" {
		text = fallback
	}
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		wrapped := model.Wrap(model.Visible(paragraph), width)
		if len(wrapped) > 0 && len(lines) > 0 {
			lines = append(lines, indent+"//")
		}
		for _, line := range wrapped {
			if strings.HasPrefix(line, "+build") { // gofmt would move it to the top of the file
				line = "'+build'" + strings.TrimPrefix(line, "+build")
			}
			lines = append(lines, indent+"// "+line)
		}
	}
	return strings.Join(lines, "\n")
}

// deprecation returns the paragraph that deprecates what is declared for a definition beside its type; "" if the
// definition is not deprecated.
func deprecation(definition *model.Definition) string {
	if definition.Deprecated == "" {
		return ""
	}
	return "//\n" + comment("Deprecated: "+definition.Deprecated, "", "")
}
