package openapigen_test

import (
	"encoding/json"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/flux-framework/flux-operator/internal/golden"
	"github.com/flux-framework/flux-operator/internal/openapigen"
)

// TestTemplates runs testdata/templates/*.txtar: the files are those of a folder of templates for
// the generator go, "config.json" is its configuration, and "error" what is said of it.
func TestTemplates(t *testing.T) {
	golden.Each(t, "templates/*.txtar", func(t *testing.T, c *golden.Case) {
		dir := t.TempDir()
		job := job("go", "go", filepath.Join(dir, "templates"))
		job.Root = dir
		for _, f := range c.Files {
			switch f.Name {
			case "error":
			case "config.json":
				if err := json.Unmarshal(f.Data, &job.Config); err != nil {
					t.Fatal(err)
				}
			default:
				golden.Write(t, job.Templates, f.Name, f.Data)
			}
		}
		jar := fakeJar(t, "for config; do :; done; echo x > $(dirname $config)/out/f")
		_, err := jar.Run(t.Context(), slog.New(slog.DiscardHandler), t.TempDir(), []openapigen.Job{job})
		said := ""
		if err != nil {
			said = err.Error() + "\n"
		}
		c.Want(t, "error", said)
	})
}
