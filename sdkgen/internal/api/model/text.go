package model

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns a text with a blank for each character that is not printable, such as the end of
// a line.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
}

// Wrap returns the words of a text in lines of at most width characters, where no word is longer.
func Wrap(text string, width int) []string {
	var lines []string
	length := 0
	for _, word := range strings.Fields(text) {
		size := utf8.RuneCountInString(word)
		if last := len(lines) - 1; last >= 0 && length+1+size <= width {
			lines[last] += " " + word
			length += 1 + size
		} else {
			lines = append(lines, word)
			length = size
		}
	}
	return lines
}

// FormatNumber spells a float that is whole as an integer: JSON does not tell them apart.
func FormatNumber(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e21 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Free returns the name, with a number behind it if it is taken.
func Free(name string, taken func(string) bool) string {
	free := name
	for n := 2; taken(free); n++ {
		free = name + strconv.Itoa(n)
	}
	return free
}
