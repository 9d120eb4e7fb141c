package render

import (
	"context"
	"fmt"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render/mustache"
)

// Native is sdkgen's own engine: it renders the templates as openapi-generator does, and gives the files the same
// names, without Java. It makes a set of files for each job, with paths relative to the SDK's directory. It has the
// variables that docs/use/templates.md lists; a template that asks for another one is a diagnostic.
func Native(ctx context.Context, jobs []Job) ([]*artifact.Set, error) {
	sets := make([]*artifact.Set, 0, len(jobs))
	for _, job := range jobs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		set, err := native(job)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return sets, nil
}

func native(job Job) (*artifact.Set, error) {
	layout, ok := layouts[job.Generator]
	if !ok {
		return nil, fmt.Errorf("the native engine has no generator %s", job.Generator)
	}
	templates, err := job.Parse()
	if err != nil {
		return nil, err
	}
	if err := job.CheckUses(templates, layout.templates()); err != nil {
		return nil, err
	}
	r := &rendering{
		Job: job, layout: layout, templates: templates, partials: map[string]*mustache.Template{}, set: &artifact.Set{},
	}
	for name, template := range templates {
		r.partials[strings.TrimSuffix(name, mustacheExt)] = template
	}
	if r.files, err = job.Files(); err != nil {
		return nil, err
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	return r.set, r.all(newView(job, layout))
}

// rendering is a job that is being rendered.
type rendering struct {
	Job
	layout    layout
	files     []File // what the templates of the package and project directories make
	templates map[string]*mustache.Template
	partials  map[string]*mustache.Template
	set       *artifact.Set
}

// all renders the templates of each model, of each class of operations, and of the whole SDK.
func (r *rendering) all(doc *view) error {
	for _, model := range doc.models {
		if err := r.each(r.layout.model, model, doc.with(object{"models": []any{object{"model": model}}})); err != nil {
			return err
		}
	}
	for _, api := range doc.apis {
		if err := r.each(r.layout.api, api, doc.with(api)); err != nil {
			return err
		}
	}
	whole := doc.whole()
	if err := r.each(r.layout.once, object{}, whole); err != nil {
		return err
	}
	for _, file := range r.files {
		if err := r.render(file.Template, path.Join(file.Dir, file.Name), whole); err != nil {
			return err
		}
	}
	return nil
}

// each renders templates for a model or class of operations, whose names the paths are made of.
func (r *rendering) each(outputs []output, named, data object) error {
	class, _ := named["classname"].(string)
	file, _ := named["classFilename"].(string)
	names := strings.NewReplacer("{package}", r.PackageDir(), "{class}", class, "{file}", file)
	for _, out := range outputs {
		if err := r.render(out.template, names.Replace(out.path), data); err != nil {
			return err
		}
	}
	return nil
}

func (r *rendering) render(template, name string, data object) error {
	text, err := r.templates[template].Render(data, r.partials)
	if err != nil {
		return err
	}
	return r.Put(r.set, name, []byte(text))
}

// Remedy is the hint for what only openapi-generator has.
const Remedy = "write `engine: " + config.OpenAPIGenerator + "` in sdkgen.yaml, which runs its jar"

// check finds variables and missing templates that only openapi-generator has.
func (r *rendering) check() error {
	var list diag.List
	for _, name := range r.layout.templates() {
		if r.templates[name] == nil {
			list.Add(token.Position{Filename: r.Called}, rule, "add it, or "+Remedy,
				"the template %s is missing, and openapi-generator's own is unknown to the engine %s", name, config.Native)
		}
	}
	checked := map[mustache.Unknown]bool{}
	check := func(scope mustache.Scope, name string) {
		template := r.templates[name]
		if template == nil {
			return
		}
		for _, unknown := range template.Check(scope, r.partials) {
			if !checked[unknown] {
				r.diagnose(&list, unknown)
			}
			checked[unknown] = true
		}
	}
	scopes := r.Variables()
	for i, outputs := range [][]output{r.layout.model, r.layout.api, r.layout.once} {
		for _, out := range outputs {
			check(scopes[i], out.template)
		}
	}
	for _, file := range r.files {
		check(scopes[2], file.Template)
	}
	return list.Err()
}

// diagnose adds a variable that only openapi-generator has, or that the job has no value for.
func (r *rendering) diagnose(list *diag.List, unknown mustache.Unknown) {
	message, hint := "the engine %s has no variable %s",
		Remedy+"; docs/use/templates.md lists the variables that both have"
	switch {
	case unknown.Object:
		message, hint = "the engine %s cannot print %s, an object or a list", "go into it with a section, or "+Remedy
	case slices.Contains(defaulted, unknown.Name):
		message = "the engine %s has no value of %s"
		hint = "write it into the file that config names in sdkgen.yaml, or " + Remedy
	}
	list.Add(unknown.Pos, rule, hint, message, config.Native, unknown.Name)
}
