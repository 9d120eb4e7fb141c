package jar_test

import (
	"log/slog"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestOwnTemplates makes the SDKs of this repository's API by openapi-generator's own templates: of swagger.json as it
// is, and of what sdkgen makes of it for the generator. Both must compile and import, and read and write an example.
func TestOwnTemplates(t *testing.T) {
	interpreter, err := exec.LookPath("python3")
	if err != nil {
		testkit.Missing(t, err.Error())
	}
	env := append(testkit.Offline(), "GOWORK=off", "PYTHONDONTWRITEBYTECODE=1")
	imports := exec.CommandContext(t.Context(), interpreter, "-c", "import six, dateutil, urllib3")
	if imports.Run() != nil { // what the generated package requires
		packages := t.TempDir()
		env = append(env, "PYTHONPATH="+packages)
		install := exec.CommandContext(t.Context(), interpreter, "-m", "pip", "install", "-q", "--target", packages,
			"six==1.17.0", "python-dateutil==2.9.0.post0", "urllib3==2.7.0")
		if out, err := install.CombinedOutput(); err != nil {
			t.Fatalf("installing what the package requires: %v\n%s", err, out)
		}
	}
	swagger := testkit.Read(t, filepath.Join(testkit.Repository, "api/v1alpha1/swagger.json"))
	example, err := yaml.YAMLToJSON(testkit.Read(t, filepath.Join(testkit.Repository, "examples/minicluster/batch.yaml")))
	if err != nil {
		t.Fatal(err)
	}
	// A number, for which Swagger 2.0 has no type: a limit is one, or a string.
	example = []byte(strings.Replace(string(example), `"batch":true`, `"batch":true,"resources":{"limits":{"cpu":2}}`, 1))
	dir := testkit.Project(t, &txtar.Archive{Files: []txtar.File{{Name: "main.go", Data: []byte(readGo)}},
		Comment: []byte("module: made\n")})
	var jobs []render.Job
	for _, name := range []string{"plain", "honest"} {
		for _, generator := range []string{render.Python, render.Go} {
			job := render.Job{Stage: generator, Name: name + generator, Generator: generator, Document: swagger}
			job.Options = map[string]any{"packageName": name, "apiTests": false, "isGoSubmodule": true}
			if name == "honest" {
				job.API.Extension = "x-test"
			}
			jobs = append(jobs, job)
		}
	}
	sets, err := findJar(t).Run(t.Context(), slog.New(slog.DiscardHandler), t.TempDir(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	for i, job := range jobs {
		for file := range sets[i].All() {
			if dirName, base := path.Split(file.Path); job.Generator == render.Python ||
				dirName == "" && path.Ext(base) == ".go" {
				testkit.Write(t, dir, path.Join(job.Package(), file.Path), file.Data)
			}
		}
	}
	testkit.Write(t, dir, "read.py", []byte(readPython))
	run := func(input []byte, name string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir, cmd.Env, cmd.Stdin = dir, env, strings.NewReader(string(input))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	for _, name := range []string{"plain", "honest"} {
		if got := run(example, interpreter, "read.py", name); got != "2 2 31500000 True {'cpu': 2}\n" {
			t.Errorf("python-legacy of the %s document reads and writes %s", name, got)
		}
	}
	if got := run(example, "go", "run", "."); got != "2 map[cpu:2] 31500000\n" {
		t.Errorf("go reads %s", got)
	}
}

// readPython reads an object of this API, and says what it has and whether it is written as it was.
const readPython = `
import importlib, json, sys

sys.path.insert(0, sys.argv[1])
sdk = importlib.import_module(sys.argv[1])
client = sdk.ApiClient()
manifest = json.load(sys.stdin)


class Response:
    data = json.dumps(manifest)


mc = client.deserialize(Response, "MiniCluster")


def kept(given, written):
    if isinstance(given, dict):
        return all(kept(given[key], written[key]) for key in given)
    if isinstance(given, list):
        return all(map(kept, given, written))
    return given == written


written = client.sanitize_for_serialization(mc)
limits = mc.spec.containers[0].resources.limits
print(mc.spec.size, mc.spec.tasks, mc.spec.deadline_seconds, kept(manifest, written), limits)
`

// readGo reads one, too.
const readGo = `package main

import (
	"encoding/json"
	"fmt"
	"os"

	"made/honest"
	_ "made/plain"
)

func main() {
	mc := honest.NewMiniClusterWithDefaults()
	if err := json.NewDecoder(os.Stdin).Decode(mc); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	limits := mc.Spec.Containers[0].Resources.Limits
	defaults := honest.NewMiniClusterSpecWithDefaults()
	fmt.Println(mc.Spec.GetSize(), limits, defaults.GetDeadlineSeconds())
}
`
