// Package python reads Python source: a tokenizer, a parser and the tree that they make. It takes
// what Python 3.9 to 3.14 take, and knows no more of a program than its syntax.
//
// The tree holds what a reader of names needs: operators, numbers and the text of f-strings are
// not told apart, their operands are kept. A program that Python refuses may pass (an assignment
// to a literal, a return outside of a function); one that Python takes does not fail.
package python

import (
	"fmt"
	"strings"
)

// Pos is a position in a file: line and column from 1, the column in bytes.
type Pos struct{ Line, Column int }

// Error is the first thing in a file that is not Python.
type Error struct {
	Pos     Pos
	Message string
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.Pos.Line, e.Pos.Column, e.Message)
}

// Parse reads a file. The error is an *Error.
func Parse(source []byte) ([]Stmt, error) {
	p := newParser(strings.TrimPrefix(string(source), "\ufeff"))
	var body []Stmt
	for !p.at(end) {
		body = append(body, p.statement()...)
	}
	if p.err != nil {
		return nil, p.err
	}
	return body, nil
}

// ParseExpr reads one expression, such as an annotation in quotes. Its positions mean nothing.
func ParseExpr(source string) (Expr, error) {
	p := newParser(strings.TrimSpace(source))
	expr := p.test()
	p.accept(newline)
	if !p.at(end) {
		p.unexpected()
	}
	if p.err != nil {
		return nil, p.err
	}
	return expr, nil
}
