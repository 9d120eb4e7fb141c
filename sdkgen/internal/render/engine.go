// Package engine is what the two engines share that make an SDK of a document and templates: the
// jobs that they are given, the checks of the templates, and the files that they return.
package render

import (
	"fmt"
	"go/format"
	"io/fs"
	"path"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// The generators of openapi-generator, by its names.
const (
	Python = "python-legacy"
	Go     = "go"
)

// Job is one SDK of one API version.
type Job struct {
	Stage     string         // origin of the files
	Name      string         // a directory name of its own among the jobs
	Generator string         // Python or Go
	Spec      []byte         // the document, with what the templates print in vendor extensions
	Options   map[string]any // options of the generator, openapi-generator's -c
	Templates fs.FS          // the templates; nil for openapi-generator's own
	Called    string         // name of Templates' directory in messages
	Printed   []string       // names in the vendor extensions that the templates may use
}

// Package is the name of the SDK's package; dots in one of Python separate it from those that it is in.
func (job Job) Package() string {
	name, _ := job.Options["packageName"].(string)
	return name
}

// PackageDir is the directory of the SDK's package, below the SDK's.
func (job Job) PackageDir() string { return strings.ReplaceAll(job.Package(), ".", "/") }

// Put adds a file to those of the job; its path is relative to the SDK's directory. Go is formatted:
// templates cannot align.
func (job Job) Put(set *artifact.Set, name string, data []byte) error {
	if path.Ext(name) == ".go" {
		formatted, err := format.Source(data)
		if err != nil {
			return diag.List{{Rule: rule, Message: fmt.Sprintf("the generator %s made Go that does not parse: %s:%v", job.Generator, name, err),
				Hint: "correct the templates; `sdkgen generate -v` prints what the generator is run with"}}
		}
		data = formatted
	}
	return set.Put(artifact.File{Path: name, Data: data, Origin: job.Stage})
}
