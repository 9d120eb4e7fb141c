package stage

import (
	"errors"
	"fmt"
	"go/token"
	"path"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact/overlay"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
	"github.com/flux-framework/flux-operator/sdkgen/runtime"
)

// Language is what the SDKs of one language have in common.
type Language struct {
	Stage     string
	Doc       string // what the stage generates, for help texts
	Generator string // openapi-generator's name of it
	Templates string // directory of sdkgen's own
	Options   func() map[string]any

	CheckPackage func(name string) error
	// CheckPart refuses the name of a package in a distribution.
	CheckPart func(name string) error
	// Annotate returns what the templates print. names are the packages that the API is in below its distribution's.
	Annotate func(api *model.API, names ...string) (render.API, error)
	// AnnotateDistribution returns what the templates of a distribution's own files print; nil if there are no such files.
	AnnotateDistribution func(*Distribution) render.API
	// Move returns where a distribution has a file of one of its packages, or of its own if the part is nil; "" leaves it
	// out.
	Move func(d *Distribution, p *Part, file string) string
	// Runtime returns the files that every SDK has, for a package of that name.
	Runtime func(name string) ([]runtime.File, error)
	// SharedRuntime is Runtime for a distribution of several packages.
	SharedRuntime func(*Distribution) ([]runtime.File, error)
	// Extra returns further files of a distribution; nil if there are none.
	Extra func(*Distribution) (*artifact.Set, error)
	// SharedPath returns the import path of the runtime that the packages in a directory share; nil if they have none.
	SharedPath func(root, dir string) (string, error)
	// Link adapts the files of one of several packages to the shared runtime; nil if there is none.
	Link func(files *artifact.Set, root, dir, sharedPath string) (*artifact.Set, error)
}

// SDK is a project's SDK in one language.
type SDK struct {
	Language Language
	Project  *Project
	Config   *config.SDK // nil if the project has none
}

// Stage returns the stage that generates the SDK. The engine runs it, for the SDKs of all languages at once.
func (s *SDK) Stage() Stage {
	return Stage{
		Name: s.Language.Stage, Doc: s.Language.Doc, Enabled: s.Config != nil, Inputs: []string{Swagger}, Key: s.key,
	}
}

// key adds what an SDK depends on beyond the documents: options, templates, runtime, overlay, and a jar that
// is not the pinned one. The engine is part of it where the templates are the project's: of sdkgen's own, both engines
// make the same files.
func (s *SDK) key(k *Key) error {
	options, err := s.GeneratorOptions()
	if err != nil {
		return err
	}
	cfg := s.Project.Config
	k.Add("jar", cfg.Generator.SHA256)
	k.JSON("sdk", s.Config)
	if s.Config.Templates != "" {
		k.Add("engine", cfg.Engine)
	}
	k.JSON("options", options)
	for _, api := range cfg.APIs {
		if api.Group != "" {
			k.Add("group of "+api.OutputDir(), api.Group)
		}
	}
	templates, err := s.readTemplates()
	if err != nil {
		return err
	}
	k.Set("templates", templates)
	pkg, _ := options["packageName"].(string)
	common, err := s.runtime(pkg)
	if err != nil {
		return err
	}
	k.Set("runtime", common)
	if len(cfg.APIs) > 1 && s.Language.SharedPath != nil {
		importPath, err := s.Language.SharedPath(s.Project.Env.Root, s.Config.Dir)
		if err != nil {
			return err
		}
		k.Add("package", importPath)
	}
	files, err := s.Project.Files.ReadTree(s.Config.Overlay.Dir, s.Language.Stage)
	if err != nil {
		return err
	}
	k.Set("overlay", files)
	return nil
}

// Job is what an engine is to make of one API package, or of a distribution of several itself, and what becomes of it.
type Job struct {
	SDK          *SDK
	Render       render.Job
	Distribution *Distribution
	Part         *Part         // nil for the distribution itself
	Files        *artifact.Set // what the engine made
}

// Jobs returns a job for each document, and one for each distribution of several. documents are the files of the stage
// swagger, for the engine. What the language cannot express of a
// document is *Unrepresentable.
func (s *SDK) Jobs(docs []Document, documents *artifact.Set) ([]*Job, error) {
	options, err := s.GeneratorOptions()
	if err != nil {
		return nil, err
	}
	name, _ := options["packageName"].(string)
	distributions, err := s.Distributions(docs, name)
	if err != nil {
		return nil, err
	}
	var jobs []*Job
	add := func(d *Distribution, p *Part, document []byte, api render.API) error {
		tree, called, err := s.partTemplates(d, p)
		if err != nil {
			return err
		}
		jobs = append(jobs, &Job{SDK: s, Distribution: d, Part: p, Render: render.Job{
			Stage: s.Language.Stage, Name: fmt.Sprintf("%s-%d", s.Language.Stage, len(jobs)), Generator: s.Language.Generator,
			Document: document, API: api, Options: s.partOptions(d, p, options), Templates: tree, Called: called,
		}})
		return nil
	}
	for _, d := range distributions {
		for _, p := range d.Parts {
			api, err := s.Language.Annotate(p.Document.API, p.Names...)
			if list, ok := errors.AsType[model.Unrepresentables](err); ok {
				return nil, &Unrepresentable{List: list, Stage: s.Language.Stage, File: p.Document.File}
			}
			if err == nil {
				document, _ := documents.Lookup(p.Document.File)
				err = add(d, p, document.Data, api)
			}
			if err != nil {
				return nil, err
			}
		}
		if len(d.Parts) > 1 && s.Language.AnnotateDistribution != nil {
			if err := add(d, nil, nil, s.Language.AnnotateDistribution(d)); err != nil {
				return nil, err
			}
		}
	}
	return jobs, nil
}

