package python

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
)

// Options returns the generator options that sdkgen's own templates want; the package's name is to
// be added.
func Options() map[string]any {
	return map[string]any{"globalProperties": map[string]any{
		"apis": "", "apiDocs": "false", "apiTests": "false",
		"models": "", "modelDocs": "true", "modelTests": "true", "supportingFiles": "__init__.py",
	}}
}

// CheckPackage refuses a name that a package cannot be imported by, and those of the directories beside it.
func CheckPackage(name string) error {
	switch {
	case name == "" || notWord.MatchString(name) || strings.ContainsAny(name[:1], "0123456789") ||
		keywords[strings.ToLower(name)]:
		return fmt.Errorf("%q cannot be the name of a Python package", name)
	case name == "test" || name == "docs":
		return fmt.Errorf("a Python package cannot be named %s: a directory beside it is", name)
	}
	return nil
}

// Project is what the templates of files beside the package print.
type Project struct {
	Description string  `json:"description"` // of the package, a TOML string
	Title       string  `json:"title"`       // of the document, for a line of Markdown
	Kinds       []Shown `json:"kinds"`       // the root kinds, sorted
	HasExamples bool    `json:"hasExamples,omitempty"`
	Modules     string  `json:"modules,omitempty"` // statements that import the models from their modules, sorted
	Runtime     string  `json:"runtime"`           // the package of the runtime, a relative import from the API's
	Nested      bool    `json:"nested,omitempty"`  // the API's package is in that of a distribution of several
}

// Shown is a root kind.
type Shown struct {
	Class   string `json:"class"`
	Example string `json:"example,omitempty"` // Python that creates an object; empty if no valid one was found
}

func projectOf(api *model.API) *Project {
	title := titleOf(api)
	project := &Project{
		Description: tomlString("Typed Python models and clients of " + title), Title: markdown.Replace(title),
		Kinds:   []Shown{},
		Modules: modulesOf(api),
	}
	for _, kind := range rootKinds(api) {
		printed := Shown{Class: kind.Name, Example: example(kind, "models")}
		project.Kinds = append(project.Kinds, printed)
		project.HasExamples = project.HasExamples || printed.Example != ""
	}
	return project
}

// modulesOf returns the statements that import an API's models from their modules.
func modulesOf(api *model.API) string {
	var modules, statements []string
	classes := map[string]string{}
	for _, definition := range api.Definitions {
		if !definition.Kubernetes {
			module := render.FileName(definition.Name)
			modules, classes[module] = append(modules, module), definition.Name
		}
	}
	slices.SortFunc(modules, natural)
	for _, module := range modules {
		statements = append(statements, fromImport("."+module, classes[module]).render(0))
	}
	return strings.Join(statements, "\n")
}

// titleOf returns a document's title on one line.
func titleOf(api *model.API) string {
	return strings.Join(strings.Fields(model.Visible(api.Title)), " ")
}

// tomlString returns a line of visible characters as a TOML string.
func tomlString(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// markdown escapes a text inside of a line.
var markdown = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">",
	`\>`, "&", `\&`, "~", `\~`, "|", `\|`)

// example returns statements that create an object of a root kind with its mandatory fields, and its
// spec; "" if no valid object was found. models is the module that has the classes.
func example(kind *model.Definition, models string) string {
	samples := sampling{}
	manifest := samples.sample(kind, false)
	for _, field := range kind.Fields {
		if field.Key == "spec" && field.Shape == model.Reference && manifest["spec"] == nil {
			manifest["spec"] = samples.sample(field.Definition, false)
		}
	}
	if samples.invalid {
		return ""
	}
	for _, key := range []string{"apiVersion", "kind", "metadata", "status"} {
		delete(manifest, key)
	}
	generated := caller{models}.call(kind, manifest, atom(`metadata=V1ObjectMeta(name="example")`))
	namespace := `, "default"`
	if !kind.Root.Namespaced {
		namespace = ""
	}
	return call("Client("+models+"."+kind.Name+namespace+").create(", ")", generated).render(0)
}

// caller writes calls of the classes in a module.
type caller struct{ models string }

// call returns a manifest as the constructor of its model that a user would call.
func (c caller) call(class *model.Definition, manifest map[string]any, arguments ...source) source {
	for _, field := range class.Fields {
		if value, ok := manifest[field.Key]; ok {
			arguments = append(arguments, c.argument(&field.Type, value).after(attribute(field.Key)+"="))
		}
	}
	return call(c.models+"."+class.Name+"(", ")", arguments...)
}

// argument returns a value of a manifest, its models as calls.
func (c caller) argument(t *model.Type, value any) source {
	var items []source
	switch v := value.(type) {
	case map[string]any:
		if t.Shape == model.Reference && !t.Definition.Kubernetes {
			return c.call(t.Definition, v)
		}
		if t.Elem == nil {
			break
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			items = append(items, c.argument(t.Elem, v[key]).after(quote(key)+": "))
		}
		return group("{", "}", items...)
	case []any:
		if t.Elem == nil {
			break
		}
		for _, item := range v {
			items = append(items, c.argument(t.Elem, item))
		}
		return group("[", "]", items...)
	}
	return valueOf(value)
}
