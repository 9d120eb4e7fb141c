package config_test

import (
	"os"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
)

// TestReadme parses what the README shows of sdkgen.yaml: the least of it, and all sections.
func TestReadme(t *testing.T) {
	if cfg := shown(t, "least"); cfg.Python == nil || cfg.CRD == nil {
		t.Error("the least leaves out a section")
	}
	if cfg := shown(t, "sample"); cfg.Python == nil || cfg.Go == nil || cfg.CRD == nil || cfg.Clients == nil || cfg.Schemas == nil {
		t.Error("the sample leaves out a section")
	}
}

func shown(t *testing.T, name string) *config.Config {
	t.Helper()
	data, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(data), name+" of sdkgen.yaml, begin")
	_, rest, fenced := strings.Cut(rest, "```yaml\n")
	sample, _, closed := strings.Cut(rest, "```")
	if !found || !fenced || !closed {
		t.Fatalf("the README has no %s of sdkgen.yaml", name)
	}
	cfg, err := config.Parse("README.md", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}
