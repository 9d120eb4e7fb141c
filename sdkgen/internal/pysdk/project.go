package pysdk

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/document"
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
	case name == "" || notWord.MatchString(name) || strings.ContainsAny(name[:1], "0123456789") || keywords[strings.ToLower(name)]:
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
	Runtime     string  `json:"runtime"`          // the package of the runtime, a relative import from the API's
	Nested      bool    `json:"nested,omitempty"` // the API's package is in that of a distribution of several
}

// Shown is a root kind.
type Shown struct {
	Class   string `json:"class"`
	Example string `json:"example,omitempty"` // Python that creates an object; empty if no valid one was found
}

func projectOf(api *document.API) *Project {
	title := titleOf(api)
	project := &Project{
		Description: tomlString("Typed Python models and clients of " + title), Title: markdown.Replace(title), Kinds: []Shown{},
	}
	for _, kind := range rootKinds(api) {
		shown := Shown{Class: kind.Name, Example: example(kind, "models")}
		project.Kinds = append(project.Kinds, shown)
		project.HasExamples = project.HasExamples || shown.Example != ""
	}
	return project
}

// titleOf returns a document's title on one line.
func titleOf(api *document.API) string {
	return strings.Join(strings.Fields(document.Visible(api.Title)), " ")
}

// tomlString returns a line of visible characters as a TOML string.
func tomlString(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// markdown escapes a text inside of a line.
var markdown = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "&", `\&`, "~", `\~`, "|", `\|`)

// example returns statements that create an object of a root kind with its mandatory fields, and its
// spec; "" if no valid object was found. models is the module that has the classes.
func example(kind *document.Definition, models string) string {
	samples := sampler{}
	manifest := samples.sample(kind, false)
	for _, field := range kind.Fields {
		if field.Key == "spec" && field.Shape == document.Reference && manifest["spec"] == nil {
			manifest["spec"] = samples.sample(field.Definition, false)
		}
	}
	if samples.invalid {
		return ""
	}
	for _, key := range []string{"apiVersion", "kind", "metadata", "status"} {
		delete(manifest, key)
	}
	made := caller{models}.call(4, kind, manifest, "metadata=V1ObjectMeta(name='example')")
	namespace := ", 'default'"
	if !kind.Root.Namespaced {
		namespace = ""
	}
	return "Client(" + models + "." + kind.Name + namespace + ").create(\n    " + made + "\n)"
}

// caller writes calls of the classes in a module.
type caller struct{ models string }

// call writes a manifest as the constructor of its model that a user would call; on a line if it fits,
// which is indented by so many spaces.
func (c caller) call(indent int, class *document.Definition, manifest map[string]any, first ...string) string {
	arguments := func(indent int) []string {
		out := slices.Clone(first)
		for _, field := range class.Fields {
			if value, ok := manifest[field.Key]; ok {
				out = append(out, attribute(field.Key)+"="+c.argument(indent, &field.Type, value))
			}
		}
		return out
	}
	line := c.models + "." + class.Name + "(" + strings.Join(arguments(indent), ", ") + ")"
	if indent+len(line) <= width {
		return line
	}
	end := "\n" + strings.Repeat(" ", indent)
	return c.models + "." + class.Name + "(" + end + "    " + strings.Join(arguments(indent+4), ","+end+"    ") + "," + end + ")"
}

// argument writes a value of a manifest, its models as calls.
func (c caller) argument(indent int, t *document.Type, value any) string {
	switch v := value.(type) {
	case map[string]any:
		if t.Shape == document.Reference && !t.Definition.Kubernetes {
			return c.call(indent, t.Definition, v)
		}
		if t.Elem == nil {
			break
		}
		var out []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out = append(out, quote(key)+": "+c.argument(indent, t.Elem, v[key]))
		}
		return "{" + strings.Join(out, ", ") + "}"
	case []any:
		if t.Elem == nil {
			break
		}
		var out []string
		for _, item := range v {
			out = append(out, c.argument(indent, t.Elem, item))
		}
		return "[" + strings.Join(out, ", ") + "]"
	}
	return literal(value)
}
