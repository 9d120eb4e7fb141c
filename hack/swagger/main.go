// Command swagger prints swagger.json of an API version, from the definitions that are compiled
// into it: the seed of what `sdkgen swagger` does without compiling. A test holds the two together.
//
//	go run ./hack/swagger v1alpha1
package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"

	"k8s.io/kube-openapi/pkg/common"

	"github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/internal/pipeline"
	"github.com/flux-framework/flux-operator/internal/swagger"
)

// versions are the API versions with their compiled definitions.
var versions = map[string]func(common.ReferenceCallback) map[string]common.OpenAPIDefinition{
	"v1alpha1": v1alpha1.GetOpenAPIDefinitions,
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "swagger:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	known := strings.Join(slices.Sorted(maps.Keys(versions)), ", ")
	if len(args) != 1 {
		return fmt.Errorf("name one API version: %s", known)
	}
	definitions, ok := versions[args[0]]
	if !ok {
		return fmt.Errorf("there is no API version %q: the versions are %s", args[0], known)
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	doc, err := pipeline.Document(context.Background(), pipeline.Environment{
		Root: root, Environ: os.Environ(), TempDir: os.TempDir(), Log: slog.New(slog.DiscardHandler),
	}, args[0], definitions(swagger.Ref))
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(doc)
	return err
}
