package python_test

import (
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/python"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestAnnotate runs testdata/*.txtar, as testkit.Annotations says.
func TestAnnotate(t *testing.T) {
	testkit.Annotations(t, python.Extension, annotate)
}

// annotate returns the document as the jar gets it.
func annotate(data []byte) ([]byte, error) {
	api, err := model.Read(data)
	if err != nil {
		return nil, err
	}
	return python.Annotate(api)
}
