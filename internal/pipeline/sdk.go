package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/go-openapi/spec"

	"github.com/flux-framework/flux-operator/internal/artifact"
	"github.com/flux-framework/flux-operator/internal/config"
	"github.com/flux-framework/flux-operator/internal/gosdk"
	"github.com/flux-framework/flux-operator/internal/openapigen"
	"github.com/flux-framework/flux-operator/internal/overlay"
	"github.com/flux-framework/flux-operator/internal/pysdk"
	"github.com/flux-framework/flux-operator/internal/swagger"
)

// language is one of the jar's generators, with what works out what its templates print.
type language struct {
	stage     string
	generator string
	sdk       *config.SDK
	annotate  func(*spec.Swagger) (*spec.Swagger, error)
}

func (p *Project) languages() []language {
	return []language{
		{PythonStage, "python-legacy", p.cfg.Python, pysdk.Annotate},
		{GoStage, "go", p.cfg.Go, gosdk.Annotate},
	}
}

// sdkJob is the one Java process of a run: all languages and API versions that changed.
type sdkJob struct {
	r       *run
	jar     *openapigen.Jar
	jobs    []openapigen.Job
	outputs []output // of each job
	sets    []*artifact.Set
}

// output is where a job's files go.
type output struct {
	language
	dir string // for its API version
}

// prepareSDKs works out what the jar is to make; nothing if no SDK changed.
func (r *run) prepareSDKs() (*sdkJob, error) {
	job := &sdkJob{r: r}
	for _, lang := range r.languages() {
		if lang.sdk == nil || !r.needed(lang.stage) {
			continue
		}
		if clean, err := r.clean(lang.stage); err != nil || clean {
			if err != nil {
				return nil, err
			}
			continue
		}
		if err := job.add(lang); err != nil {
			return nil, err
		}
	}
	if len(job.jobs) == 0 {
		return job, nil
	}
	jar, err := openapigen.Find(r.tools())
	job.jar = jar
	return job, err
}

// add prepares the jobs of one language, one for each API version.
func (s *sdkJob) add(lang language) error {
	options, err := s.r.generatorConfig(lang.sdk)
	if err != nil {
		return err
	}
	for file := range s.r.sets[swagger.Stage].All() {
		doc, err := swagger.Decode(file.Data)
		if err != nil {
			return fmt.Errorf("reading %q: %w", file.Path, err)
		}
		annotated, err := lang.annotate(doc)
		if err != nil {
			return err
		}
		data, err := swagger.Encode(annotated)
		if err != nil {
			return err
		}
		s.jobs = append(s.jobs, openapigen.Job{
			Stage: lang.stage, Name: fmt.Sprintf("%s-%d", lang.stage, len(s.jobs)), Generator: lang.generator,
			Spec: data, Config: options, Templates: s.r.env.path(lang.sdk.Templates),
		})
		s.outputs = append(s.outputs, output{lang, lang.sdk.ForVersion(doc.Info.Version)})
	}
	return nil
}

// run runs the jar.
func (s *sdkJob) run(ctx context.Context) (err error) {
	if len(s.jobs) == 0 {
		return nil
	}
	s.r.env.Log.Info("running", "stage", "java")
	s.sets, err = s.jar.Run(ctx, s.r.env.Log, filepath.Join(s.r.scratch, "java"), s.jobs)
	s.r.env.Log.Info("done", "stage", "java")
	return err
}

// collect lays the overlays over what the jar made and puts it where it goes.
func (s *sdkJob) collect(r *run) error {
	byStage := map[string]*artifact.Set{}
	for i, set := range s.sets {
		out := s.outputs[i]
		templates, err := r.readTree(out.sdk.Overlay.Dir, out.stage)
		if err != nil {
			return err
		}
		laid, err := overlay.Apply(out.dir, set, templates, overlay.Rules{
			Replace: out.sdk.Overlay.Replace, Drop: out.sdk.Overlay.Drop,
		})
		if err != nil {
			return err
		}
		if byStage[out.stage] == nil {
			byStage[out.stage] = &artifact.Set{}
		}
		for file := range laid.All() {
			file.Path = path.Join(out.dir, file.Path)
			if err := byStage[out.stage].Put(file); err != nil {
				return err
			}
		}
	}
	for _, stage := range []string{PythonStage, GoStage} {
		if set := byStage[stage]; set != nil {
			r.done(stage, set)
		}
	}
	return nil
}

// ownOptions are the generator options that sdkgen sets itself.
var ownOptions = []string{"generatorName", "inputSpec", "outputDir", "packageVersion", "templateDir"}

// generatorConfig reads a language's generator options and adds the version.
func (r *run) generatorConfig(sdk *config.SDK) (map[string]any, error) {
	data, err := r.root.ReadFile(filepath.FromSlash(sdk.Config))
	if err != nil {
		return nil, fmt.Errorf("reading the generator's configuration: %w", err)
	}
	options := map[string]any{}
	if err := json.Unmarshal(data, &options); err != nil {
		return nil, fmt.Errorf("reading %q: %w", sdk.Config, err)
	}
	for _, name := range ownOptions {
		if _, set := options[name]; set {
			return nil, fmt.Errorf("reading %q: %s is set by sdkgen: remove it", sdk.Config, name)
		}
	}
	options["packageVersion"] = r.cfg.Version
	options["hideGenerationTimestamp"] = true
	return options, nil
}

// readTree reads a folder of the project, with paths relative to it; nothing if it is "".
func (r *run) readTree(dir, stage string) (*artifact.Set, error) {
	set := &artifact.Set{}
	if dir == "" {
		return set, nil
	}
	err := fs.WalkDir(r.root.FS(), dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if entry.Name() == "__pycache__" {
				return fs.SkipDir
			}
			return nil
		}
		data, err := fs.ReadFile(r.root.FS(), name)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return set.Put(artifact.File{Path: strings.TrimPrefix(name, dir+"/"), Data: data, Mode: info.Mode().Perm(), Origin: stage})
	})
	if err != nil {
		return nil, fmt.Errorf("reading the folder %q: %w", dir, err)
	}
	return set, nil
}

// readOptional reads a file of the project that may be missing or not configured.
func (r *run) readOptional(name string) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	data, err := r.root.ReadFile(filepath.FromSlash(name))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return data, err
}
