package artifact

import (
	"slices"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

var (
	sumA = Sum([]byte("a"))
	sumB = Sum([]byte("b"))
)

func TestLockFormat(t *testing.T) {
	set := setOf(t, map[string]files{"py": {"sdk/b c.py": "b", "sdk/run.sh*": "a"}, "go": {"a.go": "a"}})
	lock, err := NewLock(set, map[string]string{"py": "k1", "go": "", "rules": "k2"})
	if err != nil {
		t.Fatal(err)
	}
	want := lockHeader +
		"file a.go " + sumA + " go\n" +
		"file sdk/b c.py " + sumB + " py\n" +
		"file sdk/run.sh " + sumA + " py +x\n" +
		"stage go -\n" +
		"stage py " + Sum([]byte("k1\nfile sdk/b c.py "+sumB+" py\nfile sdk/run.sh "+sumA+" py +x")) + "\n" +
		"stage rules " + Sum([]byte("k2")) + "\n"
	same(t, "Encode", want, string(lock.Encode()))
	for _, data := range []string{want, strings.ReplaceAll(want, "\n", "\r\n"), want + "\n# comment\n"} {
		got, err := ParseLock(LockName, []byte(data))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "parsed", want, string(got.Encode()))
	}
	for _, tt := range []struct {
		stage, key string
		want       bool
	}{{"py", "k1", true}, {"py", "k2", false}, {"py", "", false}, {"rules", "k2", true}, {"go", "", false},
		{"none", "", false}, {"none", "k1", false}} {
		if got := lock.Sealed(tt.stage, tt.key); got != tt.want {
			t.Errorf("Sealed(%q, %q) = %t", tt.stage, tt.key, got)
		}
	}
	var paths []string
	for e := range lock.Files("py") {
		paths = append(paths, e.Path)
	}
	same(t, "Files", []string{"sdk/b c.py", "sdk/run.sh"}, paths)
	same(t, "Stages", []string{"go", "py", "rules"}, lock.Stages())
}

