package golang_test

import (
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/golang"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/python"
)

// TestRuntime: a package gets the runtime in its own directory and under its own name.
func TestRuntime(t *testing.T) {
	p := &stage.Project{Config: &config.Config{}}
	for _, c := range []struct {
		sdk       *stage.SDK
		path, has string
	}{
		{python.New(p), "sample/_model.py", "class Model("},
		{python.New(p), "sample/py.typed", ""},
		{golang.New(p), "rest.go", "\npackage sample\n"},
	} {
		files, err := c.sdk.Language.Runtime("sample")
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, file := range files {
			found = found || file.Path == c.path && strings.Contains(string(file.Data), c.has)
		}
		if !found {
			t.Errorf("%s: there is no %s with %q", c.sdk.Language.Stage, c.path, c.has)
		}
	}
}
