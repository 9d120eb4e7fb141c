package pysdk_test

import (
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/document"
	"github.com/flux-framework/flux-operator/sdkgen/internal/pysdk"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestAnnotate runs testdata/*.txtar, as testkit.Annotations says.
func TestAnnotate(t *testing.T) {
	testkit.Annotations(t, pysdk.Extension, annotate)
}

// annotate returns the document as the jar gets it.
func annotate(data []byte) ([]byte, error) {
	api, err := document.Read(data)
	if err != nil {
		return nil, err
	}
	return pysdk.Annotate(api)
}
