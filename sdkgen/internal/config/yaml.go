package config

import (
	"bytes"
	"errors"
	"fmt"
	"go/token"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// decode reads the one document of the file, strictly.
func (p *checker) decode(data []byte) (*Config, error) {
	p.lines = bytes.Count(data, []byte("\n")) + 1
	if err := yaml.Unmarshal(data, &p.doc); err != nil {
		return nil, p.yamlError(err)
	}
	cfg := &Config{}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(cfg); err != nil && !errors.Is(err, io.EOF) {
		return nil, p.yamlError(err)
	}
	var second yaml.Node
	if err := dec.Decode(&second); err == nil {
		p.list.Add(token.Position{Filename: p.name, Line: min(second.Line, p.lines), Column: second.Column}, rule,
			"remove the separator --- or the second document", "the file has more than one YAML document")
		return nil, p.list.Err()
	} else if !errors.Is(err, io.EOF) {
		return nil, p.yamlError(err)
	}
	if len(p.doc.Content) > 0 {
		p.types(p.doc.Content[0], reflect.TypeFor[Config](), false)
	}
	return cfg, p.list.Err()
}

// types refuses values of another type than the configuration's: the decoder takes any scalar for a string, and yes
// and no for true and false. A number may stand for a version and a year.
func (p *checker) types(n *yaml.Node, t reflect.Type, number bool) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch t.Kind() {
	case reflect.Pointer:
		p.types(n, t.Elem(), false)
	case reflect.Struct:
		p.fieldTypes(n, t)
	case reflect.Slice, reflect.Map:
		for i, item := range n.Content {
			if t.Kind() == reflect.Slice || i%2 == 1 {
				p.itemType(item, t.Elem())
			}
		}
	default:
		tag := n.ShortTag()
		fits := tag == "!!null" || number && (tag == "!!int" || tag == "!!float")
		switch t.Kind() {
		case reflect.Bool:
			fits = fits || tag == "!!bool"
		case reflect.Int:
			fits = fits || tag == "!!int"
		default:
			fits = fits || tag == "!!str" || tag == "!!timestamp"
		}
		if !fits {
			p.mistyped(n, t)
		}
	}
}

// mergedTypes is fieldTypes for a mapping, or a list of them, that is merged into a section.
func (p *checker) mergedTypes(n *yaml.Node, t reflect.Type) {
	if n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			p.types(item, t, false)
		}
		return
	}
	p.types(n, t, false)
}

// fieldTypes is types for the keys of a section.
func (p *checker) fieldTypes(n *yaml.Node, t reflect.Type) {
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.ShortTag() == "!!merge" {
			p.mergedTypes(value, t)
			continue
		}
		for field := range t.Fields() {
			if field.Tag.Get("yaml") == key.Value {
				p.types(value, field.Type, key.Value == "version" || key.Value == "year")
			}
		}
	}
}

// itemType is types for an item of a list or mapping, which must have a value.
func (p *checker) itemType(n *yaml.Node, t reflect.Type) {
	if n.ShortTag() == "!!null" { // the decoder would drop it
		p.mistyped(n, t)
		return
	}
	p.types(n, t, false)
}

func (p *checker) mistyped(n *yaml.Node, t reflect.Type) {
	hint := "put it in quotes"
	if t.Kind() != reflect.String || n.ShortTag() == "!!null" {
		hint = ""
	}
	p.list.Add(token.Position{Filename: p.name, Line: n.Line, Column: n.Column}, rule, hint, "expected %s, found %s",
		wanted(t.String()), found(n.ShortTag(), n.Value))
}

// The decoder's messages: a syntax error, an unknown key, a value of another type.
var (
	yamlLine     = regexp.MustCompile(`^(?:yaml: )?line (\d+): (.*)$`)
	unknownField = regexp.MustCompile(`^field (.+) not found in type config\.(\w+)$`)
	otherType    = regexp.MustCompile("^cannot unmarshal (!!\\w+)(?: `(.*)`)? into (.+)$")
)

