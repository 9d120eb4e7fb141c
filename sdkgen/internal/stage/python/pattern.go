package python

import (
	"fmt"
	"regexp/syntax"
	"strings"
	"unicode"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/backtrack"
)

// pattern returns a regular expression of Python's re that matches what Go's regexp, by which
// the API server decides, matches: there $ is only the end of the text, \d and \w are ASCII,
// and classes like \pL exist. It returns "" for one that Go refuses, and for one that would take
// exponential time: the API server checks that.
func pattern(expression string) string {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil || backtrack.Exponential(expression) {
		return ""
	}
	var b strings.Builder
	writeRegexp(&b, parsed)
	return b.String()
}

var simpleOps = map[syntax.Op]string{
	syntax.OpNoMatch: `(?!)`, syntax.OpEmptyMatch: `(?:)`,
	syntax.OpAnyCharNotNL: `[^\n]`, syntax.OpAnyChar: `[\s\S]`,
	syntax.OpBeginLine: `(?m:^)`, syntax.OpEndLine: `(?m:$)`,
	syntax.OpBeginText: `\A`, syntax.OpEndText: `\Z`,
	syntax.OpWordBoundary: `(?a:\b)`, syntax.OpNoWordBoundary: `(?a:\B)`,
}

func writeRegexp(b *strings.Builder, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			writeLiteral(b, r, re.Flags&syntax.FoldCase != 0)
		}
	case syntax.OpCharClass:
		writeClass(b, re.Rune)
	case syntax.OpCapture:
		writeGroup(b, re.Sub[0])
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		writeGroup(b, re.Sub[0])
		b.WriteString(quantifier(re))
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if sub.Op == syntax.OpAlternate {
				writeGroup(b, sub)
			} else {
				writeRegexp(b, sub)
			}
		}
	case syntax.OpAlternate:
		for i, sub := range re.Sub {
			if i > 0 {
				b.WriteByte('|')
			}
			writeRegexp(b, sub)
		}
	default:
		b.WriteString(simpleOps[re.Op])
	}
}

// writeGroup writes an expression as one operand.
func writeGroup(b *strings.Builder, re *syntax.Regexp) {
	single := re.Op == syntax.OpCharClass || re.Op == syntax.OpLiteral && len(re.Rune) == 1
	if single || re.Op == syntax.OpAnyChar || re.Op == syntax.OpAnyCharNotNL {
		writeRegexp(b, re)
		return
	}
	b.WriteString("(?:")
	writeRegexp(b, re)
	b.WriteByte(')')
}

func quantifier(re *syntax.Regexp) string {
	out := map[syntax.Op]string{syntax.OpStar: "*", syntax.OpPlus: "+", syntax.OpQuest: "?"}[re.Op]
	switch {
	case re.Op == syntax.OpRepeat && re.Max < 0:
		out = fmt.Sprintf("{%d,}", re.Min)
	case re.Op == syntax.OpRepeat:
		out = fmt.Sprintf("{%d,%d}", re.Min, re.Max)
	}
	if re.Flags&syntax.NonGreedy != 0 {
		out += "?"
	}
	return out
}

func writeLiteral(b *strings.Builder, r rune, fold bool) {
	if !fold || unicode.SimpleFold(r) == r {
		b.WriteString(escapeRegexp(r))
		return
	}
	b.WriteByte('[')
	for other := unicode.SimpleFold(r); ; other = unicode.SimpleFold(other) {
		b.WriteString(escapeRegexp(other))
		if other == r {
			break
		}
	}
	b.WriteByte(']')
}

// writeClass writes pairs of a first and a last rune.
func writeClass(b *strings.Builder, ranges []rune) {
	if len(ranges) == 0 {
		b.WriteString(simpleOps[syntax.OpNoMatch])
		return
	}
	b.WriteByte('[')
	for i := 0; i < len(ranges); i += 2 {
		b.WriteString(escapeRegexp(ranges[i]))
		if ranges[i] != ranges[i+1] {
			b.WriteByte('-')
			b.WriteString(escapeRegexp(ranges[i+1]))
		}
	}
	b.WriteByte(']')
}

func escapeRegexp(r rune) string {
	plain := unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == ' '
	if r < 0x80 && unicode.IsPrint(r) && !plain {
		return `\` + string(r)
	}
	return visible(r)
}
