package lint

import (
	"regexp"
	"slices"
	"strings"

	"k8s.io/code-generator/cmd/client-gen/generators/util"
	"k8s.io/kube-openapi/pkg/generators"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

var valuesRule = Rule{
	ID:    "value",
	Doc:   "The tool's parser rejects the value of the marker, or the value has no meaning.",
	check: eachMarker((*linter).checkValue),
}

// checkValue reports a value that the parser of the tool that reads it refuses, and one that the
// parser takes but that means nothing.
func (l *linter) checkValue(m *marker) bool {
	_, text, _ := strings.Cut(m.text, "=")
	name := m.known.name
	if def := l.catalog.definition(m); def != nil {
		value, err := def.Parse(m.text)
		if err != nil {
			l.parseFailed(m, text, err)
			return false
		}
		m.value = value
		l.checkCharacters(m)
	}
	switch {
	case strings.HasPrefix(name, validationPrefix) && !strings.HasPrefix(name, validationPrefix+"cel["):
		if _, err := generators.ParseCommentTags(gengoType(m.decl, name[len(validationPrefix):]), []string{m.text},
			"+"+validationPrefix); err != nil {
			l.complain(m, "", "%s: openapi-gen rejects it: %s", m.text, rootCause(err))
		}
	case name == "genclient:onlyVerbs" || name == "genclient:skipVerbs":
		for _, verb := range strings.Split(text, ",") {
			l.checkAllowed(m, name, verb, util.SupportedVerbs)
		}
	case strings.HasPrefix(name, "genclient:"):
		if _, err := util.ParseClientGenTags([]string{m.text}); err != nil {
			l.complain(m, "", "client-gen rejects it: %s", err)
		}
	case name == "k8s:openapi-gen" && !strings.HasPrefix(text, "x-kubernetes-"):
		l.checkAllowed(m, name, text, []string{"true", "false"})
	case allowed[name] != nil:
		l.checkAllowed(m, name, text, allowed[name])
	}
	switch value := m.value.(type) {
	case crdmarkers.Resource:
		if value.Scope != "" {
			l.checkAllowed(m, name+":scope", value.Scope, allowed[name+":scope"])
		}
	case crdmarkers.PrintColumn:
		l.checkAllowed(m, name+":type", value.Type, allowed[name+":type"])
	case crdmarkers.AtMostOneOf:
		l.checkNames(m, value)
	case crdmarkers.ExactlyOneOf:
		l.checkNames(m, value)
	case crdmarkers.AtLeastOneOf:
		l.checkNames(m, value)
	}
	return true
}

// checkAllowed reports a value that is not one of the allowed ones.
func (l *linter) checkAllowed(m *marker, name, value string, values []string) {
	if slices.Contains(values, value) {
		return
	}
	hint := ""
	if right := diag.Nearest(value, values); right != "" {
		hint = m.with(value, right)
	}
	switch {
	case len(values) == 1 && values[0] == "":
		l.complain(m, "+"+name, "+%s takes no value", name)
	case value == "":
		l.complain(m, "+"+name+"="+values[0], "+%s has no value: it is one of %s", name, strings.Join(values, ", "))
	default:
		l.complain(m, hint, "+%s is %q: it must be one of %s", name, value,
			strings.TrimPrefix(strings.Join(values, ", "), ", "))
	}
}

// with is the marker's text with a part of its value replaced.
func (m *marker) with(wrong, right string) string {
	name, value, _ := strings.Cut(m.text, "=")
	return name + "=" + strings.Replace(value, wrong, right, 1)
}

// checkNames reports names that are not properties of the struct.
func (l *linter) checkNames(m *marker, names []string) {
	var have []string
	for _, property := range l.properties(m.decl.typ) {
		have = append(have, property.name)
	}
	for _, name := range names {
		if !slices.Contains(have, name) {
			hint := ""
			if right := diag.Nearest(name, have); right != "" {
				hint = m.with(name, right)
			}
			l.complain(m, hint, "+%s names %q: %s has no such property", m.known.name, name, m.decl.title)
		}
	}
}

var (
	scannerAt       = regexp.MustCompile(` \(at [^)]*\)`)
	unknownArgument = regexp.MustCompile(`unknown argument "([^"]*)"`)
)

// parseFailed reports an error of controller-gen's parser about a marker's value.
func (l *linter) parseFailed(m *marker, text string, err error) {
	name := m.known.name
	reason := strings.Trim(scannerAt.ReplaceAllString(err.Error(), ""), "[]")
	switch unknown := unknownArgument.FindStringSubmatch(reason); {
	case unknown != nil:
		hint := "the arguments are " + strings.Join(m.known.args, ", ")
		if right := diag.Nearest(unknown[1], m.known.args); right != "" {
			hint = strings.Replace(m.text, unknown[1]+"=", right+"=", 1)
		}
		l.complain(m, hint, "+%s has no argument %q", name, unknown[1])
	case strings.Contains(reason, "extra arguments") && !m.known.plain && m.known.args == nil:
		l.complain(m, "+"+name, "+%s takes no value", name)
	case name == "default":
		l.complain(m, l.suggestValue(declaredDefault{marker: m}), "%s: the value is not JSON: %s", m.text, reason)
	case text == "" && m.known.plain:
		l.complain(m, "", "+%s has no value", name)
	default:
		l.complain(m, "", "%s: controller-gen rejects it: %s", m.text, reason)
	}
}

// rootCause is the last part of an error that was wrapped with colons, on one line.
func rootCause(err error) string {
	text := strings.ReplaceAll(err.Error(), "\n", ", ")
	for _, prefix := range []string{"invalid marker comments: ", "failed to parse marker comments: ",
		"failed to unmarshal marker comments: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return text
}

// describe names a JSON value for messages.
func describe(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case int64:
		return "an integer"
	case float64:
		return "a number"
	case []any:
		return "a list"
	}
	return "an object"
}
