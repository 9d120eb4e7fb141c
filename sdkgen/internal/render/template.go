package render

import (
	"fmt"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render/mustache"
)

// rule is that of diagnostics in templates.
const rule = "template"

// mustacheExt is how the names of templates end.
const mustacheExt = ".mustache"

// Directories of templates for files that a generator does not know, without being listed anywhere:
// package/_model.py.mustache becomes _model.py in the package, project/README.md.mustache README.md
// in the SDK's directory.
const (
	packageDir = "package"
	projectDir = "project"
)

// DistributionDir is the directory of the templates that take the place of others where several API packages go
// into one SDK.
const DistributionDir = "distribution"

// File is what a template of the package or project directory makes.
type File struct {
	Template string
	Dir      string // below the SDK's directory
	Name     string
}

// Files returns what the templates of the package and project directories make. Go's package is
// the SDK's directory itself.
func (job Job) Files() ([]File, error) {
	if job.Templates == nil {
		return nil, nil
	}
	dirs := [][2]string{{packageDir, job.PackageDir()}, {projectDir, ""}}
	if job.Generator == Go {
		dirs[0][1] = ""
	}
	var files []File
	for _, dir := range dirs {
		templates, err := fs.Glob(job.Templates, dir[0]+"/*"+mustacheExt)
		if err != nil {
			return nil, err
		}
		for _, template := range templates {
			files = append(files, File{template, dir[1], strings.TrimSuffix(path.Base(template), mustacheExt)})
		}
	}
	return files, nil
}

// Parse parses the job's templates and returns them by name.
func (job Job) Parse() (map[string]*mustache.Template, error) {
	if job.Templates == nil {
		return nil, nil
	}
	if info, err := fs.Stat(job.Templates, "."); err != nil || !info.IsDir() {
		return nil, diag.List{{Rule: rule, Message: "there is no directory " + job.Called,
			Hint: "templates in sdkgen.yaml names the directory of mustache templates; leave it out for sdkgen's own"}}
	}
	parsed := map[string]*mustache.Template{}
	var list diag.List
	err := fs.WalkDir(job.Templates, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != mustacheExt {
			return err
		}
		data, err := fs.ReadFile(job.Templates, name)
		if err != nil {
			return err
		}
		template, found := mustache.Parse(job.called(name), string(data))
		parsed[name], list = template, append(list, found...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the templates: %w", err)
	}
	return parsed, list.Err()
}

// CheckUses finds templates that take the place of none of the generator's own, make no file and are no part
// of another template, and two that make one file. The options of openapi-generator may list more files.
func (job Job) CheckUses(parsed map[string]*mustache.Template, own []string) error {
	partials := map[string]bool{}
	for _, template := range parsed {
		for partial := range template.Partials() {
			partials[partial+mustacheExt] = true
		}
	}
	listed, _ := job.Options["files"].(map[string]any)
	var list diag.List
	for _, name := range slices.Sorted(maps.Keys(parsed)) {
		if _, ok := listed[name]; ok || partials[name] || slices.Contains(own, name) ||
			slices.Contains([]string{packageDir, projectDir, DistributionDir}, path.Dir(name)) {
			continue
		}
		list.Add(token.Position{Filename: job.called(name)}, rule,
			"correct its name, or remove it; one that makes a file of its own lies in the directory package or project",
			"nothing uses this template: the generator %s has none of this name", job.Generator)
	}
	files, err := job.Files()
	if err != nil {
		return err
	}
	makes := map[string]string{}
	for _, file := range files {
		generated := path.Join(file.Dir, file.Name)
		if other, taken := makes[generated]; taken {
			list.Add(token.Position{Filename: job.called(file.Template)}, rule, "keep one of the two",
				"%s makes the file %s too", job.called(other), generated)
		}
		makes[generated] = file.Template
	}
	return list.Err()
}

// called names a template as diagnostics do.
func (job Job) called(name string) string { return path.Join(job.Called, name) }
