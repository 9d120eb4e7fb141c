package pysdk_test

import (
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/pysdk"
	"github.com/flux-framework/flux-operator/sdkgen/internal/swagger"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestAnnotate runs testdata/*.txtar, as testkit.Annotations says.
func TestAnnotate(t *testing.T) {
	testkit.Annotations(t, pysdk.Extension, annotate)
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
