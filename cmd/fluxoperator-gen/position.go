package main

import (
	"go/token"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// find returns the position of the field at a path, "spec.containers[0].image" or
// "spec.volumes[data].path", or of its last ancestor that exists: for a scalar the position of the
// value, else that of the key.
func (d *document) find(path string) token.Position {
	key, value := d.locate(path)
	if key == nil || value.Kind == yaml.ScalarNode {
		return d.at(value)
	}
	return d.at(key)
}

// field returns the position of the key of the field at a path.
func (d *document) field(path string) token.Position {
	key, value := d.locate(path)
	if key == nil {
		return d.at(value)
	}
	return d.at(key)
}

func (d *document) at(node *yaml.Node) token.Position {
	return token.Position{Filename: d.file, Line: d.before + node.Line, Column: node.Column}
}

// locate follows a path as far as it exists. The key is nil for the root and for list items.
func (d *document) locate(path string) (key, value *yaml.Node) {
	value = d.root
	for path != "" {
		k, v, rest := step(value, path)
		if v == nil {
			break
		}
		key, value, path = k, v, rest
	}
	return key, value
}

// step follows one element of a path. Keys may contain dots and brackets, so the longest match wins.
func step(node *yaml.Node, path string) (key, value *yaml.Node, rest string) {
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if node.Kind == yaml.SequenceNode {
		index, rest, ok := strings.Cut(strings.TrimPrefix(path, "["), "]")
		if i, err := strconv.Atoi(index); ok && err == nil && i < len(node.Content) {
			return nil, node.Content[i], rest
		}
		return nil, nil, ""
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		k, v := node.Content[i], node.Content[i+1]
		if tail, ok := cut(path, k.Value); ok && (key == nil || len(k.Value) > len(key.Value)) {
			key, value, rest = k, v, tail
		} else if k.Tag == "!!merge" && key == nil {
			key, value, rest = step(v, path)
		}
	}
	return key, value, rest
}

// cut removes a leading key, written .key or [key], from a path.
func cut(path, key string) (rest string, ok bool) {
	if tail, ok := strings.CutPrefix(path, "["+key+"]"); ok {
		return tail, true
	}
	tail, ok := strings.CutPrefix(strings.TrimPrefix(path, "."), key)
	return tail, ok && (tail == "" || tail[0] == '.' || tail[0] == '[')
}
