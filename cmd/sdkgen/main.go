// Command sdkgen turns the tagged Go API types of a Kubernetes operator into deepcopy code,
// CRDs, OpenAPI definitions, swagger.json, a Python SDK and Go clients.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }
