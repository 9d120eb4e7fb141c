package config_test

import (
	"os"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/internal/config"
)

// TestReadme parses the sample that the README shows.
func TestReadme(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(data), "sample of sdkgen.yaml, begin")
	_, rest, fenced := strings.Cut(rest, "```yaml\n")
	sample, _, closed := strings.Cut(rest, "```")
	if !found || !fenced || !closed {
		t.Fatal("the README has no sample of sdkgen.yaml")
	}
	cfg, err := config.Parse("README.md", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Python == nil || cfg.Go == nil || cfg.CRD == nil || cfg.Clients == nil {
		t.Error("the sample leaves out a section")
	}
}
