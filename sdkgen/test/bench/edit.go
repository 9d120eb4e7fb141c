package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// edited is the struct in the API that is edited between two runs.
const edited = "MiniClusterSpec"

var remarks = regexp.MustCompile(`(?m)^\t// Remark \d+\.\n`)

// changeComment gives the first field of the struct another comment, one for each round.
func changeComment(dir string, round int) error {
	return edit(dir, func(source []byte, fields []span) ([]byte, error) {
		remark := fmt.Sprintf("\t// Remark %d.\n", round)
		if remarks.Match(source) {
			return remarks.ReplaceAll(source, []byte(remark)), nil
		}
		if len(fields) == 0 || fields[0].doc < 0 {
			return nil, errors.New("its first field has no comment")
		}
		return insert(source, fields[0].doc, remark), nil
	})
}

// addField adds a field to the struct, named by a number.
func addField(dir string, number int) error {
	return edit(dir, func(source []byte, fields []span) ([]byte, error) {
		if len(fields) == 0 {
			return nil, errors.New("it has no field")
		}
		return insert(source, fields[len(fields)-1].end, fmt.Sprintf(
			"\n\t// measured%[1]d is measured.\n\t// +optional\n\tMeasured%[1]d string `json:\"measured%[1]d,omitempty\"`\n",
			number)), nil
	})
}

// span is where a field stands in its file, in whole lines.
type span struct {
	doc int // its comment's first line; -1 if there is none
	end int // the line after it
}

// edit changes the file in the directory that declares the struct.
func edit(dir string, change func(source []byte, fields []span) ([]byte, error)) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	for _, name := range names {
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		fields, err := fieldsIn(name, source)
		if err != nil {
			return err
		}
		if fields == nil {
			continue
		}
		out, err := change(source, fields)
		if err != nil {
			return fmt.Errorf("editing %s in %s: %w", edited, name, err)
		}
		return os.WriteFile(name, out, 0o644)
	}
	return fmt.Errorf("there is no struct %s in %s", edited, dir)
}

// fieldsIn returns the struct's fields if the file declares it, else nil.
func fieldsIn(name string, source []byte) ([]span, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	body := declared(file)
	if body == nil {
		return nil, nil
	}
	offset := func(pos token.Pos) int { return fset.Position(pos).Offset }
	fields := []span{}
	for _, field := range body.Fields.List {
		s := span{doc: -1, end: len(source)}
		if field.Doc != nil {
			s.doc = bytes.LastIndexByte(source[:offset(field.Doc.Pos())], '\n') + 1
		}
		if rest := offset(field.End()); bytes.IndexByte(source[rest:], '\n') >= 0 {
			s.end = rest + bytes.IndexByte(source[rest:], '\n') + 1
		}
		fields = append(fields, s)
	}
	return fields, nil
}

// declared returns the struct if the file declares it.
func declared(file *ast.File) *ast.StructType {
	var found *ast.StructType
	ast.Inspect(file, func(node ast.Node) bool {
		if spec, ok := node.(*ast.TypeSpec); ok && spec.Name.Name == edited {
			found, _ = spec.Type.(*ast.StructType)
		}
		return found == nil
	})
	return found
}

func insert(source []byte, at int, text string) []byte {
	return slices.Concat(source[:at], []byte(text), source[at:])
}
