package sampler

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// longest is how long a text gets when a pattern or a length asks for it.
const longest = 300

// Limits are what a schema asks of a string.
type Limits struct {
	Pattern              string // as Go's regexp has it; one that Go refuses asks for nothing
	MinLength, MaxLength *int64 // in characters

	pattern *regexp.Regexp
}

// Allow says whether a text meets the limits.
func (l *Limits) Allow(text string) bool {
	size := int64(utf8.RuneCountInString(text))
	if l.MinLength != nil && size < *l.MinLength || l.MaxLength != nil && size > *l.MaxLength {
		return false
	}
	if l.pattern == nil {
		l.pattern, _ = regexp.Compile(l.Pattern)
	}
	return l.pattern == nil || l.pattern.MatchString(text)
}

// Text returns a string that meets the limits, the wanted one if it does; false, with the wanted one, if none is found.
func Text(expected string, l Limits) (string, bool) {
	if l.Allow(expected) {
		return expected, true
	}
	var shortest int64
	if l.MinLength != nil {
		shortest = max(0, *l.MinLength)
	}
	parsed, err := syntax.Parse(l.Pattern, syntax.Perl)
	if l.Pattern == "" || err != nil {
		for int64(len(expected)) < shortest && len(expected) < longest {
			expected += "x"
		}
		if size := l.MaxLength; size != nil && int64(len(expected)) > *size {
			expected = strings.Repeat("x", int(max(*size, 0)))
		}
		return expected, l.Allow(expected)
	}
	for repeat := 0; int64(repeat) <= shortest+1 && repeat < longest; repeat++ {
		var b strings.Builder
		writeMatch(&b, parsed, repeat)
		if text := b.String(); l.Allow(text) {
			return text, true
		}
	}
	return expected, false
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
