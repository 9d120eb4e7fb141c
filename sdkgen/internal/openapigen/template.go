package openapigen

import (
	"archive/zip"
	"cmp"
	"fmt"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// templateRule is the rule of diagnostics in templates.
const templateRule = "template"

// mustache is how the names of templates end.
const mustache = ".mustache"

// Directories of templates for files that the generator does not know, without being listed anywhere:
// package/_model.py.mustache becomes _model.py in the package, project/README.md.mustache README.md
// in the output's root.
const (
	packageDir = "package"
	projectDir = "project"
)

// outputDirs returns both, each with the directory below the output that its files go to. Go's package is
// the output itself.
func (job Job) outputDirs(config map[string]any) [][2]string {
	name, _ := config["packageName"].(string)
	if job.Generator == "go" {
		name = ""
	}
	return [][2]string{{packageDir, name}, {projectDir, ""}}
}

// addFiles lists the templates of the package and project directories in a generator's configuration.
func (job Job) addFiles(config map[string]any) error {
	if job.Templates == "" {
		return nil
	}
	files := map[string]any{}
	listed, _ := config["files"].(map[string]any)
	maps.Copy(files, listed)
	var names []string
	for _, dirs := range job.outputDirs(config) {
		templates, err := fs.Glob(os.DirFS(job.Templates), dirs[0]+"/*"+mustache)
		if err != nil {
			return err
		}
		for _, template := range templates {
			name := strings.TrimSuffix(path.Base(template), mustache)
			names = append(names, name)
			files[template] = map[string]any{"destinationFilename": name, "folder": dirs[1], "templateType": "SupportingFiles"}
		}
	}
	if len(names) == 0 {
		return nil
	}
	config["files"] = files
	// What is listed here is made, and nothing else; an empty text means everything, and so does
	// it that no kind of file is named.
	given, _ := config["globalProperties"].(map[string]any)
	made, named := given["supportingFiles"].(string)
	if len(given) > 0 && (made != "" || !named) {
		properties := maps.Clone(given)
		properties["supportingFiles"] = strings.TrimPrefix(made+","+strings.Join(names, ","), ",")
		config["globalProperties"] = properties
	}
	return nil
}

// checkTemplates looks at a job's templates before Java starts, which would name neither the file
// nor the column of one that does not parse, and would pass over one that nothing uses.
func (j *Jar) checkTemplates(job Job) error {
	if job.Templates == "" {
		return nil
	}
	if info, err := os.Stat(job.Templates); err != nil || !info.IsDir() {
		return diag.List{{Rule: templateRule, Message: "there is no directory " + job.called("."),
			Hint: "templates in sdkgen.yaml names the directory of mustache templates; leave it out for sdkgen's own"}}
	}
	var list diag.List
	uses := map[string]bool{}
	var names []string
	err := fs.WalkDir(os.DirFS(job.Templates), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != mustache {
			return err
		}
		data, err := os.ReadFile(filepath.Join(job.Templates, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		names = append(names, name)
		partials, found := parseTemplate(job.called(name), string(data))
		list = append(list, found...)
		for _, partial := range partials {
			uses[partial+mustache] = true
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading the templates: %w", err)
	}
	if err := list.Err(); err != nil {
		return err
	}
	return j.checkUses(job, names, uses)
}

// checkUses finds templates that take the place of none of the jar's, are not listed in the
// generator's configuration, and are no part of another template; and two that make one file.
func (j *Jar) checkUses(job Job, names []string, partials map[string]bool) error {
	if len(names) == 0 {
		return nil
	}
	own, err := j.templates(job.Generator)
	if err != nil {
		return err
	}
	files, _ := job.Config["files"].(map[string]any)
	var list diag.List
	for _, name := range names {
		if _, listed := files[name]; listed || partials[name] || slices.Contains(own, name) || path.Dir(name) == packageDir || path.Dir(name) == projectDir {
			continue
		}
		list.Add(token.Position{Filename: job.called(name)}, templateRule,
			"correct its name, or remove it; for a file of its own, list it under files in the generator's configuration",
			"nothing uses this template: the generator %s has none of this name", job.Generator)
	}
	makes := map[string]string{}
	for _, dirs := range job.outputDirs(job.Config) {
		for _, name := range names {
			if path.Dir(name) != dirs[0] {
				continue
			}
			file := strings.TrimSuffix(path.Join(dirs[1], path.Base(name)), mustache)
			if other, taken := makes[file]; taken {
				list.Add(token.Position{Filename: job.called(name)}, templateRule, "keep one of the two", "%s makes the file %s too", job.called(other), file)
			}
			makes[file] = name
		}
	}
	return list.Err()
}

// templates lists the templates of a generator that the jar has.
func (j *Jar) templates(generator string) ([]string, error) {
	files, err := j.names()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range files {
		if name, ok := strings.CutPrefix(file, generator+"/"); ok && path.Ext(name) == mustache {
			names = append(names, name)
		}
	}
	return names, nil
}

// list returns the names of the files in a jar.
func list(file string) ([]string, error) {
	jar, err := zip.OpenReader(file)
	if err != nil {
		return nil, fmt.Errorf("reading the openapi-generator jar: %w", err)
	}
	defer jar.Close() //nolint:errcheck // it is only read
	var names []string
	for _, file := range jar.File {
		names = append(names, file.Name)
	}
	return names, nil
}

// called names a template as diagnostics do.
func (job Job) called(name string) string {
	return path.Join(cmp.Or(job.Called, filepath.ToSlash(job.Templates)), name)
}

// parseTemplate returns the partials that a template takes in, and what keeps it from being one:
// tags and sections that are not closed.
func parseTemplate(name, text string) (partials []string, list diag.List) {
	left, right := "{{", "}}"
	var open []section
	for at := strings.Index(text, left); at >= 0; {
		start, end := at+len(left), right
		if left == "{{" && strings.HasPrefix(text[start:], "{") {
			start, end = start+1, "}}}"
		}
		length := strings.Index(text[start:], end)
		if length < 0 || text[start] != '!' && strings.Contains(text[start:start+length], left) {
			list.Add(position(name, text, at), templateRule, "close it: "+end, "a tag that is not closed")
			return partials, list
		}
		body := strings.TrimSpace(text[start : start+length])
		switch kind, rest := cut(body); kind {
		case '#', '^':
			open = append(open, section{rest, at})
		case '/':
			last := len(open) - 1
			if last < 0 || open[last].name != rest {
				list.Add(position(name, text, at), templateRule, expected(name, text, open), "{{/%s}} closes a section that is not open here", rest)
				return partials, list
			}
			open = open[:last]
		case '>':
			partials = append(partials, rest)
		case '=':
			if delims := strings.Fields(strings.TrimSuffix(rest, "=")); len(delims) == 2 {
				left, right = delims[0], delims[1]
			}
		}
		next := start + length + len(end)
		if at = strings.Index(text[next:], left); at >= 0 {
			at += next
		}
	}
	for _, s := range open {
		list.Add(position(name, text, s.at), templateRule, "close it: {{/"+s.name+"}}", "the section %s is not closed", s.name)
	}
	return partials, list
}

// section is one that is open, and where it starts.
type section struct {
	name string
	at   int
}

// cut splits a tag's body into its sign and its name.
func cut(body string) (kind byte, rest string) {
	if body == "" {
		return 0, ""
	}
	return body[0], strings.TrimSpace(body[1:])
}

// expected says which section is open.
func expected(name, text string, open []section) string {
	if len(open) == 0 {
		return "remove it"
	}
	last := open[len(open)-1]
	return fmt.Sprintf("%s, opened at %s, is to be closed first: {{/%s}}", last.name, position(name, text, last.at), last.name)
}

func position(name, text string, at int) token.Position {
	line := strings.Count(text[:at], "\n") + 1
	return token.Position{Filename: name, Line: line, Column: at - strings.LastIndexByte(text[:at], '\n')}
}
