package python_test

import (
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/python"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestAnnotate runs testdata/*.txtar, as testkit.Annotations says.
func TestAnnotate(t *testing.T) {
	testkit.Annotations(t, annotate)
}

// annotate returns an API as the templates see it.
func annotate(api *model.API) (render.API, error) { return python.Annotate(api) }
