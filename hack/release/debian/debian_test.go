package debian

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/hack/release/layer"
)

// TestPins checks that packages.txt pins the packages of this program, for both architectures alike.
func TestPins(t *testing.T) {
	var base Base
	for _, arch := range []string{"amd64", "arm64"} {
		packages, err := base.Packages(arch)
		if err != nil {
			t.Fatal(err)
		}
		var pinned []string
		for _, p := range packages {
			pinned = append(pinned, p.Name)
		}
		if !slices.Equal(pinned, slices.Sorted(slices.Values(names))) {
			t.Errorf("%s: pinned %q, want %q", arch, pinned, names)
		}
	}
	if _, err := base.Packages("s390x"); err == nil || !strings.Contains(err.Error(), "no package for s390x") {
		t.Error(err)
	}
	base.Pins = "# a comment\namd64 libc6 2.41\n"
	if _, err := base.Packages("amd64"); err == nil ||
		!strings.Contains(err.Error(), "packages.txt:2: want architecture") {
		t.Error(err)
	}
}

// TestTree unpacks a package from the cache, and refuses one with another hash.
func TestTree(t *testing.T) {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		const reason = "dpkg-deb is not installed, which unpacks Debian's packages: apt-get install dpkg"
		if os.Getenv("CI") == "true" {
			t.Fatal(reason)
		}
		t.Skip(reason)
	}
	root, cache := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"DEBIAN/control": "Package: small\nVersion: 1-2\nArchitecture: all\nMaintainer: a " +
			"<a@b>\nDescription: small\n",
		"usr/share/ca-certificates/b/B.crt": "second\n",
		"usr/share/ca-certificates/a/A.crt": "first\n\n",
		"usr/share/doc/small/copyright":     "a license\n",
		"usr/share/doc/small/changelog":     "unwanted\n",
		"usr/share/man/man1/small.1":        "unwanted\n",
		"usr/bin/small":                     "program\n",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(root, "usr/bin/small"), 0o755|os.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	deb := filepath.Join(cache, "small.deb")
	if out, err := exec.CommandContext(t.Context(), "dpkg-deb", "--root-owner-group", "--build", root,
		deb).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	data, err := os.ReadFile(deb)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:])
	base := Base{Cache: cache, Pins: "amd64 small 1-2 " + hash + "\n"}
	if err := os.Rename(deb, base.path(Package{SHA256: hash})); err != nil {
		t.Fatal(err)
	}
	tree, err := base.Tree(t.Context(), "amd64")
	if err != nil {
		t.Fatal(err)
	}
	if got := string(tree[certificates].Data); got != "first\nsecond\n" {
		t.Errorf("certificates: %q", got)
	}
	if got := string(tree["var/lib/dpkg/status.d/small"].Data); !strings.Contains(got, "Version: 1-2\n") ||
		!strings.Contains(got, "SHA256: "+hash) {
		t.Errorf("status: %q", got)
	}
	if mode := tree["usr/bin/small"].Mode; mode != 0o755 {
		t.Errorf("the program has the mode %o, want 755", mode)
	}
	for _, name := range []string{"usr/share/doc/small/changelog", "usr/share/man/man1/small.1",
		"usr/share/ca-certificates/a/A.crt"} {
		if _, exists := tree[name]; exists {
			t.Errorf("%s is in the image", name)
		}
	}
	collision(t, tree)
}

// collision checks that two packages with one file are an error.
func collision(t *testing.T, tree layer.Tree) {
	t.Helper()
	var other bytes.Buffer
	w := tar.NewWriter(&other)
	if err := w.WriteHeader(&tar.Header{Name: "./usr/bin/small", Mode: 0o755, Size: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := tree.Read(&other, wanted); err == nil ||
		!strings.Contains(err.Error(), "two different files are named usr/bin/small") {
		t.Error(err)
	}
}
