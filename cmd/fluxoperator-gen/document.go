package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	sigsyaml "sigs.k8s.io/yaml"
)

// document is one YAML document of a file: its values and their positions.
type document struct {
	file   string
	before int // number of lines before it
	root   *yaml.Node
	fields map[string]any
}

// documents parses all documents of a file that are not empty.
func documents(file string, data []byte) ([]*document, scanner.ErrorList) {
	var all []*document
	var errs scanner.ErrorList
	for _, part := range split(data) {
		d := &document{file: file, before: part.before}
		list := d.parse(part.text)
		errs = append(errs, list...)
		if len(list) == 0 && d.root != nil {
			all = append(all, d)
		}
	}
	if len(all) == 0 && len(errs) == 0 {
		errs.Add(token.Position{Filename: file, Line: 1, Column: 1}, "no MiniCluster found")
	}
	return all, errs
}

type part struct {
	before int
	text   []byte
}

var separator = regexp.MustCompile(`^---(\s|$)`)

// split splits a file before each line that begins a document.
func split(data []byte) []part {
	parts := []part{{}}
	line := 0
	for text := range bytes.Lines(data) {
		if separator.Match(text) && line > 0 {
			parts = append(parts, part{before: line})
		}
		last := &parts[len(parts)-1]
		last.text = append(last.text, text...)
		line++
	}
	return parts
}

// parse decodes the values as kubectl does, and their positions. The root of a document that holds only
// comments stays nil.
func (d *document) parse(text []byte) scanner.ErrorList {
	var list scanner.ErrorList
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var node, next yaml.Node
	if err := dec.Decode(&node); errors.Is(err, io.EOF) {
		return nil
	} else if err != nil {
		return d.syntax(err)
	}
	if err := dec.Decode(&next); err == nil {
		list.Add(d.at(&next), "expected a line of three dashes before the next document")
		return list
	} else if !errors.Is(err, io.EOF) {
		return d.syntax(err)
	}
	root := node.Content[0]
	if root.Tag == "!!null" {
		return nil
	}
	if root.Kind != yaml.MappingNode {
		list.Add(d.at(root), "expected a MiniCluster: an object with apiVersion, kind, metadata and spec")
		return list
	}
	if list = d.duplicates(root, ""); len(list) > 0 {
		return list
	}
	data, err := sigsyaml.YAMLToJSON(text)
	if err == nil {
		err = utiljson.Unmarshal(data, &d.fields)
	}
	if err != nil {
		return d.syntax(err)
	}
	d.root = root
	return nil
}

var (
	lineNumber = regexp.MustCompile(`line (\d+): `)
	// grammar matches errors of the parser, which counts lines from 0; the scanner counts from 1.
	grammar = regexp.MustCompile(`^did not find expected (<|key|node|'|,)`)
	// anchor and tag match errors that quote the value, which may be a password.
	anchor = regexp.MustCompile(`^unknown anchor '.*' referenced$`)
	tag    = regexp.MustCompile(`^cannot decode (\S+) .* as a (\S+)$`)
)

// syntax converts an error of the YAML package, whose line numbers are relative to the document.
func (d *document) syntax(err error) scanner.ErrorList {
	pos := token.Position{Filename: d.file, Line: d.before + 1, Column: 1}
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := lineNumber.FindStringSubmatchIndex(text); m != nil {
		if line, err := strconv.Atoi(text[m[2]:m[3]]); err == nil {
			pos.Line += line - 1
			text = text[:m[0]] + text[m[1]:]
			if grammar.MatchString(text) {
				pos.Line++
			}
		}
	}
	text = tag.ReplaceAllString(text, "cannot decode a $1 as a $2")
	text = anchor.ReplaceAllString(text, "unknown anchor referenced: a string that begins with * needs quotes")
	return scanner.ErrorList{{Pos: pos, Msg: text}}
}

// duplicates reports duplicate keys, of which the API server would drop one.
func (d *document) duplicates(node *yaml.Node, path string) scanner.ErrorList {
	var list scanner.ErrorList
	switch node.Kind {
	case yaml.MappingNode:
		seen := map[string]*yaml.Node{}
		for i := 0; i+1 < len(node.Content); i += 2 {
			key := node.Content[i]
			inner := strings.TrimPrefix(path+"."+key.Value, ".")
			if first, ok := seen[key.Value]; ok && key.Tag != "!!merge" {
				list.Add(d.at(key), fmt.Sprintf("%s: already set in line %d", inner, d.at(first).Line))
			}
			seen[key.Value] = key
			list = append(list, d.duplicates(node.Content[i+1], inner)...)
		}
	case yaml.SequenceNode:
		for i, item := range node.Content {
			list = append(list, d.duplicates(item, fmt.Sprintf("%s[%d]", path, i))...)
		}
	}
	return list
}
