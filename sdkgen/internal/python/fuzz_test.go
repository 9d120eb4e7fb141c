package python_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/python"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// seeds are sources with what is hard to read in them.
var seeds = []string{
	"", "\n", "\t", "\\", "\\\n", "#", "(", ")", "x = (\n1,\n)\n", "if x:\n\ty\n        z\n", "if x:\n  y\n z\n",
	"'", "'''", "'\\", "b'\\x'", "rb'\\'", "u'\\N{DASH}\\u00e9\\777'", "'a' f'{b}' 'c'",
	"f'{", "f'{x", "f'{x:{y}}'", "f'{x!r:>{w}.{p}}'", "f'{{}}'", "f'{x=}'", "f'{a[\"b\"]}'", "f'{f'{f'{x}'}'}'", "f'\\{x}'", "fr'\\{{\\}}'", "f'''{\nx\n}'''", "f'}'", "f'{x:\n}'",
	"0x1for x in y", "1_0.e-3j", "1else", "1..a", ".5", "a if b else c", "not a in b", "a not in b is not c", "-a**-b", "lambda *a, b=1, **c: a",
	"[a for b in c if d for e in f]", "{a: b for c in d}", "{**a, 'b': c}", "{*a, b}", "{1: 2, 3}", "f(a for b in c)", "f(*a, b=c, **d)", "x[a:b, ::c, *d]", "(a := b)",
	"match x:\n  case {'a': [1, *_], **b} | None as c if d: pass\n", "match = 1", "match(x)", "match[x]: int", "type X[T] = T", "type = 1",
	"def f[T: int = str](a, /, b: int = 1, *c: *d, e, **f) -> g: ...", "class A[T](b, c=d): pass", "@a.b(c)\nasync def d(): await e",
	"with (a as b, c): pass", "with (a, b) as c: pass", "with (a): pass", "try:\n  a\nexcept* (b, c) as d:\n  e\nelse: f\nfinally: g\n", "from ...a import (b as c, d,)", "from . import *",
	"import a.b as c, d", "global a, b", "del a, (b, c)", "a: b = c", "a += yield b", "a = b = *c, d", "raise a from b", "assert a, b", "print 'x'", "\ufeffa", "a\x00b", "\xff", "“", "a\fb", "a\r\nb\rc",
}

// FuzzParse: no source brings the parser down, an error lies in the source, and so do the names of
// the tree, where they are written.
func FuzzParse(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		lines := splitLines(bytes.TrimPrefix(source, []byte("\ufeff")))
		body, err := python.Parse(source)
		if err != nil {
			broken, ok := errors.AsType[*python.Error](err)
			if !ok || broken.Pos.Line < 1 || broken.Pos.Line > len(lines) || broken.Pos.Column < 1 || broken.Pos.Column > len(lines[broken.Pos.Line-1])+1 {
				t.Fatalf("%v: the source has %d lines", err, len(lines))
			}
			return
		}
		written := func(pos python.Pos, id string) {
			if pos.Line > len(lines) || !bytes.HasPrefix(lines[pos.Line-1][pos.Column-1:], []byte(id)) {
				t.Errorf("%q is not at %v", id, pos)
			}
		}
		python.WalkAll(body, func(node any) bool {
			switch n := node.(type) {
			case *python.Name:
				written(n.Pos, n.ID)
			case *python.Attr:
				written(n.Pos, n.ID)
			case *python.Call:
				for _, arg := range n.Args {
					written(arg.Pos, arg.Name)
				}
			}
			return true
		})
		python.Bound(body)
	})
}

// splitLines cuts at \n, \r\n and \r, as Python does.
func splitLines(source []byte) [][]byte {
	source = bytes.ReplaceAll(bytes.ReplaceAll(source, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	return bytes.Split(source, []byte("\n"))
}

// TestDeep: what is nested too deeply is an error, and what is long is none.
func TestDeep(t *testing.T) {
	const n = 100_000
	for _, deep := range []string{"(", "[", "{a:", "f'{", "not ", "-", "lambda:", "a if b else ", "a**", "await ", "a.b(", "if a:\n "} {
		source := bytes.Repeat([]byte(deep), n)
		if _, err := python.Parse(source); err == nil {
			t.Errorf("%q, %d times, is taken", deep, n)
		}
	}
	for _, long := range []string{"a\n", "a;", "[a]\n", "'a'\\\n", "a, "} {
		if _, err := python.Parse(bytes.Repeat([]byte(long), n)); err != nil && long != "'a'\\\n" {
			t.Errorf("%q, %d times: %v", long, n, err)
		}
	}
}

// TestText: literals stand for what Python says.
func TestText(t *testing.T) {
	for literal, want := range map[string]string{
		`'a'`: "a", `"it's"`: "it's", `'it\'s'`: "it's", `'''a'b'''`: "a'b", `r'\n'`: `\n`, `u'\n'`: "\n", `''`: "", `""""""`: "",
		`'\x41\u0041\U00000041\101'`: "AAAA", `'\q\x4'`: `\q\x4`, "'a\\\nb'": "ab", `'\U00110000'`: `\U00110000`, `'\7a'`: "\aa",
	} {
		if got := python.Text(literal); got != want {
			t.Errorf("Text(%s) = %q, want %q", literal, got, want)
		}
	}
}

// TestParseExpr reads annotations in quotes.
func TestParseExpr(t *testing.T) {
	for source, ok := range map[string]bool{"Optional[A]": true, "A | None": true, "": false, "a b": false, "no type!": false, "a\n": true, "a)(b": false} {
		if _, err := python.ParseExpr(source); (err == nil) != ok {
			t.Errorf("ParseExpr(%q): %v", source, err)
		}
	}
}

// TestRepository: no file of this repository is refused.
func TestRepository(t *testing.T) {
	for _, file := range pythonFiles(t, []string{testkit.Repository}) {
		if _, err := python.Parse(testkit.Read(t, file)); err != nil {
			t.Errorf("%s:%v", file, err)
		}
	}
}
