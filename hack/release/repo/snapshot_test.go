package repo_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/hack/release/repo"
)

// TestSnapshot checks that a copy has what is not committed, and that the repository stays as it is.
func TestSnapshot(t *testing.T) {
	const version = "0.9.7"
	root := t.TempDir()
	r := &repo.Repo{Dir: root, Env: os.Environ()}
	git := func(args ...string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), "git",
			append([]string{"-C", root, "-c", "user.name=a", "-c", "user.email=b"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	write("old", "1")
	git("add", ".")
	git("commit", "-q", "-m", "first")
	head := git("rev-parse", "HEAD")
	if got, err := r.Snapshot(t.Context(), version, filepath.Join(t.TempDir(), "c")); err != nil || got != head {
		t.Errorf("of a clean tree: %s, %v, want %s", got, err, head)
	}
	write("old", "2")
	write("new", "3")
	before := git("status", "--porcelain")
	var hashes []string
	for range 2 {
		dir := filepath.Join(t.TempDir(), "c")
		got, err := r.Snapshot(t.Context(), version, dir)
		if err != nil || got != head+"-dirty" {
			t.Errorf("of a changed tree: %s, %v, want %s-dirty", got, err, head)
		}
		for name, want := range map[string]string{"old": "2", "new": "3"} {
			if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != want {
				t.Errorf("%s in the copy: %q, %v, want %q", name, text, err, want)
			}
		}
		out, err := exec.CommandContext(t.Context(), "git", "-C", dir, "rev-parse", "v"+version,
			"sdkgen/v"+version).CombinedOutput()
		if err != nil {
			t.Errorf("%v: %s", err, out)
		}
		hashes = append(hashes, string(bytes.TrimSpace(out)))
	}
	if hashes[0] != hashes[1] {
		t.Errorf("two copies of one tree are the commits %v", hashes)
	}
	if after := git("status", "--porcelain"); after != before || git("rev-parse", "HEAD") != head {
		t.Errorf("the repository changed: %s, was %s", after, before)
	}
}
