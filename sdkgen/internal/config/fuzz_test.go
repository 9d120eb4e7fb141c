package config_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// FuzzParse: whatever the file holds, an error is a list of diagnostics that lie in the file, and a
// configuration that is taken names no file outside of the project.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatalf("no cases: %v", err)
	}
	for _, file := range append(files, "../../../sdkgen.yaml") {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(append(archive.Comment, bytes.Join(data(archive), nil)...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		cfg, err := config.Parse("sdkgen.yaml", data)
		if err == nil {
			for name, path := range paths(cfg) {
				if path != "" && !filepath.IsLocal(filepath.FromSlash(path)) {
					t.Errorf("%s is %q", name, path)
				}
			}
			return
		}
		list, ok := errors.AsType[diag.List](err)
		if !ok || len(list) == 0 || cfg != nil {
			t.Fatalf("no list of diagnostics, but %T: %v", err, err)
		}
		for _, d := range list {
			if lines := bytes.Count(data, []byte("\n")) + 1; d.Pos.Filename != "sdkgen.yaml" || d.Pos.Line < 0 ||
				d.Pos.Line > lines || d.Pos.Column < 0 {
				t.Errorf("%v: the file has %d lines", d, lines)
			}
			if d.Message == "" || strings.ContainsAny(d.Message, "\n\x00\x1b") {
				t.Errorf("the message is %q", d.Message)
			}
		}
	})
}

func data(archive *txtar.Archive) [][]byte {
	var all [][]byte
	for _, f := range archive.Files {
		if f.Name == "sdkgen.yaml" {
			all = append(all, f.Data)
		}
	}
	return all
}

// paths are all files and directories that a configuration names.
func paths(cfg *config.Config) map[string]string {
	all := map[string]string{
		"header": cfg.Header, "exceptions": cfg.Rules.Exceptions, "breaking.exceptions": cfg.Breaking.Exceptions,
		"jar": cfg.Generator.Jar, "java": cfg.Generator.Java,
	}
	for _, api := range cfg.APIs {
		all["apis "+api.Path+api.Package] = api.Path
		all["apis, dir "+api.Path+api.Package] = api.Dir
	}
	if cfg.CRD != nil {
		all["crd"] = cfg.CRD.Dir
	}
	if cfg.Clients != nil {
		all["clients"] = cfg.Clients.Dir
	}
	for name, sdk := range map[string]*config.SDK{"python": cfg.Python, "go": cfg.Go} {
		if sdk != nil {
			all[name+", dir"], all[name+", config"] = config.Expand(sdk.Dir, "group", "v1"), sdk.Config
			all[name+", templates"], all[name+", overlay"] = sdk.Templates, sdk.Overlay.Dir
		}
	}
	return all
}
