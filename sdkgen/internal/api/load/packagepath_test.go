package load_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestRequireGo: the nearest go.mod counts, and one without a go directive is older than all.
func TestRequireGo(t *testing.T) {
	for _, c := range []struct{ root, sdk, want string }{
		{root: "module a\n\ngo 1.24\n"},
		{root: "module a\n\ngo 1.26.3\n"},
		{root: "module a\n\ngo 1.9\n", sdk: "module b\n\ngo 1.24.0\n"},
		{root: "module a\n\ngo 1.23.4\n",
			want: "go.mod:3:1: it needs Go 1.24, the go directive says 1.23.4 (load)\n    run `go get go@1.24`"},
		{root: "module a\n", want: "go.mod: it needs Go 1.24, the go directive says none (load)\n    run `go get go@1.24`"},
		{root: "module a\n\ngo 1.24\n", sdk: "module b\n\ngo 1.9\n",
			want: "sdk/go.mod:3:1: it needs Go 1.24, the go directive says 1.9 (load)\n    run `go get go@1.24` in sdk"},
	} {
		root := t.TempDir()
		testkit.Write(t, root, "go.mod", []byte(c.root))
		if c.sdk != "" {
			testkit.Write(t, root, "sdk/go.mod", []byte(c.sdk))
		}
		err := load.RequireGo(root, "sdk/go", "1.24", "it")
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q, %q: %s", c.root, c.sdk, got)
		}
	}
}

// TestPackagePath: the path is below that of the nearest module.
func TestPackagePath(t *testing.T) {
	root := t.TempDir()
	testkit.Write(t, root, "go.mod", []byte("module example.org/a\n"))
	testkit.Write(t, root, "sdk/go.mod", []byte("module example.org/b\n"))
	for dir, want := range map[string]string{"sdk/go": "example.org/b/go", "sdk": "example.org/b",
		"x/y": "example.org/a/x/y"} {
		if got, err := load.PackagePath(root, dir); got != want || err != nil {
			t.Errorf("%s: %s, %v", dir, got, err)
		}
	}
	if err := os.Remove(filepath.Join(root, "go.mod")); err != nil {
		t.Fatal(err)
	}
	if got, err := load.PackagePath(root, "x"); err == nil {
		t.Errorf("%s without a module", got)
	}
}
