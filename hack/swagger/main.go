// Command swagger prints swagger.json of an API version from the OpenAPI definitions that are
// compiled into it. `make swagger` writes the same bytes without compiling the API.
//
//	go run -C hack/swagger . v1alpha1
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/sdkgen/swagger"
)

// versions are the API versions with their compiled definitions.
var versions = map[string]swagger.GetDefinitions{"v1alpha1": v1alpha1.GetOpenAPIDefinitions}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "swagger:", err)
		os.Exit(2)
	}
}

func run(args []string, stdout io.Writer) error {
	if len(args) != 1 || versions[args[0]] == nil {
		return fmt.Errorf("usage: go run -C hack/swagger . v1alpha1")
	}
	pkg := swagger.Package{Root: "../..", Path: "api/" + args[0], Title: "flux-operator"}
	doc, err := swagger.Build(context.Background(), pkg, versions[args[0]])
	if err != nil {
		return err
	}
	return swagger.Write(stdout, doc)
}
