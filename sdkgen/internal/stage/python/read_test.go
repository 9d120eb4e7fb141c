package python

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

// What follows reads as much of Python as literal and docstring write, by Python's rules and
// not by theirs: a quote ends a string, a backslash takes the next character with it.

var numberSource = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`)

// readLiteral reads one literal at the start of the source and returns what is behind it.
func readLiteral(source string) (value any, rest string, err error) {
	for word, value := range map[string]any{"None": nil, "True": true, "False": false} {
		if rest, ok := strings.CutPrefix(source, word); ok {
			return value, rest, nil
		}
	}
	if number := numberSource.FindString(source); number != "" {
		return json.Number(number), source[len(number):], nil
	}
	if raw, ok := strings.CutPrefix(source, "r"); ok && raw != "" {
		return readRaw(raw[1:], raw[:1])
	}
	switch {
	case strings.HasPrefix(source, "'"), strings.HasPrefix(source, `"`):
		return readString(source[1:], source[:1])
	case strings.HasPrefix(source, "["):
		return readList(source[1:])
	case strings.HasPrefix(source, "{"):
		return readDict(source[1:])
	}
	return nil, source, errors.New("no literal")
}

func readList(source string) (any, string, error) {
	list := []any{}
	if rest, ok := strings.CutPrefix(source, "]"); ok {
		return list, rest, nil
	}
	for {
		value, rest, err := readLiteral(source)
		if err != nil {
			return nil, rest, err
		}
		list = append(list, value)
		if end, ok := strings.CutPrefix(rest, "]"); ok {
			return list, end, nil
		}
		if source, _ = strings.CutPrefix(rest, ", "); source == rest {
			return nil, rest, errors.New("no comma in a list")
		}
	}
}

func readDict(source string) (any, string, error) {
	dict := map[string]any{}
	if rest, ok := strings.CutPrefix(source, "}"); ok {
		return dict, rest, nil
	}
	for {
		key, rest, err := readLiteral(source)
		if err != nil {
			return nil, rest, err
		}
		name, ok := key.(string)
		colon, ok2 := strings.CutPrefix(rest, ": ")
		if _, twice := dict[name]; !ok || !ok2 || twice {
			return nil, rest, errors.New("no key of a dict, or twice")
		}
		if dict[name], rest, err = readLiteral(colon); err != nil {
			return nil, rest, err
		}
		if end, ok := strings.CutPrefix(rest, "}"); ok {
			return dict, end, nil
		}
		if source, ok = strings.CutPrefix(rest, ", "); !ok {
			return nil, rest, errors.New("no comma in a dict")
		}
	}
}

// readString reads the inside of a string up to its closing quote.
func readString(source, quote string) (value, rest string, err error) {
	var b strings.Builder
	for {
		if rest, ok := strings.CutPrefix(source, quote); ok {
			return b.String(), rest, nil
		}
		r, size := utf8.DecodeRuneInString(source)
		switch {
		case size == 0:
			return "", "", errors.New("the string does not end")
		case r == utf8.RuneError && size == 1:
			return "", source, errors.New("not UTF-8")
		case r == '\n' && len(quote) == 1:
			return "", source, errors.New("newline in a string")
		case r == '\\':
			if r, size, err = readEscape(source); err != nil {
				return "", source, err
			}
		}
		b.WriteRune(r)
		source = source[size:]
	}
}

// readRaw does the same for a raw string, in which a backslash and what is behind it stay.
func readRaw(source, quote string) (value, rest string, err error) {
	for i := 0; i < len(source); i++ {
		switch source[i : i+1] {
		case `\`:
			i++
		case quote:
			return source[:i], source[i+1:], nil
		case "\n":
			return "", source, errors.New("newline in a string")
		}
	}
	return "", "", errors.New("the string does not end")
}

func readEscape(source string) (r rune, size int, err error) {
	if len(source) < 2 {
		return 0, 0, errors.New("backslash at the end")
	}
	switch c := source[1]; c {
	case '\\', '\'', '"':
		return rune(c), 2, nil
	case 'n':
		return '\n', 2, nil
	case 'x', 'u', 'U':
		size = 2 + map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
		if len(source) < size {
			return 0, 0, errors.New("escape too short")
		}
		n, err := strconv.ParseUint(source[2:size], 16, 32)
		if err != nil || n > utf8.MaxRune {
			return 0, 0, fmt.Errorf("escape %q", source[:size])
		}
		return rune(n), size, nil
	}
	return 0, 0, fmt.Errorf("unknown escape %q", source[:2])
}

// plain is a value as readLiteral returns it.
func plain(value any) any {
	switch v := value.(type) {
	case string:
		return valid(v)
	case float64:
		return json.Number(model.FormatNumber(v))
	case []any:
		out := []any{}
		for _, item := range v {
			out = append(out, plain(item))
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for key, item := range v {
			out[valid(key)] = plain(item)
		}
		return out
	}
	return value
}
