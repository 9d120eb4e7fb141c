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

// annotate returns a document's API as the templates see it.
func annotate(data []byte) (render.API, error) {
	api, err := model.Read(data)
	if err != nil {
		return render.API{}, err
	}
	return python.Annotate(api)
}
