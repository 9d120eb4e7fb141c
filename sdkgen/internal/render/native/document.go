package native

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
)

// Options are the generator's options that are variables of all templates and nothing else.
var Options = []string{
	"packageName", "packageVersion", "packageUrl", "projectName", "hideGenerationTimestamp",
	"gitHost", "gitUserId", "gitRepoId", "infoEmail", "infoName", "infoUrl", "licenseInfo", "licenseUrl",
}

// Variables are openapi-generator's that the engine has beside options and what vendor extensions print.
var Variables = []string{
	"models", "model", "classname", "classFilename", "vendorExtensions",
	"apiInfo", "apis", "operations", "operation", "operationId",
	"openAPI", "info", "title", "version", "extensions",
	"this", "-first", "-last", "-index",
}

// object is a JSON object that templates are rendered over.
type object = map[string]any

// view is what the templates see of a document.
type view struct {
	options object
	info    object
	models  []object // by name
	apis    []object // by tag
}

// spec is the part of Swagger that sdkgen's documents for the engines have.
type spec struct {
	Info        object
	Definitions map[string]object
	Paths       map[string]map[string]operation
}

type operation struct {
	Tags        []string
	OperationID string
	extensions  object
}

func (o *operation) UnmarshalJSON(data []byte) error {
	type plain operation
	if err := decode(data, &o.extensions); err != nil {
		return err
	}
	return decode(data, (*plain)(o))
}

// read goes through the job's document.
func read(job render.Job, layout layout) (*view, error) {
	var in spec
	if err := decode(job.Spec, &in); err != nil {
		return nil, err
	}
	out := &view{options: object{}, info: object{"extensions": extensions(in.Info)}}
	maps.Copy(out.info, in.Info)
	for _, name := range Options {
		if value, ok := job.Options[name]; ok {
			out.options[name] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(in.Definitions)) {
		out.models = append(out.models, object{
			"classname": name, "classFilename": layout.modelFile(name), "vendorExtensions": extensions(in.Definitions[name]),
		})
	}
	out.apis = in.apis(layout)
	return out, nil
}

// apis returns the classes of operations, one for each tag.
func (s *spec) apis(layout layout) []object {
	byTag := map[string][]operation{}
	for _, path := range s.Paths {
		for _, op := range path {
			for _, tag := range op.Tags {
				byTag[tag] = append(byTag[tag], op)
			}
		}
	}
	var apis []object
	for _, tag := range slices.SortedFunc(maps.Keys(byTag), func(a, b string) int { return strings.Compare(layout.tag(a), layout.tag(b)) }) {
		all := byTag[tag]
		slices.SortFunc(all, func(a, b operation) int {
			return strings.Compare(layout.id(a.OperationID), layout.id(b.OperationID))
		})
		var printed []any
		for _, op := range all {
			printed = append(printed, object{"operationId": op.OperationID, "vendorExtensions": extensions(op.extensions)})
		}
		class := camel(layout.tag(tag)) + "Api"
		apis = append(apis, object{
			"classname": class, "classFilename": layout.apiFile(layout.tag(tag)),
			"operations": object{"classname": class, "operation": printed},
		})
	}
	return apis
}

// extensions returns the vendor extensions of an object.
func extensions(of object) object {
	found := object{}
	for name, value := range of {
		if strings.HasPrefix(name, "x-") {
			found[name] = value
		}
	}
	return found
}

// with returns the options and the variables of one file.
func (v *view) with(variables object) object {
	data := maps.Clone(v.options)
	maps.Copy(data, variables)
	return data
}

// whole returns the variables of a file that is made once.
func (v *view) whole() object {
	var models, apis []any
	for _, model := range v.models {
		models = append(models, object{"model": model})
	}
	for _, api := range v.apis {
		apis = append(apis, api)
	}
	return v.with(object{"models": models, "apiInfo": object{"apis": apis}, "openAPI": object{"info": v.info}})
}

// decode reads JSON as templates are rendered over it.
func decode(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return dec.Decode(into)
}
