package render_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render/mustache"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/golang"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/python"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// Names of definitions, of tags and of operations that the generators spell in files' names and classes.
var (
	definitions = []string{
		"A", "Widget", "HTTPRoute", "IPAddress", "FooURLs", "V1Foo2Bar", "X509Cert", "Windows", "FooTest", "FooLinux",
		"FooAmd64",
		"FooArm", "Foo386", "FooMips64le", "FooPlan9", "FooUnix", "FooWasm", "FooJs", "FooIllumos", "FooAix", "FooS390x",
		"Test", "MyAPIList", "JSONSchemaProps",
	}
	tags = []string{"fluxFrameworkOrg_v1alpha1", "xK8sIo_v1", "core_v1", "_3scaleNet_v1beta1", "aB_v2", "WidgetTest",
		"Linux", "acmeCertManagerIo_v1", "x-y.z_v1"}
	operations = []string{"listThing", "createThing", "readThingStatus", "readThing", "listHTTPRoute", "listHttp2",
		"list3D", "a", "B"}
)

// mark is the value of each, which says where it is.
type mark struct {
	Mark string `json:"mark"`
}

// api has all of them.
func api() render.API {
	scope := render.ScopeOf(reflect.TypeFor[mark]())
	out := render.API{
		Extension: "x-test", Title: "a <title>", Version: "v1", Value: mark{"'info'"},
		Scopes: render.Scopes{Info: scope, Model: scope, Operation: scope},
	}
	for _, name := range slices.Sorted(slices.Values(definitions)) {
		out.Models = append(out.Models, render.Model{Name: name, Value: mark{"<" + name + ">"}})
	}
	for i, tag := range tags {
		for _, id := range operations {
			out.Operations = append(out.Operations, render.Operation{Tag: tag, ID: fmt.Sprint(id, i),
				Value: mark{tag + "&" + id}})
		}
	}
	return out
}

// TestNames makes files of both languages of templates that print all that the engine has of its own, with
// both engines.
func TestNames(t *testing.T) {
	const (
		modelText = "{{#models}}{{#model}}{{classname}} {{classFilename}} " +
			"{{vendorExtensions.x-test.mark}}{{/model}}{{/models}} {{packageVersion}}"
		apiText = "{{#operations}}{{classname}}{{#operation}} {{operationId}} " +
			"{{vendorExtensions.x-test.mark}}{{/operation}}{{/operations}} {{classname}} {{classFilename}}"
		whole = "{{#models}}{{#model}}{{classname}} " +
			"{{classFilename}}\n{{/model}}{{/models}}{{#apiInfo}}{{#apis}}{{classname}} " +
			"{{classFilename}}{{#operations}}{{classname}}{{/operations}}\n{{/apis}}{{/apiInfo}}" +
			"{{packageName}} {{packageUrl}} {{projectName}} {{openAPI.info.title}} {{openAPI.info.version}} " +
			"{{{openAPI.info.extensions.x-test.mark}}}"
	)
	pythonFS, golangFS := fstest.MapFS{}, fstest.MapFS{}
	for name, text := range map[string]string{
		"model": modelText, "model_doc": modelText, "model_test": modelText, "api": apiText, "__init__package": whole,
		"__init__model": whole, "__init__api": whole,
		"package/x.py": whole, "project/docs.md": whole,
	} {
		pythonFS[name+".mustache"] = &fstest.MapFile{Data: []byte(text)}
	}
	for name, text := range map[string]string{"model": modelText, "api": apiText,
		"package/x.go": strings.ReplaceAll(whole, "\n", " "), "project/docs.md": whole} {
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
		jobs[i].API = api()
		for name, value := range map[string]any{"packageName": "made", "packageVersion": "1.2.3",
			"packageUrl": "https://example.org/?a=b", "projectName": "p q", "hideGenerationTimestamp": true} {
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
	for name, text := range map[string]string{"model": "package made\n{{#models}}{{>inner}}{{/models}}",
		"api": "package made", "inner": "\n {{#model}}{{vendorExtensions.x-test.vars}}{{/model}}"} {
		templates[name+".mustache"] = &fstest.MapFile{Data: []byte(text)}
	}
	job := render.Job{Generator: render.Go, API: api(), Templates: templates, Called: "mine"}
	_, err := render.Native(t.Context(), []render.Job{job})
	if want := "mine/inner.mustache:2:12: the engine native has no variable vars (template)"; err == nil ||
		!strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v\nwant %s", err, want)
	}
	job.Generator = "cobol"
	if _, err := render.Native(t.Context(), []render.Job{job}); err == nil ||
		err.Error() != "the native engine has no generator cobol" {
		t.Error(err)
	}
}

// TestDocumented: docs/use/templates.md names every variable.
func TestDocumented(t *testing.T) {
	page := string(testkit.Read(t, testkit.Repository+"/docs/use/templates.md"))
	names := slices.Clone(render.Options)
	for _, annotate := range []func(*model.API) (render.API, error){
		golang.Annotate, func(api *model.API) (render.API, error) { return python.Annotate(api) },
	} {
		printed, err := annotate(&model.API{})
		if err != nil {
			t.Fatal(err)
		}
		job := render.Job{API: printed}
		for _, scope := range job.Variables() {
			names = append(names, variables(scope)...)
		}
	}
	if len(names) < 80 {
		t.Errorf("%d names", len(names))
	}
	for _, name := range names {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("docs/use/templates.md does not name %s", name)
		}
	}
}

// variables returns the names in a scope and below.
func variables(scope mustache.Scope) (names []string) {
	for name, inner := range scope {
		names = append(append(names, name), variables(inner)...)
	}
	return names
}

// TestFileName holds file names against those that openapi-generator writes.
func TestFileName(t *testing.T) {
	for definition, want := range map[string]string{
		"MiniCluster": "mini_cluster", "FooURLs": "foo_urls", "FooUrls": "foo_urls", "V1ObjectMeta": "v1_object_meta",
		"HTTPRoute": "http_route",
	} {
		if got := render.FileName(definition); got != want {
			t.Errorf("%s is in %s, not %s", definition, got, want)
		}
	}
}