// TestSealed: a stage whose lines in the lock were removed, added or edited is not sealed; another stage's are
// none of its.
func TestSealed(t *testing.T) {
	lock, err := NewLock(setOf(t, map[string]files{"py": {"a": "a", "b": "b"}, "go": {"c": "b"}}),
		map[string]string{"py": "k", "go": "k"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(lock.Encode())
	for _, tt := range []struct{ name, from, to string }{
		{"removed", "file b " + sumB + " py\n", ""},
		{"edited", "file b " + sumB, "file b " + sumA},
		{"executable", "file b " + sumB + " py", "file b " + sumB + " py +x"},
		{"moved", "file c " + sumB + " go", "file c " + sumB + " py"},
		{"added", "stage py", "file d " + sumB + " py\nstage py"},
	} {
		if strings.Count(text, tt.from) != 1 {
			t.Fatalf("%s: %q is not in\n%s", tt.name, tt.from, text)
		}
		edited, err := ParseLock(LockName, []byte(strings.Replace(text, tt.from, tt.to, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if edited.Sealed("py", "k") {
			t.Errorf("%s: py is still sealed", tt.name)
		}
		if want := tt.name != "moved"; edited.Sealed("go", "k") != want {
			t.Errorf("%s: go is sealed: %t", tt.name, !want)
		}
	}
}

func TestNewLockRefuses(t *testing.T) {
	set := setOf(t, map[string]files{"py": {"a": ""}})
	for _, keys := range []map[string]string{
		nil, {"go": "k"}, {"py": "k", "A": "k"},
	} {
		if l, err := NewLock(set, keys); err == nil {
			t.Errorf("NewLock(%q) = %s", keys, l.Encode())
		}
	}
}

func TestParseLockErrors(t *testing.T) {
	file := "file a " + sumA + " py\n"
	for _, tt := range []struct{ name, data, want string }{
		{"empty", "", `sdkgen.lock:1:1: the first line is not "# sdkgen.lock v1: …"`},
		{"header", file, `sdkgen.lock:1:1: the first line is not`},
		{"version", "# sdkgen.lock v2: …\n", "sdkgen.lock:1:1: the file has another format version than v1"},
		{"version 10", lockMagic + "0: …\n", "another format version"},
		{"conflict first", "<<<<<<< HEAD\n" + lockHeader,
			"sdkgen.lock:1:1: unresolved merge conflict (lock)\n    delete the conflict markers and keep one line for each path"},
		{"conflict", lockHeader + "<<<<<<< HEAD\n" + file, "sdkgen.lock:2:1: unresolved merge conflict"},
		{"conflict middle", lockHeader + file + "=======\n", "sdkgen.lock:3:1: unresolved merge conflict"},
		{"conflict end", lockHeader + file + ">>>>>>> branch\n", "sdkgen.lock:3:1: unresolved merge conflict"},
		{"conflict base", lockHeader + file + "||||||| 1234\n", "sdkgen.lock:3:1: unresolved merge conflict"},
		{"duplicate", lockHeader + file + "file a " + sumB + " go\n",
			"sdkgen.lock:3:6: second line for file a, the first is line 2"},
		{"duplicate stage", lockHeader + "stage a -\nstage a -\n",
			"sdkgen.lock:3:7: second line for stage a, the first is line 2"},
		{"kind", lockHeader + "dir a\n", `sdkgen.lock:2:1: the line starts with "dir"`},
		{"short hash", lockHeader + "file a sha256:12 py\n", `sdkgen.lock:2:8: bad hash "sha256:12" of "a"`},
		{"upper hash", lockHeader + "file a sha256:" + strings.Repeat("A", 64) + " py\n", "sdkgen.lock:2:8: bad hash"},
		{"no hash", lockHeader + "file a py\n", `sdkgen.lock:2:6: the line is not "file PATH sha256:HEX STAGE"`},
		{"bare", lockHeader + "file\n", "sdkgen.lock:2:6: the line"},
		{"climbing", lockHeader + "file ../a " + sumA + " py\n",
			`sdkgen.lock:2:6: bad path "../a": the path is not clean or climbs`},
		{"absolute", lockHeader + "file /a " + sumA + " py\n", "sdkgen.lock:2:6: bad path"},
		{"git", lockHeader + "file .git/config " + sumA + " py\n", "git's own directory"},
		{"itself", lockHeader + "file sdkgen.lock " + sumA + " py\n", "lock file"},
		{"bad stage", lockHeader + "file a " + sumA + " Py\n", "sdkgen.lock:2:80: bad stage"},
		{"stage name", lockHeader + "stage P -\n", "sdkgen.lock:2:7: bad stage"},
		{"no key", lockHeader + "stage p\n", "sdkgen.lock:2:7: the line is not"},
		{"empty key", lockHeader + "stage p \n", `sdkgen.lock:2:9: bad hash "" of stage "p"`},
		{"key", lockHeader + "stage p a b\n", `sdkgen.lock:2:9: bad hash "a b"`},
		{"cut off", lockHeader + strings.TrimSuffix(file, "\n"), "sdkgen.lock:2:82: the last line is incomplete"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lock, err := ParseLock(LockName, []byte(tt.data))
			if list := diag.Of(err); len(list) != 1 || list[0].Hint == "" || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("ParseLock: %v\nwant %s", err, tt.want)
			}
			if lock != nil {
				t.Error("a lock beside an error")
			}
		})
	}
}

func TestReadLock(t *testing.T) {
	dir := t.TempDir()
	root := openRoot(t, dir)
	lock, err := ReadLock(root, "sdkgen.yaml")
	if err != nil || len(lock.files) != 0 || lock.Stages() != nil {
		t.Fatalf("ReadLock of nothing: %v %v", lock, err)
	}
	write(t, dir, LockName, "")
	if _, err = ReadLock(root, "sdkgen.yaml"); err == nil {
		t.Error("an empty file is no lock")
	}
	write(t, dir, "other/"+LockName, "")
	if _, err = ReadLock(openRoot(t, dir+"/other"), "sdkgen.yaml"); err == nil {
		t.Error("an empty file is no lock")
	}
	write(t, dir, "directory/"+LockName+"/x", "")
	_, err = ReadLock(openRoot(t, dir+"/directory"), "sdkgen.yaml")
	if err == nil || !strings.Contains(err.Error(), `sdkgen.lock: it is a directory`) {
		t.Errorf("ReadLock of a directory: %v", err)
	}
}

func TestNilLock(t *testing.T) {
	var l *Lock
	for range l.All() {
		t.Error("a line")
	}
	_, found := l.Lookup("a")
	if len(slices.Collect(l.All())) != 0 || found || l.Sealed("a", "k") || string(l.Encode()) != lockHeader {
		t.Error("a nil lock is not empty")
	}
}
