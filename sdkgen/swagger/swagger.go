// Package swagger turns the OpenAPI definitions of a Kubernetes API package into a flattened
// swagger.json that tells the truth: every reference resolves, Kubernetes' own types have the
// names of the official Python client, defaults and validation are those that the markers
// declare, and the paths are those that the API server publishes for the kinds.
//
// It is the library behind a project's hack/swagger: a program that compiles the API package in
// and hands its definitions, as openapi-gen writes them, to Build.
//
//	doc, err := swagger.Build(ctx, swagger.Package{Path: "api/v1alpha1"}, v1alpha1.GetOpenAPIDefinitions)
//	...
//	err = swagger.Write(os.Stdout, doc)
//
// The definitions have neither markers nor kinds, so Build reads the package's source as well; it
// needs the go command. `sdkgen swagger` gives the same bytes without compiling the package.
package swagger

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/go-openapi/spec"
	"k8s.io/kube-openapi/pkg/common"

	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/pipeline"
	"github.com/flux-framework/flux-operator/sdkgen/internal/swagger"
)

// Package is an API package, and how its document is to be titled and named.
type Package struct {
	// Root is the directory of the project's go.mod; "" is the working directory.
	Root string
	// Path is the package's directory below Root, with slashes, such as "api/v1alpha1".
	Path string
	// Title is the document's; "" is the name of the directory above the package.
	Title string
	// Names are definitions' names by Go type, such as "k8s.io/api/batch/v1.JobSpec": "V1JobSpec",
	// where the name that the rules give is not wanted.
	Names map[string]string
}

// GetDefinitions is the type of GetOpenAPIDefinitions, which openapi-gen writes.
type GetDefinitions func(common.ReferenceCallback) map[string]common.OpenAPIDefinition

// Build returns the document of pkg from its compiled definitions. Errors about the types or their
// markers name the file, line and column, and what to write.
func Build(ctx context.Context, pkg Package, get GetDefinitions) (*spec.Swagger, error) {
	root, err := filepath.Abs(pkg.Root)
	if err != nil {
		return nil, err
	}
	data, err := pipeline.Document(ctx, pipeline.Environment{
		Root: root, Environ: os.Environ(), TempDir: os.TempDir(), Log: slog.New(slog.DiscardHandler),
	}, &config.Config{
		APIs:    []config.API{{Path: pkg.Path}},
		Swagger: config.Swagger{Title: pkg.Title, Names: pkg.Names},
	}, get(swagger.Ref))
	if err != nil {
		return nil, err
	}
	return swagger.Decode(data)
}

// Write writes the document as swagger.json: indented, with sorted keys and a final newline.
func Write(w io.Writer, doc *spec.Swagger) error {
	data, err := swagger.Encode(doc)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}
