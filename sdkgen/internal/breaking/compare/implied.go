package compare

import (
	"regexp/syntax"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/sampler"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/server"
)

// wider maps a format to one that accepts all of its values. The API server does not check password.
var wider = map[string]string{"uuid3": "uuid", "uuid4": "uuid", "uuid5": "uuid", "isbn10": "isbn", "isbn13": "isbn",
	"int32": "int64", "float": "double"}

// format compares formats.
func (c *comparison) format(at node, old, now *schema) {
	earlier, current := old.Format, now.Format
	switch {
	case earlier == current:
	case current == "":
		c.add("format-removed", at, transition(earlier, "none"))
	case earlier == "":
		c.add("format-changed", at, transition("none", current), compatible(checked(now) == "", unchecked))
	default:
		before, after := checked(old), checked(now)
		c.add("format-changed", at, transition(earlier, current), compatible(after == "", unchecked),
			compatible(before == after && after != "", "the API server takes them for the same"),
			compatible(before != "" && wider[before] == after, "all values are still allowed"))
	}
}

const unchecked = "the API server does not check it"

// checked returns the format of a schema as the API server checks it, "" if it does not.
func checked(s *schema) string {
	if s.Format == "int64" || s.Format == "double" || s.Format == "password" { // no value of the type fails
		return ""
	}
	at := &spec.Schema{SchemaProps: spec.SchemaProps{Format: s.Format}}
	if s.Type != "" {
		at.Type = spec.StringOrArray{s.Type}
	}
	strip := validation.StripUnsupportedFormatsPostProcessorForVersion(environment.DefaultCompatibilityVersion())
	if err := strip(at); err != nil {
		return s.Format
	}
	if at.Format == "date-time" {
		return "datetime" // the validator drops the dash
	}
	return at.Format
}

// implied says why every value of the old schema meets the new one, "" if that is not known. All values of an
// enumeration can be tried.
func implied(old, now *schema) string {
	if len(old.Enum) == 0 {
		return ""
	}
	validator, err := server.NewValidator(now)
	if err != nil { // whoever compares the schemas is told
		return ""
	}
	for i := range old.Enum {
		if !validator.Validate(sampler.Decode(old.Enum[i])).IsValid() {
			return ""
		}
	}
	return "all values are still allowed"
}

// shortest returns a length that every text which a pattern finds itself in has at least.
func shortest(pattern string) int64 {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0
	}
	return atLeast(parsed.Simplify())
}

func atLeast(re *syntax.Regexp) int64 {
	switch re.Op {
	case syntax.OpLiteral:
		return int64(len(re.Rune))
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1
	case syntax.OpCapture, syntax.OpPlus:
		return atLeast(re.Sub[0])
	case syntax.OpRepeat:
		return int64(re.Min) * atLeast(re.Sub[0])
	case syntax.OpConcat:
		n := int64(0)
		for _, sub := range re.Sub {
			n += atLeast(sub)
		}
		return n
	case syntax.OpAlternate:
		n := atLeast(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			n = min(n, atLeast(sub))
		}
		return n
	}
	return 0
}
