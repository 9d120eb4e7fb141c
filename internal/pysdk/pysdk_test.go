package pysdk_test

import (
	"testing"

	"github.com/flux-framework/flux-operator/internal/golden"
	"github.com/flux-framework/flux-operator/internal/pysdk"
	"github.com/flux-framework/flux-operator/internal/swagger"
)

// TestAnnotate runs testdata/*.txtar, as golden.Annotations says.
func TestAnnotate(t *testing.T) {
	golden.Annotations(t, pysdk.Extension, annotate)
}

// annotate returns the document as the jar gets it.
func annotate(document []byte) ([]byte, error) {
	doc, err := swagger.Decode(document)
	if err != nil {
		return nil, err
	}
	out, err := pysdk.Annotate(doc)
	if err != nil {
		return nil, err
	}
	return swagger.Encode(out)
}
