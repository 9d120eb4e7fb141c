package native_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render/native"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/golang"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/python"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// Names of definitions, of tags and of operations that the generators spell in files' names and classes.
var (
	definitions = []string{
		"A", "Widget", "HTTPRoute", "IPAddress", "FooURLs", "V1Foo2Bar", "X509Cert", "Windows", "FooTest", "FooLinux", "FooAmd64",
		"FooArm", "Foo386", "FooMips64le", "FooPlan9", "FooUnix", "FooWasm", "FooJs", "FooIllumos", "FooAix", "FooS390x", "Test", "MyAPIList", "JSONSchemaProps",
	}
	tags       = []string{"fluxFrameworkOrg_v1alpha1", "xK8sIo_v1", "core_v1", "_3scaleNet_v1beta1", "aB_v2", "WidgetTest", "Linux", "acmeCertManagerIo_v1", "x-y.z_v1"}
	operations = []string{"listThing", "createThing", "readThingStatus", "readThing", "listHTTPRoute", "listHttp2", "list3D", "a", "B"}
)

// document has all of them, with an extension that says where it is.
func document(t *testing.T) []byte {
	t.Helper()
	type object = map[string]any
	models, paths := object{}, object{}
	for _, name := range definitions {
		models[name] = object{"type": "object", "x-test": object{"mark": "<" + name + ">"}, "properties": object{"none": object{"type": "string"}}}
	}
	for i, tag := range tags {
		for _, id := range operations {
			paths["/"+tag+"/"+id] = object{"get": object{
				"operationId": fmt.Sprint(id, i), "tags": []string{tag}, "x-test": object{"mark": tag + "&" + id},
				"responses": object{"200": object{"description": "OK"}},
			}}
		}
	}
	data, err := json.Marshal(object{
		"swagger": "2.0", "info": object{"title": "a <title>", "version": "v1", "x-test": object{"mark": "'info'"}}, "definitions": models, "paths": paths,
	})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestNames makes files of both languages of templates that print all that the engine has of its own, with
// both engines.
func TestNames(t *testing.T) {
	const (
		model = "{{#models}}{{#model}}{{classname}} {{classFilename}} {{vendorExtensions.x-test.mark}}{{/model}}{{/models}} {{packageVersion}}"
		api   = "{{#operations}}{{classname}}{{#operation}} {{vendorExtensions.x-test.mark}}{{/operation}}{{/operations}} {{classname}} {{classFilename}}"
		whole = "{{#models}}{{#model}}{{classname}} {{classFilename}}\n{{/model}}{{/models}}{{#apiInfo}}{{#apis}}{{classname}} {{classFilename}}{{#operations}}{{classname}}{{/operations}}\n{{/apis}}{{/apiInfo}}" +
			"{{packageName}} {{packageUrl}} {{projectName}} {{openAPI.info.title}} {{openAPI.info.version}} {{{openAPI.info.extensions.x-test.mark}}}"
	)
	pythonFS, golangFS := fstest.MapFS{}, fstest.MapFS{}
	for name, text := range map[string]string{
		"model": model, "model_doc": model, "model_test": model, "api": api, "__init__package": whole, "__init__model": whole, "__init__api": whole,
		"package/x.py": whole, "project/docs.md": whole,
	} {
		pythonFS[name+".mustache"] = &fstest.MapFile{Data: []byte(text)}
	}
	for name, text := range map[string]string{"model": model, "api": api, "package/x.go": strings.ReplaceAll(whole, "\n", " "), "project/docs.md": whole} {
		if !strings.HasSuffix(name, ".md") {
			text = "package made\n\n// " + text
		}
		golangFS[name+".mustache"] = &fstest.MapFile{Data: []byte(text)}
	}
	jobs := []render.Job{
		{Stage: "python", Name: "python", Generator: render.Python, Templates: pythonFS, Options: python.Options()},
		{Stage: "go", Name: "go", Generator: render.Go, Templates: golangFS, Options: golang.Options()},
	}
	for i := range jobs {
		jobs[i].Spec, jobs[i].Printed = document(t), []string{"x-test", "mark"}
		for name, value := range map[string]any{"packageName": "made", "packageVersion": "1.2.3", "packageUrl": "https://example.org/?a=b", "projectName": "p q", "hideGenerationTimestamp": true} {
			jobs[i].Options[name] = value
		}
	}
	for i, set := range testkit.Render(t, jobs) {
		if set.Len() < len(definitions)+len(tags) {
			t.Errorf("%s: %d files", jobs[i].Name, set.Len())
		}
	}
}

// TestMissing: a variable that only openapi-generator has, in a partial, and an unknown generator.
func TestMissing(t *testing.T) {
	templates := fstest.MapFS{}
	for name, text := range map[string]string{"model": "package made\n{{#models}}{{>inner}}{{/models}}", "api": "package made", "inner": "\n {{#model}}{{vendorExtensions.x-test.vars}}{{/model}}"} {
		templates[name+".mustache"] = &fstest.MapFile{Data: []byte(text)}
	}
	job := render.Job{Generator: render.Go, Spec: document(t), Templates: templates, Called: "mine", Printed: []string{"x-test", "mark"}}
	_, err := native.Run(t.Context(), []render.Job{job})
	if want := "mine/inner.mustache:2:12: the engine native has no variable vars (template)"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v\nwant %s", err, want)
	}
	job.Generator = "cobol"
	if _, err := native.Run(t.Context(), []render.Job{job}); err == nil || err.Error() != "the native engine has no generator cobol" {
		t.Error(err)
	}
}

// TestDocumented: docs/templates.md names every variable.
func TestDocumented(t *testing.T) {
	page := string(testkit.Read(t, testkit.Repository+"/docs/templates.md"))
	names := slices.Concat(native.Options, native.Variables, python.Printed(), golang.Printed())
	if len(names) < 80 {
		t.Errorf("%d names", len(names))
	}
	for _, name := range names {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("docs/templates.md does not name %s", name)
		}
	}
}
