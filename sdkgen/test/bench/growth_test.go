package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
)

// TestHurdles makes the changes in the required version of k8s.io/api.
func TestHurdles(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/api").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"apps/v1/doc.go", "core/v1/doc.go"} {
		if err := copyFile(filepath.Join(strings.TrimSpace(string(out)), name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, h := range hurdles {
		if err := h.change(dir); err != nil {
			t.Errorf("%s: %v", h.says, err)
		}
	}
}

// here is a place whose project is this one itself; only what is written elsewhere may be asked of it.
func here(t *testing.T) *place {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	return &place{root: root, ours: root, tools: t.TempDir()}
}

func TestProjects(t *testing.T) {
	for name, c := range map[string]struct {
		project project
		clients bool
		apis    []config.API
	}{
		"copies": {project{copies: 2}, true, []config.API{{Path: "api/group1/v1alpha1"}, {Path: "api/group2/v1alpha2"}}},
		"foreign": {
			project{module: "sdkgen/test/apis", replace: map[string]string{"k8s.io/api": "/k8s"},
				packages: []string{coreV1, appsV1}}, false,
			[]config.API{{Package: coreV1, Dir: "spec/0"}, {Package: appsV1, Dir: "spec/1"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.project.dir = filepath.Join(t.TempDir(), "project")
			if err := here(t).write(c.project); err != nil {
				t.Fatal(err)
			}
			cfg, err := config.Parse(config.File, read(t, c.project.dir, config.File))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.apis, cfg.APIs); diff != "" || (cfg.Clients != nil) != c.clients {
				t.Errorf("clients: %+v, APIs (-want +got):\n%s", cfg.Clients, diff)
			}
			module := string(read(t, c.project.dir, "go.mod"))
			for path, dir := range c.project.replace {
				if !strings.Contains(module, path+" => "+dir+"\n") {
					t.Errorf("go.mod does not replace %s:\n%s", path, module)
				}
			}
		})
	}
}

func TestCopyPackage(t *testing.T) {
	dir := t.TempDir()
	if err := here(t).copyPackage(dir, 12); err != nil {
		t.Fatal(err)
	}
	doc, register := string(read(t, dir, "doc.go")), string(read(t, dir, "register.go"))
	for text, want := range map[string]string{doc: "+groupName=group12.example.org\n", register: `Version: "v1alpha12"`} {
		if !strings.Contains(text, want) || !strings.Contains(text, "package v1alpha12\n") {
			t.Errorf("it lacks %q or its package clause:\n%s", want, text)
		}
	}
	if generated, err := filepath.Glob(filepath.Join(dir, "zz_*")); err != nil || len(generated) > 0 {
		t.Errorf("what is generated was copied: %v, %v", generated, err)
	}
}

func TestWriteOpenAPI(t *testing.T) {
	spec := filepath.Join(t.TempDir(), "openapi.json")
	if err := writeOpenAPI(filepath.Join("../../..", apiDir, "swagger.json"), spec); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(spec)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		OpenAPI    string
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(data, &doc); err != nil || doc.OpenAPI != "3.0.3" ||
		doc.Components.Schemas["MiniCluster"] == nil {
		t.Errorf("%v: OpenAPI %q with %d schemas", err, doc.OpenAPI, len(doc.Components.Schemas))
	}
	for _, bad := range []string{`"x-`, "#/definitions/"} {
		if strings.Contains(string(data), bad) {
			t.Errorf("it has %s", bad)
		}
	}
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
