// Package render renders the SDKs of an API from templates. Native does it in this process, as the generators
// python-legacy and go of openapi-generator 6.6.0 would; package jar runs openapi-generator itself. Both take the same
// jobs.
package render

import (
	"fmt"
	"go/format"
	"io/fs"
	"path"
	"reflect"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render/mustache"
)

// The generators of openapi-generator, by its names.
const (
	Python = "python-legacy"
	Go     = "go"
)

// Job is one SDK of one API version.
type Job struct {
	Stage     string         // origin of the files
	Name      string         // name of the job's directory, unique among the jobs
	Generator string         // Python or Go
	Document  []byte         // swagger.json, the input of openapi-generator; nil for one without definitions
	API       API            // variables that sdkgen adds to openapi-generator's
	Options   map[string]any // options of the generator, openapi-generator's -c
	Templates fs.FS          // the templates; nil for openapi-generator's own
	Called    string         // name of Templates' directory in messages
}

// API is an API as the templates see it, with the values that sdkgen's own print. Each value is a struct whose fields
// templates reach by their names in JSON; it is the vendor extension of that name.
type API struct {
	Extension      string // name of the vendor extension
	Title, Version string
	Value          any         // in the document's info
	Models         []Model     // definitions that the SDK has a model of, by name
	Operations     []Operation // operations of the SDK
	Scopes         Scopes      // variables in the values
}

// Model is a definition that the SDK has a model of.
type Model struct {
	Name  string
	Value any
}

// Operation is an operation in the class of its tag. One whose ID is not in the document is added to it.
type Operation struct {
	Tag, ID string
	Value   any // nil for an operation without the vendor extension
}

// Scopes are the variables in the values of an API, whether it has such values or not.
type Scopes struct{ Info, Model, Operation mustache.Scope }

// ScopeOf returns the names of the fields of structs in JSON, and the scopes of the fields.
func ScopeOf(types ...reflect.Type) mustache.Scope {
	var scope mustache.Scope
	for _, t := range types {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			continue
		}
		if scope == nil {
			scope = mustache.Scope{}
		}
		for field := range t.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			scope[name] = ScopeOf(field.Type)
		}
	}
	return scope
}

// Package is the name of the SDK's package. Dots separate a Python package from the packages that it is in.
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
			message := fmt.Sprintf("the generator %s made Go that does not parse: %s:%v", job.Generator, name, err)
			hint := "correct the templates; `sdkgen generate -v` prints what the generator is run with"
			return diag.List{{Rule: rule, Message: message, Hint: hint}}
		}
		data = formatted
	}
	return set.Put(artifact.File{Path: name, Data: data, Origin: job.Stage})
}
