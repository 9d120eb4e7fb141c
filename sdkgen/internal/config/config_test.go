package config_test

import (
	"os"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestParse runs testdata/*.txtar: the file sdkgen.yaml is parsed, and "error" holds
// what the error prints; without one the configuration must be taken.
func TestParse(t *testing.T) {
	testkit.Each(t, "*.txtar", func(t *testing.T, c *testkit.Case) {
		c.Only(t, "sdkgen.yaml", "error")
		_, err := config.Parse("sdkgen.yaml", []byte(c.Part("sdkgen.yaml")))
		got := ""
		if err != nil {
			got = err.Error() + "\n"
		}
		c.Want(t, "error", got)
	})
}

func TestOwnConfig(t *testing.T) {
	data, err := os.ReadFile("../../../sdkgen.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Parse("sdkgen.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := config.Expand(cfg.Python.Dir, "flux", "v1"), "sdk/python/v1"; got != want {
		t.Errorf("python.dir of v1 is %q, want %q", got, want)
	}
}