// yamlError converts the decoder's messages to diagnostics.
func (p *checker) yamlError(err error) error {
	messages, hint := []string{err.Error()}, "the file is not valid YAML: check indentation, colons and quotes"
	if typed, ok := errors.AsType[*yaml.TypeError](err); ok {
		messages, hint = typed.Errors, ""
	}
	for _, text := range messages {
		p.yamlMessage(strings.Map(visible, text), hint)
	}
	return p.list.Err()
}

// visible replaces characters that would break a message's line, since a message may quote the file.
func visible(r rune) rune {
	if !unicode.IsPrint(r) {
		return ' '
	}
	return r
}

// moved says what to write in place of a key that was elsewhere, by the struct of the section that it was in.
var moved = map[string]string{
	"Config.allowDangerousTypes": "write it into the section crd, with controller-gen's other options:\ncrd:\n  " +
		"allowDangerousTypes: true",
}

func (p *checker) yamlMessage(text, hint string) {
	pos := token.Position{Filename: p.name}
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		line, _ := strconv.Atoi(m[1])
		pos.Line = min(line, p.lines) // the end of the file may be one more
		text = m[2]
	}
	if m := unknownField.FindStringSubmatch(text); m != nil {
		text, hint = fmt.Sprintf("unknown key %q", m[1]), "valid keys are "+strings.Join(keysOf(m[2]), ", ")
		if to, ok := moved[m[2]+"."+m[1]]; ok {
			text, hint = fmt.Sprintf("the key %q has moved", m[1]), to
		}
		pos.Column = columnOf(&p.doc, pos.Line, func(n *yaml.Node) bool { return n.Value == m[1] })
	} else if m := otherType.FindStringSubmatch(text); m != nil {
		text = "expected " + wanted(m[3]) + ", found " + found(m[1], m[2])
		if section, ok := strings.CutPrefix(m[3], "config."); ok {
			hint = "valid keys are " + strings.Join(keysOf(section), ", ")
		}
		pos.Column = columnOf(&p.doc, pos.Line, func(n *yaml.Node) bool {
			return n.ShortTag() == m[1] && strings.HasPrefix(n.Value, strings.TrimSuffix(m[2], "..."))
		})
	}
	p.list.Add(pos, rule, hint, "%s", strings.TrimPrefix(text, "yaml: "))
}

// wanted names a Go type in terms of YAML.
func wanted(goType string) string {
	switch {
	case strings.HasPrefix(goType, "[]"):
		return "a list"
	case strings.HasPrefix(goType, "map[") || strings.HasPrefix(goType, "config."):
		return "a mapping"
	case goType == "bool":
		return "true or false"
	case goType == "int":
		return "a number"
	}
	return "a string"
}

// found names a YAML tag, with the value.
func found(tag, value string) string {
	switch tag {
	case "!!seq":
		return "a list"
	case "!!map":
		return "a mapping"
	case "!!null":
		return "nothing"
	}
	return strconv.Quote(value)
}

// columnOf returns the column of the first node on the line that matches, 0 if there is none.
func columnOf(n *yaml.Node, line int, meant func(*yaml.Node) bool) int {
	if n.Kind != yaml.DocumentNode && n.Line == line && meant(n) {
		return n.Column
	}
	for _, child := range n.Content {
		if column := columnOf(child, line, meant); column > 0 {
			return column
		}
	}
	return 0
}

// YAMLError converts an error of the YAML decoder on the file called name to diagnostics.
func YAMLError(name string, data []byte, err error) diag.List {
	p := &checker{name: name, lines: bytes.Count(data, []byte("\n")) + 1}
	_ = yaml.Unmarshal(data, &p.doc) // for positions; without one it is err
	_ = p.yamlError(err)             // the list as an error
	return p.list
}
