package templates_test

import (
	"io/fs"
	"os"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/templates"
)

// TestFS: every file in the directories of templates is there as it is, also where its name starts with
// an underscore.
func TestFS(t *testing.T) {
	for _, dir := range []string{templates.Python, templates.Go} {
		files := 0
		err := fs.WalkDir(os.DirFS("."), dir, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			files++
			want, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			if got, err := fs.ReadFile(templates.FS, name); err != nil || string(got) != string(want) {
				t.Errorf("%s differs from the one on disk: %v", name, err)
			}
			return nil
		})
		if err != nil || files == 0 {
			t.Errorf("%s: %d files, %v", dir, files, err)
		}
	}
}
