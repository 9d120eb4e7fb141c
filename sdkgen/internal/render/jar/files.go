package jar

import (
	"archive/zip"
	"fmt"
	"maps"
	"path"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
)

// addFiles lists what the templates of the package and project directories make in a generator's configuration.
func addFiles(job render.Job, config map[string]any) error {
	generated, err := job.Files()
	if err != nil || len(generated) == 0 {
		return err
	}
	files := map[string]any{}
	listed, _ := config["files"].(map[string]any)
	maps.Copy(files, listed)
	var names []string
	for _, file := range generated {
		names = append(names, file.Name)
		files[file.Template] = map[string]any{"destinationFilename": file.Name, "folder": file.Dir,
			"templateType": "SupportingFiles"}
	}
	config["files"] = files
	// What is listed here is made, and nothing else; an empty text means everything, and so does
	// it that no kind of file is named.
	input, _ := config["globalProperties"].(map[string]any)
	expected, named := input["supportingFiles"].(string)
	if len(input) > 0 && (expected != "" || !named) {
		properties := maps.Clone(input)
		properties["supportingFiles"] = strings.TrimPrefix(expected+","+strings.Join(names, ","), ",")
		config["globalProperties"] = properties
	}
	return nil
}

// checkTemplates looks at a job's templates before Java starts, which would name neither the file
// nor the column of one that does not parse, and would pass over one that nothing uses.
func (j *Jar) checkTemplates(job render.Job) error {
	parsed, err := job.Parse()
	if err != nil || len(parsed) == 0 {
		return err
	}
	files, err := j.names()
	if err != nil {
		return err
	}
	var own []string
	for _, file := range files {
		if name, ok := strings.CutPrefix(file, job.Generator+"/"); ok && path.Ext(name) == ".mustache" {
			own = append(own, name)
		}
	}
	return job.CheckUses(parsed, own)
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
