package load

import "bytes"

// blankBodies overwrites the bodies of the functions in a Go file, so that the parser has less to
// do. Lines and columns stay. So do comments, and what separates them: the code between two of them
// becomes one semicolon. A function that does not begin a line is left as it is, and so is all that
// follows something that has no end.
func blankBodies(src []byte) {
	s := &scanner{src: src}
	for s.next() {
		beginsLine := s.at == 0 || src[s.at-1] == '\n'
		if s.depth > 0 || !beginsLine || s.token() != "func" || !s.enterBody() {
			continue
		}
		s.comments = s.comments[:0]
		from := s.pos
		for s.depth > 0 && s.next() {
		}
		if s.depth > 0 {
			return
		}
		for _, comment := range s.comments {
			blank(src[from:comment.from])
			from = comment.to
		}
		blank(src[from:s.at])
	}
}

func blank(code []byte) {
	last := -1
	for i, b := range code {
		if b != '\n' && b != ' ' && b != '\t' && b != '\r' {
			code[i], last = ' ', i
		}
	}
	if last >= 0 {
		code[last] = ';'
	}
}

// scanner splits Go source, as coarsely as will do to find functions.
type scanner struct {
	src      []byte
	at, pos  int    // where the token begins, and what comes after it
	newLine  bool   // it is on another line than the one before
	depth    int    // of brackets, after the token
	comments []span // that were passed
}

type span struct{ from, to int }

func (s *scanner) token() string { return string(s.src[s.at:s.pos]) }

// enterBody goes on from the word func to behind the brace that opens the body. If there is none, it
// returns false before the first token of the next line.
func (s *scanner) enterBody() bool {
	before := ""
	for outside := true; s.next(); outside = s.depth == 0 {
		if outside && s.newLine {
			*s = scanner{src: s.src, pos: s.at}
			return false
		}
		token := s.token()
		if outside && token == "{" && before != "struct" && before != "interface" {
			return true
		}
		before = token
	}
	return false
}

// next reads a token: a word, a literal or one other character. It returns false at the end, and
// before a bracket, a literal or a comment that has no counterpart.
func (s *scanner) next() bool {
	if !s.skip() {
		return false
	}
	s.at = s.pos
	first := s.src[s.pos]
	s.pos++
	switch first {
	case '(', '[', '{':
		s.depth++
	case ')', ']', '}':
		if s.depth--; s.depth < 0 {
			return s.stop()
		}
	case '`':
		return s.past("`")
	case '"', '\'':
		return s.quoted(first)
	default:
		for isWord(first) && s.pos < len(s.src) && isWord(s.src[s.pos]) {
			s.pos++
		}
	}
	return true
}

func isWord(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_' || b >= 0x80
}

// skip goes on to where the next token begins.
func (s *scanner) skip() bool {
	for s.newLine = false; s.pos < len(s.src); {
		switch s.src[s.pos] {
		case '\n':
			s.newLine = true
			s.pos++
		case ' ', '\t', '\r':
			s.pos++
		case '/':
			var ok bool
			from := s.pos
			switch rest := s.src[s.pos+1:]; {
			case bytes.HasPrefix(rest, []byte("/")):
				ok = s.past("\n")
				s.pos-- // the line break is no part of it
			case bytes.HasPrefix(rest, []byte("*")):
				s.pos += 2
				ok = s.past("*/")
			default:
				return true
			}
			if !ok {
				return false
			}
			s.comments = append(s.comments, span{from, s.pos})
		default:
			return true
		}
	}
	return false
}

// past goes on behind the next end.
func (s *scanner) past(end string) bool {
	i := bytes.Index(s.src[s.pos:], []byte(end))
	if i < 0 {
		return s.stop()
	}
	s.pos += i + len(end)
	return true
}

// quoted goes on behind the end of a string or character.
func (s *scanner) quoted(end byte) bool {
	for ; s.pos < len(s.src) && s.src[s.pos] != '\n'; s.pos++ {
		switch s.src[s.pos] {
		case '\\':
			s.pos++
		case end:
			s.pos++
			return true
		}
	}
	return s.stop()
}

// stop ends the reading of something that has no end.
func (s *scanner) stop() bool {
	s.pos = len(s.src)
	return false
}
