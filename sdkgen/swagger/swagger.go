// Package swagger makes swagger.json from the OpenAPI definitions of a Kubernetes API package: one document
// that SDK generators can read.
//
// openapi-gen writes a function GetOpenAPIDefinitions beside the API's types. A project's hack/swagger is a
// program that hands it to [Build] and prints the document with [Write]:
//
//	func main() {
//		doc, err := swagger.Build(context.Background(), swagger.Package{Dir: "api/v1"}, v1.GetOpenAPIDefinitions)
//		if err == nil {
//			err = swagger.Write(os.Stdout, doc)
//		}
//		if err != nil {
//			log.Fatal(err)
//		}
//	}
//
// # The document
//
// Every $ref resolves inside the document, and it holds nothing that the kinds do not reach. Kubernetes' own
// types have the names that the official Python client gives them, such as V1ObjectMeta. Defaults, bounds and
// enums are those that the markers declare, not the zero values that openapi-gen adds. The paths are those
// that the API server publishes for the kinds.
//
// # The source
//
// Compiled definitions have no markers, so Build reads the package's source as well. It runs the go command
// for that, in the module of the package. `sdkgen swagger` prints the same bytes without compiling the package.
package swagger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"

	"github.com/go-openapi/spec"
	"k8s.io/kube-openapi/pkg/common"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/openapi"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/swagger"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
)

// Package says where the source of an API package is, and how its document names things.
type Package struct {
	// Dir is the directory of the package's source.
	Dir string
	// Title is the document's title; the name of the directory above the package if empty.
	Title string
	// Names are the definitions' names by Go type, such as "k8s.io/api/batch/v1.JobSpec": "V1JobSpec";
	// a type that is not in it gets its name by sdkgen's rules.
	Names map[string]string
}

// GetDefinitions is the type of the function GetOpenAPIDefinitions that openapi-gen writes.
type GetDefinitions func(common.ReferenceCallback) map[string]common.OpenAPIDefinition

// Build returns the document of pkg, whose compiled definitions get returns. An error in the types or their
// markers names file, line and column, as seen from the working directory, and says what to write.
func Build(ctx context.Context, pkg Package, get GetDefinitions) (*spec.Swagger, error) {
	root, path, err := locate(pkg.Dir)
	if err != nil {
		return nil, err
	}
	definitions := map[string]common.OpenAPIDefinition{} // not nil: only what is compiled in counts
	maps.Copy(definitions, get(openapi.Ref))
	env := stage.Environment{Root: root, Environ: os.Environ(), TempDir: os.TempDir(), Log: slog.New(slog.DiscardHandler)}
	doc, err := project.Document(ctx, env, &config.Config{
		APIs:    []config.API{{Path: filepath.ToSlash(path)}},
		Swagger: config.Swagger{Title: pkg.Title, Names: pkg.Names},
	}, definitions)
	if list, ok := errors.AsType[diag.List](err); ok {
		return nil, seenFrom(list, pkg.Dir, path)
	}
	return doc, err
}

// locate finds the module that holds a directory: its root, absolute, and the directory's path below it.
func locate(dir string) (root, path string, err error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return "", "", fmt.Errorf("locating the API package: %w", err)
	}
	for root = abs; ; root = filepath.Dir(root) {
		_, err := os.Stat(filepath.Join(root, "go.mod"))
		if err == nil {
			path, err = filepath.Rel(root, abs)
			return root, path, err
		}
		if !errors.Is(err, fs.ErrNotExist) || root == filepath.Dir(root) {
			return "", "", fmt.Errorf("locating the API package: there is no go.mod in %s or above it", dir)
		}
	}
}

// seenFrom returns the diagnostics with the names of files that the working directory has for them. They name
// files relative to the module's root, below which dir is path.
func seenFrom(list diag.List, dir, path string) diag.List {
	out := make(diag.List, 0, len(list))
	for _, d := range list {
		if name := d.Pos.Filename; name != "" && !filepath.IsAbs(name) {
			if rel, err := filepath.Rel(path, filepath.FromSlash(name)); err == nil {
				d.Pos.Filename = filepath.ToSlash(filepath.Join(dir, rel))
			}
		}
		out = append(out, d)
	}
	return out
}

// Write writes the document to w as swagger.json: indented, with sorted keys and a final newline.
func Write(w io.Writer, doc *spec.Swagger) error {
	data, err := swagger.Encode(doc)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}
