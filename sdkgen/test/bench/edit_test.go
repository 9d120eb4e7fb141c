package main

import (
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// api is a copy of the API package, whose types the edits change.
func api(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	names, err := filepath.Glob(filepath.Join("../../..", apiDir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	for _, name := range names {
		if err := copyFile(name, filepath.Join(dir, filepath.Base(name))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// described is the struct as it stands in the directory: its fields, and the lines of their comments.
// The rest is all other source there.
func described(t *testing.T, dir string) (fields map[string]string, comments map[string][]string, rest string) {
	t.Helper()
	fields, comments = map[string]string{}, map[string][]string{}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if formatted, err := format.Source(source); err != nil || string(formatted) != string(source) {
			t.Errorf("%s is not formatted: %v", name, err)
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, source, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		body := declared(file)
		if body == nil {
			rest += string(source)
			continue
		}
		for _, field := range body.Fields.List {
			var words []string
			for _, line := range field.Doc.List {
				words = append(words, line.Text)
			}
			id := field.Names[0].Name
			fields[id], comments[id] = reflect.TypeOf(field.Type).String()+field.Tag.Value, words
		}
		rest += string(source[:fset.Position(body.Pos()).Offset]) + string(source[fset.Position(body.End()).Offset:])
	}
	return fields, comments, rest
}

func TestChangeComment(t *testing.T) {
	dir := api(t)
	fields, before, rest := described(t, dir)
	for round := range 3 {
		if err := changeComment(dir, round); err != nil {
			t.Fatal(err)
		}
		got, comments, gotRest := described(t, dir)
		if !reflect.DeepEqual(got, fields) || gotRest != rest {
			t.Errorf("round %d: something else than a comment is changed", round)
		}
		var changed []string
		for name := range before {
			if !slices.Equal(before[name], comments[name]) {
				changed = append(changed, name)
			}
		}
		if len(changed) != 1 {
			t.Errorf("round %d: the comments of %v are changed, want those of one field", round, changed)
		}
		before = comments
	}
}

func TestAddField(t *testing.T) {
	dir := api(t)
	fields, comments, rest := described(t, dir)
	for round := range 3 {
		if err := addField(dir, round); err != nil {
			t.Fatal(err)
		}
		got, gotComments, gotRest := described(t, dir)
		if len(got) != len(fields)+round+1 || gotRest != rest {
			t.Errorf("round %d: %d fields were %d, or something else is changed", round, len(got), len(fields))
		}
		for name := range fields {
			if got[name] != fields[name] || !slices.Equal(gotComments[name], comments[name]) {
				t.Errorf("round %d: the field %s is changed", round, name)
			}
		}
	}
}

func TestEditRefuses(t *testing.T) {
	for source, want := range map[string]string{
		"package p\n": "there is no struct", "package p\n\ntype MiniClusterSpec struct{ A int }\n": "has no comment",
		"package p\n\ntype MiniClusterSpec struct{}\n": "has no comment", "package": "expected 'IDENT'",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "types.go"), []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := changeComment(dir, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", source, err, want)
		}
	}
}
