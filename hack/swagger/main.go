// Command swagger prints swagger.json of an API version from its compiled OpenAPI definitions:
//
//	go run -C hack/swagger . v1alpha1
package main

import (
	"context"
	"log"
	"os"

	"github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/sdkgen/swagger"
)

var versions = map[string]swagger.GetDefinitions{"v1alpha1": v1alpha1.GetOpenAPIDefinitions}

func main() {
	if len(os.Args) != 2 || versions[os.Args[1]] == nil {
		log.Fatal("usage: go run -C hack/swagger . v1alpha1")
	}
	pkg := swagger.Package{Dir: "../../api/" + os.Args[1], Title: "flux-operator"}
	doc, err := swagger.Build(context.Background(), pkg, versions[os.Args[1]])
	if err == nil {
		err = swagger.Write(os.Stdout, doc)
	}
	if err != nil {
		log.Fatal(err)
	}
}
