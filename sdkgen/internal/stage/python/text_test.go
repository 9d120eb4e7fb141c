package python

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// nasty are texts that have ended, moved or changed string literals somewhere.
func nasty() []string {
	return append(escapes(), "'", `"`, `'''`, `"""`, `""""`, `\`, `\\`, `\'`, `\"`, `\"""`, `a"`, `a\`, `"a`, "\n", "a\nb",
		"\r", "\r\n", "a\n\nb", "\n\n\n",
		"\x00", "a\x00b", "\x1a", "\x1b[0m", "\x7f", "\x80", "\xff\xfe", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\ufeff",
		"\ufffd", "\uffff",
		"\u0085", "\u00a0", "\u00ad", "\u2028", "\u2029", "\u200d", "\u202e", "\u3000", "\ue000", "\U0001f64f", "\U0010ffff",
		"e\u0301", "größe 名前",
		"{{name}}", "{0}", "%s", "${x}", "#", "# -*- coding: latin-1 -*-", "x' + __import__('os').getcwd() + '",
		`""" + __import__('os').getcwd() + """`,
		"", " ", " a ", "\ta\tb", "a  b", strings.Repeat("x", 200_000), strings.Repeat("'\n", 50_000),
		strings.Repeat(`"`, 10_001), strings.Repeat(`\`, 10_001),
	)
}

// escapes are texts that Python would read as one character if their backslash stayed.
func escapes() []string {
	return []string{`\n`, `\x41`, `\x`, `\u00e9`, `\u`, `\U0001f64f`, `\N{BULLET}`, `\101`, `\0`, "\\\n", `\a\b\f\v`}
}

// TestLiteralPython asks python3 what literal wrote.
func TestLiteralPython(t *testing.T) {
	values := []any{
		nil, true, false, 0, 7, -7, 0.0, math.Copysign(0, -1), 1.0, -1.5, 0.1, 1e-9, 5e-324, 1e20, 1e21, 1e22,
		math.MaxFloat64,
		float64(1 << 53), -float64(1 << 53), float64(1 << 62), float64(1 << 63), -float64(1 << 63), 123456789012345680000.0,
		json.Number("9007199254740993"), json.Number("-9223372036854775809"), json.Number("18446744073709551616"),
		json.Number("1E5"), json.Number("-0"), json.Number("0.1e-2"),
		[]any{}, map[string]any{}, []any{nil, []any{true}, map[string]any{"a": []any{}}},
		map[string]any{"": nil, "b": 1.0, "a": "'"},
	}
	all := map[string]any{}
	for _, text := range nasty() {
		values = append(values, text)
		all["k"+text] = []any{text, map[string]any{text: text}}
	}
	type item struct {
		Source string `json:"source"`
		Value  any    `json:"value"`
	}
	var items []item
	for _, value := range append(values, all) {
		items = append(items, item{Literal(value), value})
	}
	askPython(t, items, `
def check(item):
    got, want = ast.literal_eval(item["source"]), item["value"]
    assert "\n" not in item["source"], "not on one line"
    same(got, want)

def same(got, want):
    if isinstance(want, float) and want.is_integer():
        want = got if isinstance(got, int) and got == want else want  # JSON has one kind of number
    assert type(got) is type(want), (type(got), type(want))
    if isinstance(want, list):
        assert len(got) == len(want)
        for g, w in zip(got, want):
            same(g, w)
    elif isinstance(want, dict):
        assert sorted(got) == sorted(want)
        for key in want:
            same(got[key], want[key])
    else:
        assert got == want, (got, want)
`)
}

// TestDocstringPython asks python3 what docstring wrote, where the templates put it.
func TestDocstringPython(t *testing.T) {
	type item struct {
		Source string   `json:"source"`
		Words  []string `json:"words"`
	}
	var items []item
	texts := nasty()
	for _, text := range nasty()[:40] {
		texts = append(texts, "a "+text+" b", text+text, "a\n\n"+text, text+"\n\nb", "a\n- "+text)
	}
	for _, text := range texts {
		if source := docstring(text, 4); source != "" {
			items = append(items, item{"class C:\n    " + source + "\n", words(complete(strings.TrimSpace(text)))})
		} else if strings.TrimSpace(text) != "" {
			t.Errorf("%q has no docstring", text)
		}
	}
	askPython(t, items, `
def check(item):
    (cls,) = ast.parse(item["source"]).body
    (doc,) = cls.body
    assert type(doc) is ast.Expr and type(doc.value.value) is str, ast.dump(cls)
    assert ast.get_docstring(cls, clean=False) == doc.value.value
    found = [word for word in re.split("[ \n]+", doc.value.value) if word]
    assert found == item["words"], (found, item["words"])
    for line in item["source"].splitlines():
        assert len(line) <= 100 or line.count(" ") <= 5 or not line.isascii(), line
`)
}

// words are what a docstring keeps of a text: blanks and line ends between words may change.
func words(text string) []string {
	isBlank := func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }
	return strings.FieldsFunc(valid(strings.TrimSpace(text)), isBlank)
}

// valid is a text as JSON has it: each byte that is not UTF-8 is U+FFFD.
func valid(text string) string { return string([]rune(text)) }

// askPython runs check(item) for each item in one python3, with warnings as errors: an escape
// that Python does not know is one.
func askPython[T any](t *testing.T, items []T, check string) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	data, err := json.Marshal(items)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, "-I", "-W", "error", "-c", "import ast, json, re, sys\n"+check+`
failed = 0
for n, item in enumerate(json.load(sys.stdin)):
    try:
        check(item)
    except Exception as error:
        failed += 1
        print(n, ascii(item["source"])[:200], type(error).__name__, ascii(error)[:500])
sys.exit(failed > 0)
`)
	cmd.Stdin = bytes.NewReader(data)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("of %d: %v\n%s", len(items), err, out)
	}
}

// FuzzLiteral reads what literal wrote the way Python does, in a few lines of Go.
func FuzzLiteral(f *testing.F) {
	for _, text := range nasty() {
		if len(text) < 1000 {
			f.Add([]byte(text))
		}
	}
	f.Add([]byte(`{"b": [1, -2.5e3, true, null, {"a'": "\u2028"}], "a": 9007199254740993}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		values := []any{string(data)}
		for _, exact := range []bool{true, false} {
			dec := json.NewDecoder(bytes.NewReader(data))
			if exact {
				dec.UseNumber()
			}
			var value any
			if dec.Decode(&value) == nil {
				values = append(values, value)
			}
		}
		for _, value := range values {
			source := Literal(value)
			read, rest, err := readLiteral(source)
			if err != nil || rest != "" {
				t.Fatalf("%q is not one literal: rest %q, %v", source, rest, err)
			}
			got, want := fmt.Sprintf("%q", read), fmt.Sprintf("%q", plain(value))
			if got != want {
				t.Fatalf("%q reads as %s, not %s", source, got, want)
			}
			if strings.ContainsFunc(source, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				t.Fatalf("control character in %q", source)
			}
		}
	})
}

// FuzzDocstring checks that a docstring is one literal, and says the same words.
func FuzzDocstring(f *testing.F) {
	for _, text := range nasty() {
		if len(text) < 1000 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		source := docstring(text, 4)
		if source == "" && strings.TrimSpace(text) == "" {
			return
		}
		inner, raw := strings.CutPrefix(source, "r")
		inner, ok := strings.CutPrefix(inner, `"""`)
		if raw {
			inner = strings.ReplaceAll(inner, `\`, `\\`)
		}
		read, rest, err := readString(inner, `"""`)
		if !ok || err != nil || rest != "" {
			t.Fatalf("%q: rest %q, %v", source, rest, err)
		}
		want := strings.Join(words(complete(strings.TrimSpace(text))), " ")
		if got := strings.Join(words(read), " "); got != want {
			t.Fatalf("%q says %q, not %q", source, got, want)
		}
		if strings.ContainsFunc(source, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f }) {
			t.Fatalf("control character in %q", source)
		}
	})
}
