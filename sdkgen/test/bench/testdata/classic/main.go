// Command classic is the swagger program of the classic recipe, as operators keep one in
// hack/: it is compiled against the API package, asks the generated GetOpenAPIDefinitions
// for its definitions, renames them by string replacement and prints swagger.json. It is
// here for comparison only: nothing of the project is made with it, and what it prints is
// not right (defaults of the zero value, references to definitions that are not there).
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/flux-framework/flux-operator/api/v1alpha1"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) != 1 {
		fmt.Fprintln(stderr, "usage: classic VERSION")
		return 2
	}
	document, err := json.MarshalIndent(swagger(args[0]), "", "  ")
	if err == nil {
		_, err = fmt.Fprintln(stdout, string(document))
	}
	if err != nil {
		fmt.Fprintln(stderr, "classic:", err)
		return 2
	}
	return 0
}

func swagger(version string) *spec.Swagger {
	compiled := v1alpha1.GetOpenAPIDefinitions(func(name string) spec.Ref {
		return spec.MustCreateRef("#/definitions/" + common.EscapeJsonPointer(shorten(name)))
	})
	definitions := spec.Definitions{}
	for name, definition := range compiled {
		definitions[shorten(name)] = definition.Schema
	}
	return &spec.Swagger{SwaggerProps: spec.SwaggerProps{
		Swagger:     "2.0",
		Info:        &spec.Info{InfoProps: spec.InfoProps{Title: "fluxoperator", Description: "Python SDK for Flux-Operator", Version: version}},
		Paths:       &spec.Paths{Paths: map[string]spec.PathItem{}},
		Definitions: definitions,
	}}
}

// shorten is the classic renaming: replace what is known, leave the rest as it is.
func shorten(name string) string {
	for _, pair := range [][2]string{
		{"github.com/flux-framework/flux-operator/api/v1alpha1.", ""},
		{"./api/v1alpha1.", ""},
		{"k8s.io/apimachinery/pkg/apis/meta/v1.Condition", "v1Condition"},
		{"k8s.io/apimachinery/pkg/apis/meta/v1.ListMeta", "v1ListMeta"},
		{"k8s.io/apimachinery/pkg/apis/meta/v1.ObjectMeta", "v1ObjectMeta"},
		{"k8s.io/apimachinery/pkg/util/intstr.", ""},
	} {
		name = strings.ReplaceAll(name, pair[0], pair[1])
	}
	return name
}
