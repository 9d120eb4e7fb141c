package pysdk

import (
	"regexp"
	"strings"
)

var (
	acronymEnd = regexp.MustCompile(`([A-Z]+)([A-Z][a-z])`)
	wordEnd    = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	notWord    = regexp.MustCompile(`[^A-Za-z0-9_]`)
)

// snake spells a camelCase name with underscores as openapi-generator does: deadlineSeconds
// is deadline_seconds, clusterIP is cluster_ip, externalIPs is external_i_ps. A character that
// no identifier may hold becomes an underscore; an empty name becomes "_".
func snake(name string) string {
	name = notWord.ReplaceAllString(name, "_")
	name = acronymEnd.ReplaceAllString(name, "${1}_${2}")
	name = wordEnd.ReplaceAllString(name, "${1}_${2}")
	if name == "" {
		return "_"
	}
	return strings.ToLower(name)
}

// reserved are attribute names that a model cannot have: Python's keywords, and what every
// model has of its own. They get an underscore in front, as python-legacy does.
var reserved = set(
	"and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else",
	"except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not",
	"or", "pass", "raise", "return", "try", "while", "with", "yield",
	"print", "exec", "self", "property", "local_vars_configuration",
	"openapi_types", "attribute_map", "discriminator", "to_dict", "from_dict", "to_str",
)

func set(names ...string) map[string]bool {
	out := make(map[string]bool, len(names))
	for _, name := range names {
		out[name] = true
	}
	return out
}
