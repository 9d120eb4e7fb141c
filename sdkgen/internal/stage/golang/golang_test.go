package golang_test

import (
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/golang"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestAnnotate runs testdata/*.txtar, as testkit.Annotations says.
func TestAnnotate(t *testing.T) {
	testkit.Annotations(t, annotate)
}

// annotate returns an API as the templates see it.
func annotate(api *model.API) (render.API, error) { return golang.Annotate(api) }

// TestCheckPackage tells names that Go imports from those that it does not.
func TestCheckPackage(t *testing.T) {
	for _, name := range []string{"example", "flux_operator", "v1", "Example"} {
		if err := golang.CheckPackage(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"", "_", "a-b", "a/b", "1a", "func", "main", "example_test", "a b", "a\n"} {
		if golang.CheckPackage(name) == nil {
			t.Errorf("%q is taken", name)
		}
	}
}
