package jar_test

import (
	"encoding/json"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestFolders checks where the files of the package and project directories go, and that a configuration which
// names kinds of files does not leave them out.
func TestFolders(t *testing.T) {
	for _, c := range []struct {
		generator string
		given     map[string]any
		dir       string
		made      any
	}{
		{"go", nil, "", nil},
		{"go", map[string]any{"models": ""}, "", "extra.go,NOTES"},
		{"go", map[string]any{"supportingFiles": ""}, "", ""},
		{"python-legacy", map[string]any{"supportingFiles": "x.py"}, "made", "x.py,extra.go,NOTES"},
	} {
		scratch, dir := t.TempDir(), t.TempDir()
		testkit.Write(t, dir, "package/extra.go.mustache", []byte("package {{packageName}}\n"))
		testkit.Write(t, dir, "project/NOTES.mustache", []byte("{{packageName}}\n"))
		job := job("sdk", c.generator, dir)
		if c.given != nil {
			job.Options["globalProperties"] = c.given
		}
		jar := fakeJar(t, "for config; do :; done; echo x > $(dirname $config)/out/f")
		if _, err := jar.Run(t.Context(), slog.New(slog.DiscardHandler), scratch, []render.Job{job}); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Files            map[string]struct{ Folder, DestinationFilename string }
			GlobalProperties map[string]any
		}
		if err := json.Unmarshal(testkit.Read(t, filepath.Join(scratch, "sdk/config.json")), &got); err != nil {
			t.Fatal(err)
		}
		file := got.Files["package/extra.go.mustache"]
		if file.Folder != c.dir || file.DestinationFilename != "extra.go" ||
			got.GlobalProperties["supportingFiles"] != c.made {
			t.Errorf("%+v: %+v", c, got)
		}
		if notes := got.Files["project/NOTES.mustache"]; notes.Folder != "" || notes.DestinationFilename != "NOTES" {
			t.Errorf("%+v: %+v", c, notes)
		}
	}
}
