package pysdk

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/go-openapi/spec"

	"github.com/flux-framework/flux-operator/sdkgen/internal/swagger"
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
}

// Shown is a root kind.
type Shown struct {
	Class   string `json:"class"`
	Example string `json:"example,omitempty"` // Python that creates an object; empty if no valid one was found
}

// info returns the document's info with the Project, under Extension.
func info(doc *spec.Swagger) *spec.Info {
	out := spec.Info{}
	if doc.Info != nil {
		out = *doc.Info
	}
	title := strings.Join(strings.Fields(strings.Map(visible, out.Title)), " ")
	project := &Project{
		Description: tomlString("Typed Python models and clients of " + title), Title: markdown.Replace(title), Kinds: []Shown{},
	}
	for _, name := range slices.Sorted(maps.Keys(doc.Definitions)) {
		if root := rootOf(doc, doc.Definitions[name]); root != nil && root.Plural != "" && !swagger.IsKubernetes(doc.Definitions[name]) {
			shown := Shown{Class: name, Example: example(doc, name, root.Cluster)}
			project.Kinds = append(project.Kinds, shown)
			project.HasExamples = project.HasExamples || shown.Example != ""
		}
	}
	out.Extensions = maps.Clone(out.Extensions)
	out.AddExtension(Extension, project)
	return &out
}

// visible takes what no line of text shows for a blank.
func visible(r rune) rune {
	if !unicode.IsPrint(r) {
		return ' '
	}
	return r
}

// tomlString returns a line of visible characters as a TOML string.
func tomlString(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// markdown escapes a text inside of a line.
var markdown = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "&", `\&`, "~", `\~`, "|", `\|`)

// example returns statements that create an object of a root kind with what is required, and its
// spec; "" if no valid object was found.
func example(doc *spec.Swagger, kind string, cluster bool) string {
	samples := sampler{doc: doc}
	manifest := samples.sample(kind, false)
	schema := doc.Definitions[kind]
	if of := swagger.Referenced(schema.Properties["spec"]); manifest["spec"] == nil && of != "" {
		manifest["spec"] = samples.sample(of, false)
	}
	if samples.invalid {
		return ""
	}
	for _, key := range []string{"apiVersion", "kind", "metadata", "status"} {
		delete(manifest, key)
	}
	made := exampler{doc}.call(4, kind, schema, manifest, "metadata=V1ObjectMeta(name='example')")
	namespace := ", 'default'"
	if cluster {
		namespace = ""
	}
	return "Client(models." + kind + namespace + ").create(\n    " + made + "\n)"
}

// exampler writes values as the constructors of models that a user would call.
type exampler struct{ doc *spec.Swagger }

// call makes a model of a manifest; on a line if it fits, which is indented by so many spaces.
func (e exampler) call(indent int, class string, schema spec.Schema, manifest map[string]any, first ...string) string {
	arguments := func(indent int) []string {
		out := slices.Clone(first)
		for _, key := range slices.Sorted(maps.Keys(manifest)) {
			out = append(out, attribute(key)+"="+e.value(indent, schema.Properties[key], manifest[key]))
		}
		return out
	}
	line := "models." + class + "(" + strings.Join(arguments(indent), ", ") + ")"
	if indent+len(line) <= width {
		return line
	}
	end := "\n" + strings.Repeat(" ", indent)
	return "models." + class + "(" + end + "    " + strings.Join(arguments(indent+4), ","+end+"    ") + "," + end + ")"
}

func (e exampler) value(indent int, schema spec.Schema, value any) string {
	name := swagger.Referenced(schema)
	target := e.doc.Definitions[name]
	if fields, ok := value.(map[string]any); ok && name != "" && !swagger.IsKubernetes(target) {
		return e.call(indent, name, target, fields)
	}
	if members, ok := value.(map[string]any); ok && schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
		var out []string
		for _, key := range slices.Sorted(maps.Keys(members)) {
			out = append(out, quote(key)+": "+e.value(indent, *schema.AdditionalProperties.Schema, members[key]))
		}
		return "{" + strings.Join(out, ", ") + "}"
	}
	if items, ok := value.([]any); ok && schema.Items != nil && schema.Items.Schema != nil {
		var out []string
		for _, item := range items {
			out = append(out, e.value(indent, *schema.Items.Schema, item))
		}
		return "[" + strings.Join(out, ", ") + "]"
	}
	return literal(value)
}
