package python_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestStyle: ruff has nothing to change in the SDKs of this repository, their overlays included.
func TestStyle(t *testing.T) {
	var dirs []string
	for _, glob := range []string{"sdk/python/*", "examples/operators/*/sdk/python"} {
		found, err := filepath.Glob(filepath.Join(testkit.Repository, filepath.FromSlash(glob)))
		if err != nil || len(found) == 0 {
			t.Fatalf("no SDKs in %s: %v", glob, err)
		}
		dirs = append(dirs, found...)
	}
	for _, dir := range dirs {
		t.Run(dir, func(t *testing.T) {
			copied := filepath.Join(t.TempDir(), "sdk")
			if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			testkit.Ruff(t, copied)
		})
	}
}
