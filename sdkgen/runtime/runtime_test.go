package runtime

import (
	"go/format"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
)

// TestFiles: an SDK gets every file of the runtime but its tests, and a Python file as it is.
func TestFiles(t *testing.T) {
	for _, c := range []struct {
		dir, to  string
		patterns []string
		get      func(pkg string) ([]File, error)
	}{
		{"python", "sample", []string{"*.py", "testing/*.py", "py.typed"}, Python},
		{"go", "", []string{"*.go"}, Go},
	} {
		t.Run(c.dir, func(t *testing.T) {
			files, err := c.get("sample")
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, file := range files {
				got[file.Path] = string(file.Data)
			}
			want := 0
			for _, name := range onDisk(t, c.dir, c.patterns) {
				source, err := os.ReadFile(filepath.Join(c.dir, name))
				if err != nil {
					t.Fatal(err)
				}
				want++
				data, ok := got[path.Join(c.to, name)]
				if !ok {
					t.Errorf("%s is missing", name)
				}
				if c.dir == "python" && data != string(source) {
					t.Errorf("%s is changed", name)
				}
			}
			if want == 0 || len(got) != want || len(files) != want {
				t.Errorf("%d files, %d of them on disk", len(files), want)
			}
		})
	}
}

// onDisk lists the files of a directory that match a pattern, without tests.
func onDisk(t *testing.T, dir string, patterns []string) []string {
	t.Helper()
	var names []string
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			name, err = filepath.Rel(dir, name)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, filepath.ToSlash(name))
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
}

// TestGo: every Go file stays as it is but for its header and its package clause.
func TestGo(t *testing.T) {
	files, err := Go("sample")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(filepath.Join("go", file.Path))
		if err != nil {
			t.Fatal(err)
		}
		want := header + strings.Replace(string(source), "package light\n", "package sample\n", 1)
		if string(file.Data) != want {
			t.Errorf("%s differs from the file on disk", file.Path)
		}
		if formatted, err := format.Source(file.Data); err != nil || string(formatted) != want {
			t.Errorf("%s is not formatted: %v", file.Path, err)
		}
	}
}

func TestInPackage(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"plain":            {"package light\n\nvar x = 1\n", "package sample\n\nvar x = 1\n"},
		"doc comment":      {"// Package light is light.\npackage light\n", "// Package light is light.\npackage sample\n"},
		"build constraint": {"//go:build unix\n\npackage light\n", "//go:build unix\n\npackage sample\n"},
		"license": {"/* package other */\n\npackage light // light\n",
			"/* package other */\n\npackage sample // light\n"},
		"name in the code": {"package light\n\nconst s = \"package light\"\n",
			"package sample\n\nconst s = \"package light\"\n"},
		"spaces":    {"package\tlight;import \"io\"", "package\tsample;import \"io\""},
		"not ASCII": {"// ü\npackage light\n", "// ü\npackage sample\n"},
	} {
		got, err := inPackage([]byte(c.source), "sample")
		if err != nil || string(got) != header+c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, source := range []string{"", "// package light\n", "func f() {}\n", "package 1\n"} {
		if got, err := inPackage([]byte(source), "sample"); err == nil {
			t.Errorf("%q becomes %q", source, got)
		}
	}
}

// TestIntOrString: the table in python/_kubernetes.py has, by type and without versions, the fields of Kubernetes' own
// types that are quantities or integers or strings, in lists and maps too.
func TestIntOrString(t *testing.T) {
	source, err := os.ReadFile("python/_kubernetes.py")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, line := range regexp.MustCompile(`(?m)^    "(\w+)": "([\w ]+)",$`).FindAllSubmatch(source, -1) {
		got[string(line[1])] = strings.Fields(string(line[2]))
	}
	want, seen := map[string][]string{}, map[reflect.Type]bool{}
	for _, typ := range scheme.Scheme.AllKnownTypes() {
		eitherOf(typ, want, seen)
	}
	for name := range want {
		slices.Sort(want[name])
		want[name] = slices.Compact(want[name])
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// eitherOf adds the fields of a struct, and of those in it, that are of one of the types.
func eitherOf(typ reflect.Type, to map[string][]string, seen map[reflect.Type]bool) {
	if seen[typ] {
		return
	}
	seen[typ] = true
	for i := range typ.NumField() {
		field := typ.Field(i)
		target := field.Type
		for target.Kind() == reflect.Pointer || target.Kind() == reflect.Slice || target.Kind() == reflect.Map {
			target = target.Elem()
		}
		switch {
		case target == reflect.TypeFor[resource.Quantity](), target == reflect.TypeFor[intstr.IntOrString]():
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			to[typ.Name()] = append(to[typ.Name()], key)
		case target.Kind() == reflect.Struct:
			eitherOf(target, to, seen)
		}
	}
}
