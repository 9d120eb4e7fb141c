package swagger_test

import (
	"context"
	"fmt"
	"log"
	"maps"
	"slices"

	"github.com/flux-framework/flux-operator/sdkgen/swagger"
	v1 "github.com/flux-framework/flux-operator/sdkgen/swagger/testdata/queue/v1"
)

// Queue is a kind of testdata/queue/v1, whose field parallelism has a default marker.
func ExampleBuild() {
	doc, err := swagger.Build(context.Background(), swagger.Package{Dir: "testdata/queue/v1"}, v1.GetOpenAPIDefinitions)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("parallelism:", doc.Definitions["QueueSpec"].Properties["parallelism"].Default)
	fmt.Println("running:", doc.Definitions["QueueStatus"].Properties["running"].Default)
	for _, path := range slices.Sorted(maps.Keys(doc.Paths.Paths)) {
		fmt.Println(path)
	}
	// Output:
	// parallelism: 2
	// running: <nil>
	// /apis/example.org/v1/namespaces/{namespace}/queues
	// /apis/example.org/v1/namespaces/{namespace}/queues/{name}
	// /apis/example.org/v1/namespaces/{namespace}/queues/{name}/status
	// /apis/example.org/v1/queues
}
