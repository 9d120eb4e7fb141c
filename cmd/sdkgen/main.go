// Command sdkgen turns the tagged Go API types of a Kubernetes operator into deepcopy code,
// CRDs, OpenAPI definitions, swagger.json, a Python SDK and Go clients.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
