package pysdk

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/flux-framework/flux-operator/sdkgen/internal/document"
)

// longest is how long a sample text gets when a pattern or a length asks for it.
const longest = 300

// text returns a string that the type allows, the wanted one if it does.
func (s *sampler) text(wanted string, t *document.Type) string {
	shortest := within(0, t.MinLength, nil)
	allowed := func(text string) bool {
		size := int64(utf8.RuneCountInString(text))
		return size >= shortest && (t.MaxLength == nil || size <= *t.MaxLength)
	}
	if t.Pattern == "" {
		for int64(len(wanted)) < shortest && len(wanted) < longest {
			wanted += "x"
		}
		if size := t.MaxLength; size != nil && int64(len(wanted)) > *size {
			wanted = strings.Repeat("x", int(max(*size, 0)))
		}
		s.invalid = s.invalid || !allowed(wanted)
		return wanted
	}
	parsed, err := syntax.Parse(t.Pattern, syntax.Perl)
	if err != nil {
		return wanted // Go refuses the pattern, so nothing is checked against it
	}
	matches := regexp.MustCompile(t.Pattern).MatchString
	if matches(wanted) && allowed(wanted) {
		return wanted
	}
	for repeat := 0; int64(repeat) <= shortest+1 && repeat < longest; repeat++ {
		var b strings.Builder
		writeMatch(&b, parsed, repeat)
		if text := b.String(); matches(text) && allowed(text) {
			return text
		}
	}
	s.invalid = true
	return wanted
}

// writeMatch writes a text that an expression matches, as far as it goes: assertions are left
// out, and what may be repeated is, so many times.
func writeMatch(b *strings.Builder, re *syntax.Regexp, repeat int) {
	times := 1
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(member(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('x')
	case syntax.OpStar:
		times = repeat
	case syntax.OpPlus:
		times = max(1, repeat)
	case syntax.OpQuest:
		times = min(1, repeat)
	case syntax.OpRepeat:
		times = max(re.Min, repeat)
		if re.Max >= 0 {
			times = min(times, re.Max)
		}
	case syntax.OpAlternate:
		writeMatch(b, re.Sub[0], repeat)
		return
	}
	for range times {
		for _, sub := range re.Sub {
			if b.Len() < longest {
				writeMatch(b, sub, repeat)
			}
		}
	}
}

// member returns a rune of a class, a letter or digit if there is one.
func member(ranges []rune) rune {
	for _, nice := range "ax0AX1" {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= nice && nice <= ranges[i+1] {
				return nice
			}
		}
	}
	if len(ranges) == 0 {
		return utf8.RuneError
	}
	return ranges[0]
}
