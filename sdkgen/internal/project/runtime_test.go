package project

import (
	"bytes"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
)

// TestRuntimeFiles: a package gets the runtime in its own directory and under its own name, unless the
// project has templates of its own.
func TestRuntimeFiles(t *testing.T) {
	for _, c := range []struct {
		stage, templates, path, has string // path is "" where there are no files
	}{
		{PythonStage, "", "sample/_model.py", "class Model("},
		{PythonStage, "", "sample/py.typed", ""},
		{GoStage, "", "rest.go", "\npackage sample\n"},
		{PythonStage, "templates", "", ""},
		{GoStage, "templates", "", ""},
	} {
		s := &sdk{language: language{stage: c.stage}, cfg: &config.SDK{Templates: c.templates}}
		set, err := s.runtimeFiles("sample")
		if err != nil {
			t.Fatal(err)
		}
		file, ok := set.Lookup(c.path)
		if ok != (c.path != "") || ok != (set.Len() > 0) || !bytes.Contains(file.Data, []byte(c.has)) {
			t.Errorf("%+v: %d files, %t, %.60q", c, set.Len(), ok, file.Data)
		}
		if ok && file.Origin != c.stage {
			t.Errorf("%s is of the stage %q", file.Path, file.Origin)
		}
	}
}
