package model

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/go-openapi/spec"

	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/swagger"
)

// Annotated is a document for openapi-generator. It names definitions and operations, and has what the
// templates print of each as a vendor extension; the generator sees no field, type or parameter.
type Annotated struct {
	doc             spec.Swagger
	extension       string
	unrepresentable Unrepresentables
}

// Annotate returns a document without definitions and operations, for one vendor extension.
func (a *API) Annotate(extension string) *Annotated {
	return &Annotated{extension: extension, doc: spec.Swagger{SwaggerProps: spec.SwaggerProps{
		Swagger:     "2.0",
		Info:        &spec.Info{InfoProps: spec.InfoProps{Title: a.Title, Version: a.Version}},
		Paths:       &spec.Paths{Paths: map[string]spec.PathItem{}},
		Definitions: spec.Definitions{},
	}}}
}

// Info sets what the templates of files beside the package print.
func (a *Annotated) Info(printed any) { a.doc.Info.AddExtension(a.extension, printed) }

// Definition adds a definition.
func (a *Annotated) Definition(name string, printed any) {
	// The generator makes no model of a definition without properties.
	properties := map[string]spec.Schema{"none": *spec.StringProperty()}
	schema := spec.Schema{SchemaProps: spec.SchemaProps{Type: spec.StringOrArray{"object"}, Properties: properties}}
	schema.AddExtension(a.extension, printed)
	a.doc.Definitions[name] = schema
}

// Operation adds an operation. Those of one tag are in one class and file.
func (a *Annotated) Operation(tag, id string, printed any) {
	op := spec.NewOperation(id).WithTags(tag).RespondsWith(200, spec.NewResponse().WithDescription("OK"))
	op.AddExtension(a.extension, printed)
	a.doc.Paths.Paths["/"+tag+"/"+id] = spec.PathItem{PathItemProps: spec.PathItemProps{Get: op}}
}

// Unrepresentable notes what the language cannot express of a definition, or of a field of it by its key.
func (a *Annotated) Unrepresentable(definition *Definition, field, hint, format string, args ...any) {
	a.unrepresentable = append(a.unrepresentable, Unrepresentable{definition, field, fmt.Sprintf(format, args...), hint})
}

// Encode returns the document as JSON, or Unrepresentables.
func (a *Annotated) Encode() ([]byte, error) {
	if len(a.unrepresentable) > 0 {
		return nil, a.unrepresentable
	}
	return swagger.Encode(&a.doc)
}

var (
	acronymEnd = regexp.MustCompile(`([A-Z]+)([A-Z][a-z][a-z]+)`)
	wordEnd    = regexp.MustCompile(`([a-z0-9])([A-Z])`)
)

// FileName returns how openapi-generator spells a definition's name in its files': FooURLs and FooUrls
// are both foo_urls.
func FileName(definition string) string {
	return strings.ToLower(wordEnd.ReplaceAllString(acronymEnd.ReplaceAllString(definition, "${1}_${2}"), "${1}_${2}"))
}
