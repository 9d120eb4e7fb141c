package pipeline_test

import (
	"os"
	"sync"
	"testing"

	"github.com/go-openapi/spec"

	"github.com/flux-framework/flux-operator/sdkgen/internal/gosdk"
	"github.com/flux-framework/flux-operator/sdkgen/internal/pysdk"
	"github.com/flux-framework/flux-operator/sdkgen/internal/swagger"
)

// TestTogether prepares a document for both languages at the same time, often: they only read it, or
// the runtime ends the process.
func TestTogether(t *testing.T) {
	data, err := os.ReadFile("../../../api/v1alpha1/swagger.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := swagger.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	for range 50 {
		for _, annotate := range []func(*spec.Swagger) (*spec.Swagger, error){pysdk.Annotate, gosdk.Annotate} {
			work.Go(func() {
				if _, err := annotate(doc); err != nil {
					t.Error(err)
				}
			})
		}
	}
	work.Wait()
}
