// Command sdkgen turns the tagged Go API types of a Kubernetes operator into deepcopy code,
// CRDs, OpenAPI definitions, swagger.json, a Python SDK and Go clients.
package main

import (
	"os"

	"github.com/flux-framework/flux-operator/sdkgen/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr))
}
