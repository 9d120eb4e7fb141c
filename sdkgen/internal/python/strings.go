package python

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// prefixes of literals, in lower case.
var prefixes = map[string]bool{
	"r": true, "u": true, "b": true, "br": true, "rb": true,
	"f": true, "fr": true, "rf": true, "t": true, "tr": true, "rt": true,
}

// literal scans the literal that starts here with a prefix.
func (s *scanner) literal(prefix string) {
	at := s.at + len(prefix)
	quotes := s.source[at : at+1]
	if triple := strings.Repeat(quotes, 3); strings.HasPrefix(s.source[at:], triple) {
		quotes = triple
	}
	if strings.ContainsAny(prefix, "fFtT") {
		s.template(prefix, quotes)
		return
	}
	first := token{text, "", s.pos()}
	from := s.at
	s.at = at + len(quotes)
	for !strings.HasPrefix(s.source[s.at:], quotes) {
		if !s.character(quotes) {
			s.unterminated(first.pos)
			return
		}
	}
	s.at += len(quotes)
	first.text = s.source[from:s.at]
	s.tokens = append(s.tokens, first)
}

// character steps over one character of a literal, or over a backslash and the one after it. It is
// false where the literal may not go on.
func (s *scanner) character(quotes string) bool {
	if s.peek(0) == '\\' {
		s.at++
	} else if len(quotes) == 1 && (s.peek(0) == '\n' || s.peek(0) == '\r') {
		return false
	}
	if s.at >= len(s.source) {
		return false
	}
	if !s.newLine() {
		s.at++
	}
	return true
}

func (s *scanner) unterminated(pos Pos) {
	if s.err == nil {
		s.err = failure(pos, "the string is never closed")
	}
}

// template scans an f-string: its start, the tokens of its fields, its end.
func (s *scanner) template(prefix, quotes string) {
	if s.fields++; s.fields > 100 {
		s.fail("it is nested too deeply")
		return
	}
	from := s.pos()
	s.emit(fstart, prefix+quotes)
	raw := strings.ContainsAny(prefix, "rR")
	for s.err == nil && !strings.HasPrefix(s.source[s.at:], quotes) {
		switch {
		case s.peek(0) == '{' && s.peek(1) == '{', s.peek(0) == '}' && s.peek(1) == '}':
			s.at += 2
		case s.peek(0) == '{':
			s.field(quotes)
		case s.peek(0) == '}':
			s.fail("a single } in an f-string")
		case s.peek(0) == '\\' && (s.peek(1) == '{' || s.peek(1) == '}'): // the backslash stands for itself
			s.at++
		case !raw && s.peek(0) == '\\' && s.peek(1) == 'N' && s.peek(2) == '{':
			if n := strings.IndexByte(s.source[s.at:], '}'); n >= 0 {
				s.at += n
			}
			s.at++
		case !s.character(quotes):
			s.unterminated(from)
		}
	}
	if s.err == nil {
		s.emit(fend, quotes)
	}
	s.fields--
}

// field scans a replacement field with its braces.
func (s *scanner) field(quotes string) {
	s.operator() // {
	base := len(s.brackets)
	for s.err == nil {
		inside := len(s.brackets) > base
		switch c := s.peek(0); {
		case s.at >= len(s.source):
			s.fail("the field is never closed")
		case c == '}' && !inside:
			s.operator()
			return
		case c == '!' && !inside && s.peek(1) != '=':
			s.emit(op, "!")
		case c == ':' && !inside:
			s.emit(op, ":")
			s.format(quotes)
		default:
			s.token()
		}
	}
}

// format scans what follows the colon in a field.
func (s *scanner) format(quotes string) {
	for s.err == nil && s.peek(0) != '}' {
		switch {
		case s.peek(0) == '{':
			if s.fields++; s.fields > 100 {
				s.fail("it is nested too deeply")
				return
			}
			s.field(quotes)
			s.fields--
		case strings.HasPrefix(s.source[s.at:], quotes):
			s.fail("the field is never closed")
		case !s.character(quotes):
			s.fail("the field is never closed")
		}
	}
}

// value returns what a literal of text stands for, and whether it is one of bytes.
func value(literal string) (value string, isBytes bool) {
	n := strings.IndexAny(literal, `"'`)
	prefix, quoted := strings.ToLower(literal[:n]), literal[n:]
	quotes := 1
	if len(quoted) >= 6 && quoted[:3] == strings.Repeat(quoted[:1], 3) {
		quotes = 3
	}
	value = quoted[quotes : len(quoted)-quotes]
	if !strings.Contains(prefix, "r") {
		value = unescape(value)
	}
	return value, strings.Contains(prefix, "b")
}

var simple = map[byte]string{
	'\n': "", '\\': "\\", '\'': "'", '"': "\"", 'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v",
}

var digits = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// unescape resolves the escapes of a literal; those that mean nothing, and \N{…}, stay.
func unescape(text string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "\\")
		b.WriteString(before)
		if !found || after == "" {
			return b.String()
		}
		c := after[0]
		text = after[1:]
		if plain, ok := simple[c]; ok {
			b.WriteString(plain)
			continue
		}
		base, from, length := 16, 1, digits[c]
		if '0' <= c && c <= '7' {
			base, from, length = 8, 0, 1
			for length < 3 && length < len(after) && '0' <= after[length] && after[length] <= '7' {
				length++
			}
		}
		var code uint64
		err := strconv.ErrSyntax
		if length > 0 && from+length <= len(after) {
			code, err = strconv.ParseUint(after[from:from+length], base, 32)
		}
		if err != nil || code > utf8.MaxRune {
			b.WriteString("\\" + after[:1])
			continue
		}
		b.WriteRune(rune(code))
		text = after[from+length:]
	}
}

// Text returns what a literal of text stands for: 'it\'s' is it's.
func Text(literal string) string {
	text, _ := value(literal)
	return text
}
