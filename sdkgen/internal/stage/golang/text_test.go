package golang

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/runtime"
)

// FuzzComment checks that a text is comments and nothing else, whatever it holds, and that it
// says the same words.
func FuzzComment(f *testing.F) {
	for _, text := range []string{"", " ", "a\nb\n\nc", "*/", "/*", "//", "`", "\"", "\x00", "\r", "\u2028", "\ufeff",
		"\xff", "+build x", "go:build x", "a +build", strings.Repeat("x ", 300)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, indent := range []string{"", "\t"} {
			source := comment(text, "", indent)
			if source == "" {
				if strings.TrimSpace(model.Visible(text)) != "" {
					t.Fatalf("%q has no comment", text)
				}
				continue
			}
			var words []string
			for line := range strings.SplitSeq(source, "\n") {
				reported, ok := strings.CutPrefix(line, indent+"// ")
				if !ok && line != indent+"//" {
					t.Fatalf("%q of %q is no comment", line, text)
				}
				if strings.HasPrefix(reported, "+build") {
					t.Fatalf("%q of %q is an instruction", line, text)
				}
				if ok {
					words = append(words, strings.Fields(reported)...)
				}
			}
			got := strings.ReplaceAll(strings.Join(words, " "), "'", "")
			if want := strings.ReplaceAll(strings.Join(strings.Fields(model.Visible(text)), " "), "'", ""); got != want {
				t.Fatalf("says %q, not %q", got, want)
			}
			if tokens := scan(t, source); len(tokens) > 0 {
				t.Fatalf("%q has the tokens %v", source, tokens)
			}
		}
	})
}

// scan returns the tokens of a source that are not comments.
func scan(t *testing.T, source string) []token.Token {
	t.Helper()
	fset := token.NewFileSet()
	var s scanner.Scanner
	s.Init(fset.AddFile("x.go", -1, len(source)), []byte(source), func(_ token.Position, msg string) {
		t.Fatalf("%q: %s", source, msg)
	}, 0)
	var tokens []token.Token
	for {
		_, tok, _ := s.Scan()
		if tok == token.EOF {
			return tokens
		}
		tokens = append(tokens, tok)
	}
}

// FuzzField checks that whatever a JSON name is, its field either is refused or is exported,
// and that encoding/json writes it under that name.
func FuzzField(f *testing.F) {
	for _, key := range []string{"a", "deadlineSeconds", "x-y", "2fa", "größe", "ßeta", "名前", "İ", "ǆ", "ª", "٣x", "a`b",
		`a"b`, `a\b`, "a,b", "-", "-,", "a b", "it's", "\x00", "\xff", "", "_", "json:\"x\"", "omitempty", "type"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		for _, required := range []bool{false, true} {
			m := &modeler{model: &Model{}, imports: map[string]string{}}
			field, err := m.field(&model.Field{
				Key: key, Type: model.Type{Shape: model.String}, Required: required, Mandatory: required,
			})
			if err != nil {
				if strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.$") == "" &&
					strings.Trim(key, "-_.$") != "" {
					t.Fatal(err)
				}
				return
			}
			if !token.IsExported(field.Name) || !token.IsIdentifier(field.Name) || !token.IsIdentifier(param(field.Name)) {
				t.Fatalf("%q is the field %q, the parameter %q", key, field.Name, param(field.Name))
			}
			tag, err := parser.ParseExpr(field.Tag)
			if literal, ok := tag.(*ast.BasicLit); err != nil || !ok || literal.Kind != token.STRING {
				t.Fatalf("%q is no tag: %v", field.Tag, err)
			}
			typ := reflect.StructOf([]reflect.StructField{{
				Name: field.Name, Type: reflect.TypeFor[string](), Tag: reflect.StructTag(strings.Trim(field.Tag, "`")),
			}})
			value := reflect.New(typ).Elem()
			value.Field(0).SetString("x")
			data, err := json.Marshal(value.Interface())
			var back map[string]string
			if err != nil || json.Unmarshal(data, &back) != nil || len(back) != 1 || back[key] != "x" {
				t.Fatalf("%q is written as %s, %v", key, data, err)
			}
		}
	})
}

// TestNumbers checks that no digit of a default is lost that has reached this package.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		value any
		typ   string
		want  string
	}{
		{json.Number("9007199254740993"), "*int64", "ptr.To[int64](9007199254740993)"},
		{json.Number("-9223372036854775808"), "*int64", "ptr.To[int64](-9223372036854775808)"},
		{json.Number("9223372036854775808"), "*int64", ""},
		{json.Number("0.1e-2"), "*float64", "ptr.To[float64](0.1e-2)"},
		{float64(1 << 53), "*int64", "ptr.To[int64](9007199254740992)"},
		{float64(1 << 63), "*int64", ""},
		{-float64(1 << 63), "*int64", ""}, // a float has but 17 digits: refused, not rounded
		{1e300, "*float64", "ptr.To[float64](1e+300)"},
		{5e-324, "*float64", "ptr.To[float64](5e-324)"},
	} {
		m := &modeler{imports: map[string]string{}}
		got, err := m.defaultOf(&model.Field{Type: model.Type{Default: c.value}}, c.typ)
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%v as %s is %q, %v", c.value, c.typ, got, err)
		}
	}
}

// TestPrinted: printed are the exported identifiers of the runtime, and no others.
func TestPrinted(t *testing.T) {
	files, err := runtime.Go("light")
	if err != nil {
		t.Fatal(err)
	}
	var exported []string
	for _, file := range files {
		syntax, err := parser.ParseFile(token.NewFileSet(), file.Path, file.Data, 0)
		if err != nil {
			t.Fatal(err)
		}
		for name := range syntax.Scope.Objects {
			if ast.IsExported(name) {
				exported = append(exported, name)
			}
		}
	}
	slices.Sort(exported)
	if !slices.Equal(exported, printed) {
		t.Errorf("the runtime exports %q, not %q", exported, printed)
	}
}
