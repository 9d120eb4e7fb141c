package artifact

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// FuzzParseLock: what parses survives a round trip, and Encode is canonical.
func FuzzParseLock(f *testing.F) {
	file := "file a b " + sumA + " py"
	for _, s := range []string{
		"", lockHeader, lockHeader + file + "\n", lockHeader + file + " +x\r\nstage py -\nstage go " + sumB + "\n",
		lockHeader + file + "\n" + file + "\n", lockHeader + "<<<<<<< HEAD\n", lockMagic, lockMagic + "\n", "\xff\x00",
		lockHeader + "file ../a " + sumA + " py\n", lockHeader + "file  " + sumA + " py\n", lockHeader + "file   +x\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		lock, err := ParseLock(LockName, data)
		if err != nil {
			return
		}
		first := lock.Encode()
		again, err := ParseLock(LockName, first)
		if err != nil {
			t.Fatalf("parsing what was encoded: %v\n%q", err, first)
		}
		if second := again.Encode(); !bytes.Equal(first, second) {
			t.Fatalf("%q\n%q", first, second)
		}
		same(t, "round trip", lock.files, again.files)
		same(t, "round trip", lock.seals, again.seals)
	})
}

// FuzzPath: what Put accepts can be written below the root and nowhere else,
// and is read back from the lock.
func FuzzPath(f *testing.F) {
	for _, s := range []string{
		"a", "a/b.py", "a b/c", "../a", "/a", "a/../b", `a\b`, "a\x00", "a\n", ".", "", ".git/x", "NUL", "COM1.txt",
		"c:/x", "ü/é", "a/", "a//b", "sdkgen.lock", ".x.sdkgen-tmp", "#a", " a", "a +x", "a sha256:00 py",
	} {
		f.Add(s)
	}
	dir := f.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { root.Close() })
	f.Fuzz(func(t *testing.T, p string) {
		var set Set
		if err := set.Put(File{Path: p, Data: []byte("x"), Origin: "s"}); err != nil {
			return
		}
		if !fs.ValidPath(p) || !filepath.IsLocal(filepath.FromSlash(p)) {
			t.Fatalf("accepted %q", p)
		}
		if len(p) > 1000 {
			return // some file systems stop there
		}
		mustGenerate(t, root, &set)
		got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(p)))
		if err != nil || string(got) != "x" {
			t.Fatalf("reading back %q: %q, %v", p, got, err)
		}
		lock, err := ReadLock(root, "sdkgen.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := lock.Lookup(p); !ok || len(lock.files) != 1 {
			t.Fatalf("the lock lost %q: %s", p, lock.Encode())
		}
	})
}
