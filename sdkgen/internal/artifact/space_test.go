package artifact

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// sudo runs a command as root, by sudo if that asks nothing. What cannot run is
// a failure in CI and a skip with the reason elsewhere.
func sudo(t *testing.T, args ...string) {
	t.Helper()
	if os.Geteuid() != 0 {
		args = append([]string{"sudo", "-n"}, args...)
	}
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	switch {
	case err == nil:
	case os.Getenv("CI") == "true" && runtime.GOOS == "linux":
		t.Fatalf("%q: %v: %s", args, err, out)
	default:
		t.Skipf("needs a mount: %q: %v: %s", args, err, out)
	}
}

// mount puts a tmpfs of the given size on dir/name.
func mount(t *testing.T, dir, name, size string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("needs a mount, of tmpfs")
	}
	at := filepath.Join(dir, name)
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	sudo(t, "mount", "-t", "tmpfs", "-o", fmt.Sprintf("mode=755,size=%s,uid=%d,gid=%d", size, os.Getuid(), os.Getgid()),
		"tmpfs", at)
	t.Cleanup(func() { sudo(t, "umount", at) })
	return at
}

func TestFullDisk(t *testing.T) {
	dir := mount(t, t.TempDir(), "full", "256k")
	root := openRoot(t, dir)
	py := files{"py/keep": "old", "py/gone/x": "x"}
	mustGenerate(t, root, setOf(t, map[string]files{"py": py}))
	before := snapshot(t, dir)
	py = files{"py/keep": "new", "py/new/y": "y"}
	for i := range 100 {
		py[fmt.Sprintf("py/more/%02d", i)] = strings.Repeat("x", 5000)
	}
	set := setOf(t, map[string]files{"py": py})
	err := generate(root, set)
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), `writing "py/`) {
		t.Errorf("Commit on a full disk: %v", err)
	}
	t.Log(err)
	same(t, "tree", before, snapshot(t, dir))

	sudo(t, "mount", "-o", "remount,size=8m", dir)
	mustGenerate(t, root, set)
	for f := range set.All() {
		if data, err := os.ReadFile(filepath.Join(dir, f.Path)); err != nil || string(data) != string(f.Data) {
			t.Errorf("%s: %v", f.Path, err)
		}
	}
}

// TestReadOnlyDirectory has a part of the tree on a file system that nobody can
// write, not even root.
func TestReadOnlyDirectory(t *testing.T) {
	dir := t.TempDir()
	at := mount(t, dir, "ro", "256k")
	root := openRoot(t, dir)
	mustGenerate(t, root, setOf(t, map[string]files{"py": {"a": "1", "ro/b": "1", "ro/c": "1"}}))
	sudo(t, "mount", "-o", "remount,ro", at)
	before := snapshot(t, dir)
	for want, py := range map[string]files{
		`writing "ro/b"`:          {"a": "2", "ro/b": "2", "ro/c": "1", "x/new": "1"},
		`making directory "ro/d"`: {"a": "2", "ro/b": "1", "ro/c": "1", "ro/d/e": "1"},
		`writing "ro/new"`:        {"a": "2", "ro/b": "1", "ro/c": "1", "ro/new": "1"},
		`deleting "ro/c"`:         {"a": "1", "ro/b": "1"},
	} {
		err := generate(root, setOf(t, map[string]files{"py": py}))
		if !errors.Is(err, syscall.EROFS) || !strings.Contains(err.Error(), want) {
			t.Errorf("Commit: %v, want %s", err, want)
		}
		t.Log(err)
		same(t, "tree", before, snapshot(t, dir))
	}
}

// TestNoPermission is what a user sees who is not root.
func TestNoPermission(t *testing.T) {
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("permissions do not hold for this user; TestReadOnlyDirectory covers it")
	}
	dir := t.TempDir()
	root := openRoot(t, dir)
	write(t, dir, "sub/mine", "")
	if err := os.Chmod(filepath.Join(dir, "sub"), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "sub"), 0o755) })
	err := generate(root, setOf(t, map[string]files{"py": {"sub/x": "1"}}))
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), `writing "sub/x"`) {
		t.Errorf("Commit: %v", err)
	}
	same(t, "tree", []string{`sub/mine ""`}, snapshot(t, dir))
}
