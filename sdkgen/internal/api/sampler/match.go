package sampler

import (
	"regexp/syntax"
	"strings"
)

// maxRepeat is how often the sampler repeats what a pattern lets it repeat without a limit.
const maxRepeat = 3

// Match returns a random text that a pattern finds itself in; false for a pattern that does not parse.
func (s *Sampler) Match(pattern string) (string, bool) {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	s.write(&b, parsed.Simplify())
	return b.String(), true
}

func (s *Sampler) write(b *strings.Builder, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(s.pickRune(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('x')
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			s.write(b, sub)
		}
	case syntax.OpAlternate:
		s.write(b, re.Sub[s.IntN(len(re.Sub))])
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		low, high := s.bounds(re)
		for range low + s.IntN(high-low+1) {
			s.write(b, re.Sub[0])
		}
	}
}

// bounds returns how often an expression is repeated.
func (s *Sampler) bounds(re *syntax.Regexp) (low, high int) {
	if s.Long > 0 && (re.Op == syntax.OpStar || re.Op == syntax.OpPlus || re.Op == syntax.OpRepeat && re.Max < 0) {
		return s.Long, s.Long
	}
	switch re.Op {
	case syntax.OpStar:
		return 0, maxRepeat
	case syntax.OpPlus:
		return 1, maxRepeat
	case syntax.OpQuest:
		return 0, 1
	}
	if re.Max < 0 {
		return re.Min, re.Min + maxRepeat
	}
	return re.Min, re.Max
}

// pickRune returns a rune of a class, one of ASCII where it has one that can be printed.
func (s *Sampler) pickRune(ranges []rune) rune {
	var printable []rune
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := max(ranges[i], ' '); r <= min(ranges[i+1], '~'); r++ {
			printable = append(printable, r)
		}
	}
	if len(printable) == 0 {
		return ranges[0]
	}
	return printable[s.IntN(len(printable))]
}
