package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// others are generators of other projects. They read the finished document and make models only;
// sdkgen makes a whole SDK, from the Go types.
func (p *place) others() []row {
	spec := filepath.Join(p.tmp, "openapi.json")
	var rows []row
	for _, other := range []struct {
		program string
		only    string // the stage of sdkgen beside it
		args    []string
	}{
		{"datamodel-codegen", "python", []string{
			"--input", spec, "--input-file-type", "openapi", "--output-model-type", "pydantic_v2.BaseModel",
			"--disable-timestamp", "--output", filepath.Join(p.tmp, "models.py"),
		}},
		{"oapi-codegen", "go", []string{"-generate", "models,skip-prune", "-package", "models", "-o",
			filepath.Join(p.tmp, "models.go"), spec}},
	} {
		program := p.installed(other.program)
		if program == "" {
			p.missing = append(p.missing, fmt.Sprintf("%s was not measured: it is neither on PATH nor in .tools/.",
				other.program))
			continue
		}
		rows = append(rows, row{
			name:    fmt.Sprintf("`--only %s` against %s", other.only, other.program),
			prepare: func(int) error { return writeOpenAPI(filepath.Join(p.ours, apiDir, "swagger.json"), spec) },
			ours:    []step{p.sdkgen(p.ours, "generate", "--force", "--only", other.only)},
			classic: []step{{name: other.program, dir: p.tmp, argv: append([]string{program}, other.args...)}},
		})
	}
	return rows
}

// installed finds a program on PATH or in a bin below .tools/; "" if there is none.
func (p *place) installed(program string) string {
	if found, err := exec.LookPath(program); err == nil {
		return found
	}
	for _, pattern := range []string{"bin", "*/bin", "*/*/bin", "*/*/*/bin"} {
		found, err := filepath.Glob(filepath.Join(p.root, ".tools", pattern, program))
		if err == nil && len(found) > 0 {
			return found[0]
		}
	}
	return ""
}

// writeOpenAPI writes the definitions of a swagger.json as the schemas of an OpenAPI 3 document,
// which these generators read. It has no extensions: oapi-codegen has its own idea of x-go-type.
func writeOpenAPI(swagger, spec string) error {
	data, err := os.ReadFile(swagger)
	if err != nil {
		return err
	}
	var doc struct{ Definitions map[string]any }
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(data), `"#/definitions/`, `"#/components/schemas/`)),
		&doc); err != nil {
		return fmt.Errorf("reading %q: %w", swagger, err)
	}
	data, err = json.Marshal(map[string]any{
		"openapi": "3.0.3", "info": map[string]string{"title": "measured", "version": "1"}, "paths": map[string]any{},
		"components": map[string]any{"schemas": plain(doc.Definitions)},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(spec, data, 0o644)
}

// plain removes the extensions from a decoded value, and returns it.
func plain(value any) any {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			plain(item)
		}
	case map[string]any:
		for key, item := range value {
			if strings.HasPrefix(key, "x-") {
				delete(value, key)
			} else {
				plain(item)
			}
		}
	}
	return value
}
