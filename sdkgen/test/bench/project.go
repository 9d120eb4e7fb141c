package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"sigs.k8s.io/yaml"
)

// project is one that is made to be measured: it has the configuration of this one, but for its
// API packages and the SDKs' directories.
type project struct {
	dir      string
	module   string            // the directory below the project whose module's requirements it has
	replace  map[string]string // modules, and the directories that hold them
	packages []string          // import paths of API packages of other modules
	names    map[string]string // that types get in the document
	copies   int               // or how many copies of this project's API package it has
}

// write writes the project into its directory, which is not there yet.
func (p *place) write(pr project) error {
	for _, dir := range []string{"hack", "templates"} {
		if err := os.CopyFS(filepath.Join(pr.dir, dir), os.DirFS(filepath.Join(p.ours, dir))); err != nil {
			return err
		}
	}
	if err := p.linkTools(pr.dir); err != nil {
		return err
	}
	if err := p.writeModule(pr); err != nil {
		return err
	}
	var apis []map[string]string
	for i, path := range pr.packages {
		apis = append(apis, map[string]string{"package": path, "dir": fmt.Sprintf("spec/%d", i)})
	}
	for i := 1; i <= pr.copies; i++ {
		dir := fmt.Sprintf("api/group%d/v1alpha%[1]d", i)
		if err := p.copyPackage(filepath.Join(pr.dir, filepath.FromSlash(dir)), i); err != nil {
			return err
		}
		apis = append(apis, map[string]string{"path": dir})
	}
	return p.configure(pr, apis)
}

// writeModule writes go.mod and go.sum.
func (p *place) writeModule(pr project) error {
	from := filepath.Join(p.ours, filepath.FromSlash(pr.module))
	data, err := os.ReadFile(filepath.Join(from, "go.mod"))
	if err != nil {
		return err
	}
	file, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		return err
	}
	replace := map[string]string{}
	for _, r := range file.Replace {
		if r.New.Version == "" {
			replace[r.Old.Path] = filepath.Join(from, filepath.FromSlash(r.New.Path))
		}
	}
	maps.Copy(replace, pr.replace)
	err = file.AddModuleStmt("example.org/measured")
	for path, dir := range replace {
		err = errors.Join(err, file.AddReplace(path, "", dir, ""))
	}
	if err != nil {
		return err
	}
	if data, err = file.Format(); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(pr.dir, "go.mod"), data, 0o644),
		copyFile(filepath.Join(from, "go.sum"), filepath.Join(pr.dir, "go.sum")),
	)
}

// copyPackage writes a copy of the API package, of a group and a version with that number.
func (p *place) copyPackage(dir string, number int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	names, err := filepath.Glob(filepath.Join(p.ours, apiDir, "*.go"))
	if err != nil {
		return err
	}
	rename := strings.NewReplacer(
		"v1alpha1", fmt.Sprintf("v1alpha%d", number), "flux-framework.org", fmt.Sprintf("group%d.example.org", number),
		"+groupGoName=FluxFramework", fmt.Sprintf("+groupGoName=Group%d", number),
	)
	for _, name := range names {
		base := filepath.Base(name)
		if strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "zz_generated.") {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, base), []byte(rename.Replace(string(data))), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// configure writes sdkgen.yaml.
func (p *place) configure(pr project, apis []map[string]string) error {
	data, err := os.ReadFile(filepath.Join(p.ours, "sdkgen.yaml"))
	if err != nil {
		return err
	}
	var cfg map[string]any
	if err := yaml.Unmarshal(data, &cfg); err != nil {
		return err
	}
	cfg["apis"] = apis
	if len(pr.names) > 0 {
		cfg["swagger"] = map[string]any{"names": pr.names}
	}
	delete(cfg, "rules")
	if pr.copies == 0 {
		delete(cfg, "clients") // which are made of the project's own packages only
	}
	for _, language := range []string{"python", "go"} {
		sdk, ok := cfg[language].(map[string]any)
		if !ok {
			return fmt.Errorf("sdkgen.yaml has no section %s", language)
		}
		sdk["dir"] = "sdk/" + language + "-sdk/{version}"
		delete(sdk, "check")
		if overlay, ok := sdk["overlay"].(map[string]any); ok { // its files are the MiniCluster's
			delete(overlay, "dir")
			delete(overlay, "replace")
		}
	}
	if data, err = yaml.Marshal(cfg); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(pr.dir, "sdkgen.yaml"), data, 0o644)
}

// models counts the API's types: those that the SDKs have a class for, in each of their packages.
func (pr project) models() (int, error) {
	found, err := filepath.Glob(filepath.Join(pr.dir, "sdk", "python-sdk", "*", "*", "models", "[^_]*.py"))
	return len(found), err
}