// Unrepresentable is what a language cannot express of a document.
type Unrepresentable struct {
	List        model.Unrepresentables
	Stage, File string
}

// Error implements error.
func (u *Unrepresentable) Error() string { return u.List.Error() }

// Collect adds what the jobs of one distribution made, with the runtime next to it and the overlay over it, to a
// stage's files.
func Collect(jobs []*Job, to *artifact.Set) error {
	s, d, all := jobs[0].SDK, jobs[0].Distribution, &artifact.Set{}
	for _, job := range jobs {
		files, err := s.link(d, job.Files)
		if err != nil {
			return err
		}
		for file := range files.All() {
			if file.Path = s.Language.Move(d, job.Part, file.Path); file.Path == "" {
				continue
			}
			if err := all.Put(file); err != nil {
				return fmt.Errorf("putting %s together: %w", d.Dir, err)
			}
		}
	}
	common, err := s.distributionRuntime(d)
	if err != nil {
		return err
	}
	if err := all.Merge(common); err != nil {
		return fmt.Errorf("adding the runtime to %s: %w", d.Dir, err)
	}
	if s.Language.Extra != nil && s.Config.Templates == "" {
		extra, err := s.Language.Extra(d)
		if err != nil {
			return fmt.Errorf("making the fake of %s: %w", d.Dir, err)
		}
		if err := all.Merge(extra); err != nil {
			return fmt.Errorf("adding the fake to %s: %w", d.Dir, err)
		}
	}
	files, err := s.Project.Files.ReadTree(s.Config.Overlay.Dir, s.Language.Stage)
	if err != nil {
		return err
	}
	rules := overlay.Rules{Replace: s.Config.Overlay.Replace, Drop: s.Config.Overlay.Drop}
	whole, err := overlay.Apply(d.Dir, all, files, rules)
	if err != nil {
		return err
	}
	for file := range whole.All() {
		file.Path = path.Join(d.Dir, file.Path)
		if err := to.Put(file); err != nil {
			return err
		}
	}
	return nil
}

// link returns what the engine made of an API package, adapted to the runtime that it shares with the others of its
// distribution.
func (s *SDK) link(d *Distribution, files *artifact.Set) (*artifact.Set, error) {
	if len(d.Parts) == 1 || s.Language.Link == nil || s.Config.Templates != "" {
		return files, nil
	}
	root := s.Project.Env.Root
	importPath, err := s.Language.SharedPath(root, d.Dir)
	if err != nil {
		return nil, err
	}
	return s.Language.Link(files, root, d.Dir, importPath)
}

// distributionRuntime returns the runtime of a distribution.
func (s *SDK) distributionRuntime(d *Distribution) (*artifact.Set, error) {
	if len(d.Parts) == 1 {
		return s.runtime(d.Name)
	}
	return s.set(s.Language.SharedRuntime(d))
}

// runtime returns the files that the SDKs of a language have in common, as files of the package pkg.
func (s *SDK) runtime(pkg string) (*artifact.Set, error) { return s.set(s.Language.Runtime(pkg)) }

// set returns files of the runtime; none if the project has templates of its own, which replace these files too.
func (s *SDK) set(files []runtime.File, err error) (*artifact.Set, error) {
	set := &artifact.Set{}
	if s.Config.Templates != "" || err != nil {
		return set, err
	}
	for _, file := range files {
		if err := set.Put(artifact.File{Path: file.Path, Data: file.Data, Origin: s.Language.Stage}); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// Unrepresentables are the ones of all languages.
type Unrepresentables []*Unrepresentable

// Error implements error.
func (u Unrepresentables) Error() string {
	return fmt.Sprintf("%d documents cannot be expressed", len(u))
}

// Locate returns a diagnostic for each definition or property that a language cannot express, where it is declared.
func (u Unrepresentables) Locate(api *load.Result) diag.List {
	var list diag.List
	for _, document := range u {
		for _, one := range document.List {
			goType := one.Definition.GoType
			pos := api.PropertyPos(goType.Package, goType.Name, one.Field)
			if !pos.IsValid() { // of Kubernetes, or made up by the API server
				pos = token.Position{Filename: document.File}
			}
			list.Add(pos, document.Stage, one.Hint, "%s", one.Message)
		}
	}
	return list
}
