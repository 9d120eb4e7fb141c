package render

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/render/mustache"
)

// Options are the generator's options that are variables of all templates and nothing else.
var Options = []string{
	"packageName", "packageVersion", "packageUrl", "projectName", "hideGenerationTimestamp",
	"gitHost", "gitUserId", "gitRepoId", "infoEmail", "infoName", "infoUrl", "licenseInfo", "licenseUrl",
}

// defaulted are options for which openapi-generator has a default.
var defaulted = []string{"packageName", "packageVersion", "projectName", "gitHost", "gitUserId", "gitRepoId"}

// object is a JSON object that templates are rendered over.
type object = map[string]any

// view is what the templates see of a job.
type view struct {
	options object
	info    object
	models  []object // by name
	apis    []object // by tag
}

func newView(job Job, layout layout) *view {
	out := &view{options: object{}, apis: apis(job.API, layout), info: object{
		"title": job.API.Title, "version": job.API.Version, "extensions": extensions(job.API.Extension, job.API.Value),
	}}
	for _, name := range Options {
		if value, ok := job.Options[name]; ok {
			out.options[name] = value
		}
	}
	for _, model := range job.API.Models {
		out.models = append(out.models, object{
			"classname": model.Name, "classFilename": layout.modelFile(model.Name),
			"vendorExtensions": extensions(job.API.Extension, model.Value),
		})
	}
	return out
}

// apis returns the classes of operations, one for each tag.
func apis(api API, layout layout) []object {
	byTag := map[string][]Operation{}
	for _, op := range api.Operations {
		byTag[op.Tag] = append(byTag[op.Tag], op)
	}
	byName := func(a, b string) int { return cmp.Compare(layout.tag(a), layout.tag(b)) }
	var out []object
	for _, tag := range slices.SortedFunc(maps.Keys(byTag), byName) {
		slices.SortFunc(byTag[tag], func(a, b Operation) int { return cmp.Compare(layout.id(a.ID), layout.id(b.ID)) })
		var operations []any
		for _, op := range byTag[tag] {
			operations = append(operations, object{
				"operationId": layout.id(op.ID), "vendorExtensions": extensions(api.Extension, op.Value),
			})
		}
		class := camel(layout.tag(tag)) + "Api"
		out = append(out, object{
			"classname": class, "classFilename": layout.apiFile(layout.tag(tag)),
			"operations": object{"classname": class, "operation": operations},
		})
	}
	return out
}

// extensions returns the vendor extensions of an object.
func extensions(name string, value any) object {
	if value == nil {
		return object{}
	}
	return object{name: plain(reflect.ValueOf(value))}
}

// plain converts structs to objects, by the names of their fields in JSON, and slices to lists.
func plain(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return plain(v.Elem())
	case reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = plain(v.Index(i))
		}
		return list
	case reflect.Struct:
		out := make(object, v.NumField())
		for field, value := range v.Fields() {
			name, option, _ := strings.Cut(field.Tag.Get("json"), ",")
			empty := value.IsZero() || value.Kind() == reflect.Slice && value.Len() == 0
			if option != "omitempty" || !empty {
				out[name] = plain(value)
			}
		}
		return out
	default:
		return v.Interface()
	}
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

// Variables returns the variables of the templates of a model, of a class of operations, and of a file that is made
// once.
func (job Job) Variables() [3]mustache.Scope {
	options := mustache.Scope{}
	for _, name := range Options {
		if _, ok := job.Options[name]; ok || !slices.Contains(defaulted, name) {
			options[name] = nil
		}
	}
	with := func(variables mustache.Scope) mustache.Scope {
		scope := maps.Clone(options)
		maps.Copy(scope, variables)
		return scope
	}
	extension := func(values mustache.Scope) mustache.Scope { return mustache.Scope{job.API.Extension: values} }
	model := mustache.Scope{"models": {"model": {
		"classname": nil, "classFilename": nil, "vendorExtensions": extension(job.API.Scopes.Model),
	}}}
	operation := mustache.Scope{"operationId": nil, "vendorExtensions": extension(job.API.Scopes.Operation)}
	api := mustache.Scope{
		"classname": nil, "classFilename": nil, "operations": {"classname": nil, "operation": operation},
	}
	info := mustache.Scope{"title": nil, "version": nil, "extensions": extension(job.API.Scopes.Info)}
	whole := mustache.Scope{"models": model["models"], "apiInfo": {"apis": api}, "openAPI": {"info": info}}
	return [3]mustache.Scope{with(model), with(api), with(whole)}
}
