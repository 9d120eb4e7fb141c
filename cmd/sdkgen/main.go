// Command sdkgen turns the tagged Go API types of a Kubernetes operator into deepcopy code,
// CRDs, OpenAPI definitions, swagger.json, a Python SDK and Go clients.
package main

import (
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

func main() {
	collectLess(os.Environ())
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// collectLess has the garbage collector wait until the heap has grown fourfold: a run is short, and keeps
// most of what it makes. GOGC, where it is set, decides instead; GOMEMLIMIT holds beside it.
func collectLess(environ []string) {
	if !slices.ContainsFunc(environ, func(entry string) bool { return strings.HasPrefix(entry, "GOGC=") }) {
		debug.SetGCPercent(300)
	}
}
