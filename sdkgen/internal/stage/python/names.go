package python

import (
	"regexp"
	"strings"
)

var (
	acronymEnd = regexp.MustCompile(`([A-Z]+)([A-Z][a-z])`)
	wordEnd    = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	notWord    = regexp.MustCompile(`[^A-Za-z0-9_]`)
	// className is what the jar leaves as it is.
	className = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
)

// snake spells a camelCase name with underscores as the kubernetes client has it:
// deadlineSeconds is deadline_seconds, clusterIP is cluster_ip, externalIPs is external_i_ps.
// A character that no identifier may hold becomes an underscore. Underscores in front are left
// out, as openapi-generator does: Python mangles names that start with two.
func snake(name string) string {
	name = notWord.ReplaceAllString(name, "_")
	name = wordEnd.ReplaceAllString(acronymEnd.ReplaceAllString(name, "${1}_${2}"), "${1}_${2}")
	return strings.TrimLeft(strings.ToLower(name), "_")
}

// attribute returns the Python attribute of a JSON key.
func attribute(key string) string {
	name := snake(key)
	switch {
	case name == "keys":
		return "keys_" // dict(model) calls keys, and _keys is the base class's own
	case name == "" || keywords[name] || reserved[name] || strings.ContainsAny(name[:1], "0123456789"):
		return "_" + name
	}
	return name
}

// isClass says whether a name can be a class's: not if the jar would give it another one, nor if it is
// one of typing that every module of a model imports.
func isClass(name string) bool {
	return className.MatchString(name) && !keywords[strings.ToLower(name)] && !typing[name]
}

// keywords are names that Python has, in lower case, and others that openapi-generator keeps
// from classes.
var keywords = set(
	"and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else",
	"except", "false", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "none",
	"nonlocal", "not", "or", "pass", "raise", "return", "true", "try", "while", "with", "yield",
	"print", "exec", "self", "property",
)

// reserved are attribute names that every model has of its own. Like keywords, they get an underscore
// in front, as python-legacy does.
var reserved = set("local_vars_configuration",
	"openapi_types", "attribute_map", "discriminator", "to_dict", "from_dict", "to_str", "keys",
	"to_yaml", "from_yaml", "validate", "partial", "clean",
)

// typing are the names that a model's hints and declarations are made of.
var typing = set("Any", "ClassVar", "Dict", "List", "Literal", "Optional", "Union", "TYPE_CHECKING")

func set(names ...string) map[string]bool {
	out := make(map[string]bool, len(names))
	for _, name := range names {
		out[name] = true
	}
	return out
}
