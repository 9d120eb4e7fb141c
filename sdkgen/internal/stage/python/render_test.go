package python_test

import (
	"context"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/python"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
	"github.com/flux-framework/flux-operator/sdkgen/runtime"
)

// TestRender sends every case of testdata through both engines with the project's templates
// and options: each model must be where its imports look for it, each package must import
// without a warning, and the tests that are generated with it must pass.
func TestRender(t *testing.T) {
	interpreter, err := exec.LookPath("python3")
	if err != nil {
		testkit.Missing(t, err.Error())
	}
	var jobs []render.Job
	for _, c := range testkit.Cases(t, "*.txtar") {
		document := []byte(c.Part("swagger.json"))
		api, err := annotate(testkit.Model(t, document))
		if err != nil || c.Name == "endless" {
			continue // an "error" case; and one of which no object is valid
		}
		name := "sdk_" + strings.ReplaceAll(c.Name, "-", "_") // types is a module of Python
		jobs = append(jobs, render.Job{
			Stage: "python", Name: name, Generator: render.Python, Document: document, API: api, Options: options(name),
			Templates: os.DirFS("../../../templates/python"), Called: "templates",
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	sets := testkit.Render(t, jobs)
	for i, job := range jobs {
		t.Run(job.Name, func(t *testing.T) {
			checkModules(t, sets[i], job)
			dir := t.TempDir()
			unpack(t, sets[i], job.Name, dir)
			testkit.Ruff(t, dir)
			cmd := exec.CommandContext(ctx, interpreter, "-W", "error", "-m", "unittest", "discover", "-s", "test")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH=.")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// options are those that the templates want, for a package of a name.
func options(name string) map[string]any {
	config := python.Options()
	config["packageName"], config["packageVersion"] = name, "0.0.1"
	return config
}

// checkModules looks for each definition's class in the module where others import it from,
// with its texts as the extension has them.
func checkModules(t *testing.T, set *artifact.Set, job render.Job) {
	t.Helper()
	sources := map[string]string{}
	for file := range set.All() {
		if path.Dir(file.Path) == job.Name+"/models" {
			sources[strings.TrimSuffix(path.Base(file.Path), ".py")] = string(file.Data)
		}
	}
	for _, definition := range job.API.Models {
		class, model := definition.Name, definition.Value.(*python.Model)
		imported := regexp.MustCompile(`from \.(\w+) import ` + class + "\n").FindStringSubmatch(sources["__init__"])
		if imported == nil {
			t.Errorf("there is no class %s", class)
			continue
		}
		module, source := imported[1], sources[imported[1]]
		for _, field := range model.Fields {
			if !strings.Contains(source, "    "+field.Declaration+"\n") || !strings.Contains(source, field.Doc) {
				t.Errorf("%s.py does not say of %s what it should", module, field.Attr)
			}
		}
		if !strings.Contains(source, "    "+model.Doc+"\n") {
			t.Errorf("%s.py has another text", module)
		}
		for _, other := range model.Models {
			if !strings.Contains(sources["__init__"], " import "+other.Class+"\n") {
				t.Errorf("%s imports %s, which is not there", class, other.Class)
			}
		}
	}
}

// unpack writes the SDK of the package pkg: what the jar made, and the runtime.
func unpack(t *testing.T, set *artifact.Set, pkg, dir string) {
	t.Helper()
	common, err := runtime.Python(pkg)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range common {
		testkit.Write(t, dir, file.Path, file.Data)
	}
	for file := range set.All() {
		testkit.Write(t, dir, file.Path, file.Data)
	}
}
