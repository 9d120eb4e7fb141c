package artifact

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	root := openRoot(t, dir)
	write(t, dir, "hack/old.list", "old")
	write(t, dir, "hack/.old.list.sdkgen-tmp", "half")
	for _, p := range []string{"hack/old.list", "new/directory/new.list"} {
		if err := Replace(root, File{Path: p, Data: []byte("new")}); err != nil {
			t.Error(err)
		}
	}
	want := []string{`hack/old.list "new"`, `new/directory/new.list "new"`}
	same(t, "tree", want, snapshot(t, dir))
	if err := os.Symlink("hack", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	for p, reason := range map[string]string{
		"link":   "link: cannot write \"link\": the path is a symbolic link",
		"link/x": "link: cannot write \"link/x\": the path is a symbolic link", "hack": "the path is a directory",
		"hack/old.list/x": "hack/old.list: cannot write \"hack/old.list/x\": the path is a file", "../x": "climbs out",
	} {
		if err := Replace(root, File{Path: p}); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("Replace(%q): %v, want %s", p, err, reason)
		}
	}
	same(t, "tree", []string{want[0], "link -> hack", want[1]}, snapshot(t, dir))
}
