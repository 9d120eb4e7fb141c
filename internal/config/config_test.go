package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/flux-framework/flux-operator/internal/config"
)

// TestParse runs testdata/*.txtar: the file sdkgen.yaml is parsed, and "error" holds
// what the error prints; without one the configuration must be taken.
func TestParse(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var input, want string
			for _, f := range archive.Files {
				switch f.Name {
				case "sdkgen.yaml":
					input = string(f.Data)
				case "error":
					want = string(f.Data)
				default:
					t.Fatalf("unknown file %q", f.Name)
				}
			}
			_, err = config.Parse("sdkgen.yaml", []byte(input))
			got := ""
			if err != nil {
				got = err.Error() + "\n"
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestOwnConfig(t *testing.T) {
	data, err := os.ReadFile("../../sdkgen.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Parse("sdkgen.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := cfg.Go.ForVersion("v1"), "sdk/go/fluxoperator"; got != want {
		t.Errorf("Go.ForVersion(v1) = %q, want %q", got, want)
	}
}
