package python_test

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/python"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

var sources = flag.String("sources", testkit.Repository, "directories with Python for TestCPython, separated by colons")

// TestCPython holds the tree against CPython's: the same files are refused, and the same names
// stand at the same places. It reads this repository's files, or those below -sources. The program
// is python3, or what PYTHON names; before 3.12 it does not know all places, which are left out then.
func TestCPython(t *testing.T) {
	interpreter := os.Getenv("PYTHON")
	if interpreter == "" {
		interpreter = "python3"
	}
	placed := exec.Command(interpreter, "-c", "import sys; sys.exit(sys.version_info < (3, 12))").Run() == nil
	files := pythonFiles(t, filepath.SplitList(*sources))
	cmd := exec.Command(interpreter, "testdata/names.py")
	cmd.Stdin = strings.NewReader(strings.Join(files, "\n") + "\n")
	cmd.Env = append(os.Environ(), "PYTHONIOENCODING=utf-8:replace")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\n"), "\n") {
		file, rest, _ := strings.Cut(line, "\t")
		want[file] = append(want[file], rest)
	}
	count := 0
	for _, file := range files {
		slices.Sort(want[file])
		got := listed(testkit.Read(t, file), placed)
		count += len(got)
		if !slices.Equal(got, want[file]) {
			t.Errorf("%s: %s", file, difference(got, want[file]))
		}
	}
	t.Logf("%d files, %d names, with their places: %t", len(files), count, placed)
	if count < 1000 {
		t.Errorf("%d names in %d files: the test sees nothing", count, len(files))
	}
}

func pythonFiles(t *testing.T, dirs []string) []string {
	t.Helper()
	var files []string
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if name := entry.Name(); entry.IsDir() && len(name) > 2 && name[0] == '.' {
				return filepath.SkipDir
			}
			if entry.Type().IsRegular() && strings.HasSuffix(path, ".py") {
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// difference is the first one between sorted lines.
func difference(got, want []string) string {
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			return fmt.Sprintf("found %q, CPython finds %q", got[min(i, len(got)):min(i+1, len(got))], want[min(i, len(want)):min(i+1, len(want))])
		}
	}
	return ""
}

// listed is what names.py prints of a file, without its name, sorted.
func listed(source []byte, placed bool) []string {
	body, err := python.Parse(source)
	if err != nil {
		return []string{"0\t0\trefused\t"}
	}
	var out []string
	add := func(pos python.Pos, kind, name string) {
		if !placed {
			pos = python.Pos{}
		}
		out = append(out, fmt.Sprintf("%d\t%d\t%s\t%s", pos.Line, pos.Column, kind, name))
	}
	keywords := func(args []python.Arg) {
		for _, arg := range args {
			if arg.Name != "" {
				add(arg.Pos, "keyword", arg.Name)
			}
		}
	}
	python.WalkAll(body, func(node any) bool {
		switch n := node.(type) {
		case *python.Name:
			add(n.Pos, "name", n.ID)
		case *python.Attr:
			add(n.Pos, "attr", n.ID)
		case *python.Call:
			keywords(n.Args)
		case *python.Import:
			for _, alias := range n.Names {
				add(alias.Pos, "import", alias.Name)
			}
		case *python.From:
			for _, alias := range n.Names {
				add(alias.Pos, "import", alias.Name)
			}
		case *python.Def:
			plain := slices.DeleteFunc(slices.Clone(n.Params), func(p python.Param) bool { return p.Stars > 0 })
			add(python.Pos{Column: len(plain) + 1}, "def", n.Name)
		case *python.Class:
			add(python.Pos{Column: len(n.Args) + 1}, "class", n.Name)
			keywords(n.Args)
		case *python.Index:
			if key, ok := n.Key.(*python.String); ok {
				add(key.Pos, "key", escape(key.Value))
			}
		}
		return true
	})
	slices.Sort(out)
	return out
}

// escape is Python's unicode_escape.
func escape(text string) string {
	var b bytes.Buffer
	for _, r := range text {
		switch {
		case r == '\\':
			b.WriteString(`\\`)
		case r == '\n', r == '\r', r == '\t':
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		case r < 0x20, r >= 0x7f && r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r >= 0x10000:
			fmt.Fprintf(&b, `\U%08x`, r)
		case r >= 0x100:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
