package python

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type kind int

const (
	end     kind = iota // of the file
	newline             // of a logical line
	indent
	dedent
	name
	number
	text // a whole literal without replacement fields
	op
	fstart // the prefix and the quotes of an f-string
	fend   // its closing quotes; between them are the tokens of its fields
)

type token struct {
	kind kind
	text string
	pos  Pos
}

// scanner makes tokens of a source, all at once.
type scanner struct {
	source string
	at     int
	line   int // from 1
	start  int // where the line starts

	tokens   []token
	brackets []token // that are open
	indents  []int
	fields   int // f-strings that are open
	err      *Error
}

// nesting is how deep brackets, f-strings and operators may be nested.
const nesting = 1000

func scan(source string) ([]token, *Error) {
	s := &scanner{source: source, line: 1, indents: []int{0}}
	s.indentation()
	for s.err == nil && s.at < len(s.source) {
		s.token()
	}
	if s.err == nil && len(s.brackets) > 0 {
		open := s.brackets[len(s.brackets)-1]
		s.err = failure(open.pos, "%q is never closed", open.text)
	}
	if n := len(s.tokens); n > 0 && s.tokens[n-1].kind != newline {
		s.emit(newline, "")
	}
	for range s.indents[1:] {
		s.emit(dedent, "")
	}
	s.emit(end, "")
	return s.tokens, s.err
}

func (s *scanner) pos() Pos { return Pos{s.line, s.at - s.start + 1} }

func (s *scanner) emit(k kind, text string) {
	s.tokens = append(s.tokens, token{k, text, s.pos()})
	s.at += len(text)
}

func (s *scanner) fail(format string, args ...any) {
	if s.err == nil {
		s.err = failure(s.pos(), format, args...)
	}
}

func (s *scanner) peek(n int) byte {
	if s.at+n < len(s.source) {
		return s.source[s.at+n]
	}
	return 0
}

// newLine steps over the end of a line, if one is here.
func (s *scanner) newLine() bool {
	switch {
	case s.peek(0) == '\r' && s.peek(1) == '\n':
		s.at += 2
	case s.peek(0) == '\n', s.peek(0) == '\r':
		s.at++
	default:
		return false
	}
	s.line++
	s.start = s.at
	return true
}

// token makes the next token, or steps over blanks, a comment or a line's end.
func (s *scanner) token() {
	c := s.peek(0)
	switch {
	case c == ' ', c == '\t', c == '\f':
		s.at++
	case c == '#':
		s.comment()
	case c == '\n', c == '\r':
		if len(s.brackets) == 0 {
			s.tokens = append(s.tokens, token{newline, "", s.pos()})
		}
		s.newLine()
		if len(s.brackets) == 0 {
			s.indentation()
		}
	case c == '\\':
		s.at++
		if !s.newLine() {
			s.at--
			s.fail("a backslash that does not end the line")
		}
	case isDigit(c), c == '.' && isDigit(s.peek(1)):
		s.emit(number, s.source[s.at:s.number()])
	case isLetter(c):
		s.word()
	case c == '"', c == '\'':
		s.literal("")
	default:
		s.operator()
	}
}

func (s *scanner) comment() {
	for s.at < len(s.source) && s.peek(0) != '\n' && s.peek(0) != '\r' {
		s.at++
	}
}

// indentation reads the blanks in front of a logical line, past lines without code.
func (s *scanner) indentation() {
	column := 0
	for {
		switch c := s.peek(0); c {
		case ' ':
			column++
		case '\t':
			column = column/8*8 + 8
		case '\f':
			column = 0
		case '#', '\n', '\r':
			s.comment()
			if !s.newLine() {
				return
			}
			column = 0
			continue
		default:
			if s.at < len(s.source) {
				s.dent(column)
			}
			return
		}
		s.at++
	}
}

func (s *scanner) dent(column int) {
	if column > s.indents[len(s.indents)-1] {
		s.indents = append(s.indents, column)
		s.emit(indent, "")
	}
	for column < s.indents[len(s.indents)-1] {
		s.indents = s.indents[:len(s.indents)-1]
		s.emit(dedent, "")
	}
	if column != s.indents[len(s.indents)-1] {
		s.fail("the indentation is that of no line above")
	}
}

// identifiers are what names are made of beside ASCII.
var identifiers = []*unicode.RangeTable{
	unicode.L, unicode.Nl, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Start, unicode.Other_ID_Continue,
}

func (s *scanner) word() {
	from := s.at
	to := from
	for to < len(s.source) && (isLetter(s.source[to]) || isDigit(s.source[to])) {
		to++
	}
	word := s.source[from:to]
	if to < len(s.source) && (s.source[to] == '"' || s.source[to] == '\'') && prefixes[strings.ToLower(word)] {
		s.literal(word)
		return
	}
	for i, r := range word {
		if r >= utf8.RuneSelf && !unicode.In(r, identifiers...) || r == utf8.RuneError {
			s.at += i
			s.fail("an unexpected character")
			return
		}
	}
	s.emit(name, word)
}

// number returns where the number ends that starts here.
func (s *scanner) number() int {
	at := s.at
	run := func(digits string) {
		for at < len(s.source) && strings.IndexByte(digits, s.source[at]) >= 0 {
			at++
		}
	}
	is := func(set string) bool { return at < len(s.source) && strings.IndexByte(set, s.source[at]) >= 0 }
	const decimal = "0123456789_"
	if s.peek(0) == '0' && s.peek(1) != 0 && strings.IndexByte("xXoObB", s.peek(1)) >= 0 {
		at += 2
		run(decimal + map[bool]string{true: "abcdefABCDEF"}[s.peek(1)|0x20 == 'x'])
		return at
	}
	run(decimal)
	if is(".") {
		at++
		run(decimal)
	}
	if is("eE") {
		mark := at
		at++
		if is("+-") {
			at++
		}
		if is("0123456789") {
			run(decimal)
		} else {
			at = mark // 1else
		}
	}
	if is("jJ") {
		at++
	}
	return at
}

// operators with several characters, the longest first.
var operators = []string{
	"**=", "//=", ">>=", "<<=", "...",
	"**", "//", ">>", "<<", "<=", ">=", "==", "!=", "->", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", ":=",
}

var closing = map[byte]byte{'(': ')', '[': ']', '{': '}'}

func (s *scanner) operator() {
	for _, long := range operators {
		if strings.HasPrefix(s.source[s.at:], long) {
			s.emit(op, long)
			return
		}
	}
	c := s.peek(0)
	switch {
	case closing[c] != 0:
		if len(s.brackets) == nesting {
			s.fail("it is nested too deeply")
			return
		}
		s.brackets = append(s.brackets, token{op, string(c), s.pos()})
	case c == ')', c == ']', c == '}':
		n := len(s.brackets)
		if n == 0 || closing[s.brackets[n-1].text[0]] != c {
			s.fail("%q closes nothing", c)
			return
		}
		s.brackets = s.brackets[:n-1]
	case strings.IndexByte("+-*/%@&|^~<>=.,:;", c) < 0 || c == 0:
		s.fail("an unexpected character")
		return
	}
	s.emit(op, s.source[s.at:s.at+1])
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf
}
