package render_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestTemplates runs testdata/templates/*.txtar: the files are those of a directory of templates for
// the generator go, which has two of its own; "config.json" is its configuration, and "error" what is
// said of it.
func TestTemplates(t *testing.T) {
	testkit.Each(t, "templates/*.txtar", func(t *testing.T, c *testkit.Case) {
		dir := filepath.Join(t.TempDir(), "templates")
		job := render.Job{Generator: render.Go, Templates: os.DirFS(dir), Called: "templates"}
		for _, f := range c.Files {
			switch f.Name {
			case "error":
			case "config.json":
				if err := json.Unmarshal(f.Data, &job.Options); err != nil {
					t.Fatal(err)
				}
			default:
				testkit.Write(t, dir, f.Name, f.Data)
			}
		}
		parsed, err := job.Parse()
		if err == nil {
			err = job.CheckUses(parsed, []string{"model.mustache", "partial_header.mustache"})
		}
		text := ""
		if err != nil {
			text = err.Error() + "\n"
		}
		c.Want(t, "error", text)
	})
}
