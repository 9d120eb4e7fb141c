// Package native is sdkgen's own engine: it renders the templates as the generators python-legacy and go of
// openapi-generator 6.6.0 do, and gives the files the same names, without Java. It has the variables
// that sdkgen's own templates use; see docs/templates.md.
package native

import (
	"context"
	"fmt"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render/mustache"
)

// Run makes a set of files for each job, with paths relative to the SDK's directory. A template that asks
// for a variable which only openapi-generator has is a diagnostic.
func Run(ctx context.Context, jobs []render.Job) ([]*artifact.Set, error) {
	sets := make([]*artifact.Set, 0, len(jobs))
	for _, job := range jobs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		set, err := run(job)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return sets, nil
}

func run(job render.Job) (*artifact.Set, error) {
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
	if err := check(job, layout, templates); err != nil {
		return nil, err
	}
	doc, err := read(job, layout)
	if err != nil {
		return nil, fmt.Errorf("reading the document of %s: %w", job.Stage, err)
	}
	r := &rendering{Job: job, templates: templates, partials: map[string]*mustache.Template{}, set: &artifact.Set{}}
	for name, template := range templates {
		r.partials[strings.TrimSuffix(name, ext)] = template
	}
	return r.set, r.all(layout, doc)
}

const ext = ".mustache"

// rendering is a job that is being rendered.
type rendering struct {
	render.Job
	templates map[string]*mustache.Template
	partials  map[string]*mustache.Template
	set       *artifact.Set
}

// all renders the templates of each model, of each class of operations, and of the whole SDK.
func (r *rendering) all(layout layout, doc *view) error {
	for _, model := range doc.models {
		if err := r.each(layout.model, model, doc.with(object{"models": []any{object{"model": model}}})); err != nil {
			return err
		}
	}
	for _, api := range doc.apis {
		if err := r.each(layout.api, api, doc.with(api)); err != nil {
			return err
		}
	}
	whole := doc.whole()
	if err := r.each(layout.once, object{}, whole); err != nil {
		return err
	}
	files, err := r.Files()
	if err != nil {
		return err
	}
	for _, file := range files {
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
func check(job render.Job, layout layout, templates map[string]*mustache.Template) error {
	var list diag.List
	for _, name := range layout.templates() {
		if templates[name] == nil {
			list.Add(token.Position{Filename: job.Called}, rule, "add it, or "+Remedy, "the template %s is missing, and openapi-generator's own is unknown to the engine %s", name, config.Native)
		}
	}
	known := map[string]bool{}
	for _, name := range slices.Concat(Variables, Options, job.Printed) {
		known[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(templates)) {
		for tag := range templates[name].Tags() {
			if part, ok := unknown(tag.Name, known); !ok {
				list.Add(tag.Pos, rule, Remedy+"; docs/templates.md lists the variables that both have", "the engine %s has no variable %s", config.Native, part)
			}
		}
	}
	return list.Err()
}

const rule = "template"

// unknown returns the first part of a dotted name that is not known.
func unknown(name string, known map[string]bool) (string, bool) {
	if name == "." {
		return "", true
	}
	for part := range strings.SplitSeq(name, ".") {
		if !known[part] {
			return part, false
		}
	}
	return "", true
}
