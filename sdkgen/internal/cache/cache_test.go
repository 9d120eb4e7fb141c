package cache_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flux-framework/flux-operator/sdkgen/internal/cache"
)

// entries are the files of a cache, without its own.
func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	found, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range found {
		if entry.Name() != "trimmed" {
			names = append(names, filepath.Join(dir, entry.Name()))
		}
	}
	return names
}

func put(t *testing.T, c *cache.Cache, key, data string) {
	t.Helper()
	if err := c.Put(key, []byte(data)); err != nil {
		t.Fatal(err)
	}
}

func TestEntries(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "yet")
	c := cache.New(dir)
	if _, ok := c.Get("a"); ok {
		t.Error("there is something in a cache that was not written to")
	}
	put(t, c, "a", "one")
	put(t, c, "a", "two")
	put(t, c, "../b\n", "")
	for key, want := range map[string]string{"a": "two", "../b\n": ""} {
		if got, ok := cache.New(dir).Get(key); !ok || string(got) != want {
			t.Errorf("%q has %q, %t", key, got, ok)
		}
	}
	if _, ok := c.Get("b"); ok {
		t.Error("a key has what is another's")
	}
	if names := entries(t, dir); len(names) != 2 {
		t.Errorf("the entries are %q", names)
	}
}

// TestNone: a nil cache takes everything and has nothing.
func TestNone(t *testing.T) {
	var c *cache.Cache
	put(t, c, "a", "one")
	if _, ok := c.Get("a"); ok {
		t.Error("it has something")
	}
}

// TestDamage: an entry that was cut off, or changed, is none; another takes its place.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	c := cache.New(dir)
	put(t, c, "a", "a result")
	name := entries(t, dir)[0]
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range []string{"", "short", string(whole[:len(whole)-1]), string(whole) + ".", "X" + string(whole[1:]), string(whole[:len(whole)-1]) + "X"} {
		if err := os.WriteFile(name, []byte(damaged), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, ok := c.Get("a"); ok {
			t.Errorf("%q was taken for %q", damaged, got)
		}
	}
	put(t, c, "a", "a result")
	if got, ok := c.Get("a"); !ok || string(got) != "a result" {
		t.Errorf("it has %q, %t", got, ok)
	}
}

// TestUnwritable: what cannot be kept is an error, and no file is left.
func TestUnwritable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := cache.New(file).Put("a", nil); err == nil {
		t.Error("a file was taken for a directory")
	}
	dir := t.TempDir()
	c := cache.New(dir)
	put(t, c, "a", "")
	name := entries(t, dir)[0]
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(name, "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := c.Put("a", nil); err == nil {
		t.Error("a directory was replaced")
	}
	for _, name := range entries(t, dir) {
		if strings.Contains(name, "new-") {
			t.Errorf("%s is left", name)
		}
	}
}

// TestTrim: what nobody asked for in a long time goes, and a use counts.
func TestTrim(t *testing.T) {
	dir := t.TempDir()
	c := cache.New(dir)
	put(t, c, "old", "old")
	put(t, c, "used", "used")
	long := time.Now().Add(-15 * 24 * time.Hour)
	for _, name := range append(entries(t, dir), filepath.Join(dir, "trimmed")) {
		if err := os.Chtimes(name, long, long); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := c.Get("used"); !ok {
		t.Fatal("an entry went before it was looked for")
	}
	put(t, c, "new", "new")
	for key, want := range map[string]bool{"old": false, "used": true, "new": true} {
		if _, ok := c.Get(key); ok != want {
			t.Errorf("%s is there: %t", key, ok)
		}
	}
}
