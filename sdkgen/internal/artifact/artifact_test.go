package artifact

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
)

func TestPutRefuses(t *testing.T) {
	long := strings.Repeat("x", maxName+1)
	for _, tt := range []struct {
		name string
		file File
		want string // "" if it is fine
	}{
		{"fine", File{Path: "sdk/python/x.py", Origin: "py"}, ""},
		{"space and unicode", File{Path: "docs/Getting Started – ü.md", Origin: "py"}, ""},
		{"dot file", File{Path: ".github/x.yaml", Origin: "py"}, ""},
		{"nested lock", File{Path: "sdk/sdkgen.lock", Origin: "py"}, ""},
		{"longest", File{Path: long[1:], Origin: "py"}, ""},
		{"duplicate", File{Path: "a/b.txt", Origin: "py"}, `stage "go" has made it already`},
		{"case", File{Path: "a/B.txt", Origin: "py"}, `differs only in case from "a/b.txt" of stage "go"`},
		{"directory case", File{Path: "A/c.txt", Origin: "py"},
			`directory differs only in case from that of "a/b.txt" of stage "go"`},
		{"file below file", File{Path: "a/b.txt/c", Origin: "py"}, `"a/b.txt" is a file, of stage "go"`},
		{"file over directory", File{Path: "a", Origin: "py"}, `it is a directory, with "a/b.txt" of stage "go" in it`},
		{"empty", File{Origin: "py"}, "path is empty"},
		{"absolute", File{Path: "/etc/passwd", Origin: "py"}, "absolute"},
		{"climbing", File{Path: "../x", Origin: "py"}, "climbs out"},
		{"climbing inside", File{Path: "a/../../x", Origin: "py"}, "climbs out"},
		{"unclean", File{Path: "a//b", Origin: "py"}, `cleaned: "a/b"`},
		{"dot", File{Path: ".", Origin: "py"}, "not clean"},
		{"trailing slash", File{Path: "a/", Origin: "py"}, "not clean"},
		{"backslash", File{Path: `a\b`, Origin: "py"}, `holds '\\'`},
		{"NUL", File{Path: "a\x00b", Origin: "py"}, `holds '\x00'`},
		{"newline", File{Path: "a\nb", Origin: "py"}, `holds '\n'`},
		{"drive", File{Path: "c:/x", Origin: "py"}, "holds ':'"},
		{"bidi", File{Path: "a\u202eb", Origin: "py"}, "not every platform"},
		{"not UTF-8", File{Path: "a\xff", Origin: "py"}, "not UTF-8"},
		{"trailing dot", File{Path: "a./b", Origin: "py"}, "Windows drops"},
		{"trailing space", File{Path: "a ", Origin: "py"}, "Windows drops"},
		{"git", File{Path: "x/.Git/hooks/post-commit", Origin: "py"}, "git's own"},
		{"temporary", File{Path: "x/.y.sdkgen-tmp", Origin: "py"}, "temporary"},
		{"lock", File{Path: "SDKgen.lock", Origin: "py"}, "lock file"},
		{"long", File{Path: long, Origin: "py"}, "longer than"},
		{"no stage", File{Path: "x"}, "not a stage's name"},
		{"bad stage", File{Path: "x", Origin: "a b"}, "not a stage's name"},
		{"mode", File{Path: "x", Origin: "py", Mode: fs.ModeSymlink}, "not a regular file's"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := setOf(t, map[string]files{"go": {"a/b.txt": ""}})
			err := set.Put(tt.file)
			if tt.want == "" {
				if _, ok := set.Lookup(tt.file.Path); err != nil || !ok || set.Len() != 2 {
					t.Fatalf("Put: %v, found %v, len %d", err, ok, set.Len())
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) || set.Len() != 1 {
				t.Fatalf("Put: %v, want %q; len %d", err, tt.want, set.Len())
			}
		})
	}
}

func TestPutCopies(t *testing.T) {
	var set Set
	data := []byte("abc")
	if err := set.Put(File{Path: "x", Data: data, Mode: 0o700, Origin: "a"}); err != nil {
		t.Fatal(err)
	}
	data[0] = 'X'
	f, _ := set.Lookup("x")
	same(t, "file", File{Path: "x", Data: []byte("abc"), Mode: 0o755, Origin: "a"}, f)
}

func TestAllIsSorted(t *testing.T) {
	set := setOf(t, map[string]files{"a": {"b": "", "a/z": "", "a.b": "", "a/b/c": "", "Z": ""}})
	var got []string
	for f := range set.All() {
		got = append(got, f.Path)
	}
	if !slices.IsSorted(got) || len(got) != 5 {
		t.Errorf("All: %q", got)
	}
	for range set.All() {
		break
	}
}

func TestMerge(t *testing.T) {
	s := setOf(t, map[string]files{"go": {"a": "1", "b": "2", "c": "3"}})
	err := s.Merge(setOf(t, map[string]files{"py": {"b": "x", "C": "y", "d": "z"}}))
	if err == nil || !strings.Contains(err.Error(), `"b" of stage "py": stage "go"`) ||
		!strings.Contains(err.Error(), `"C" of stage "py"`) {
		t.Errorf("Merge: %v", err)
	}
	if s.Len() != 3 {
		t.Errorf("Merge added %d files beside the collisions", s.Len()-3)
	}
	var zero Set
	for _, o := range []*Set{nil, {}, s, setOf(t, map[string]files{"py": {"d": "z"}})} {
		if err := zero.Merge(o); err != nil {
			t.Fatal(err)
		}
	}
	if zero.Len() != 4 {
		t.Errorf("Len: %d", zero.Len())
	}
}
