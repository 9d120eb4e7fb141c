package python_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestOperations runs testdata/operations/*.txtar: of the document "swagger.json", "operations.json" has what the
// templates see of each operation, or "error" is the error.
func TestOperations(t *testing.T) {
	testkit.Each(t, "operations/*.txtar", func(t *testing.T, c *testkit.Case) {
		c.Only(t, "swagger.json", "operations.json", "signatures", "error")
		testkit.Annotation(t, c, "operations.json", annotate, func(api render.API) map[string]any {
			operations := map[string]any{}
			for _, op := range api.Operations {
				operations["/"+op.Tag+"/"+op.ID] = op.Value
			}
			return operations
		})
	})
}

// signatures prints what a package's API classes are to their users.
const signatures = `
import importlib, inspect, sys
api = importlib.import_module(sys.argv[1] + ".api")
for name, cls in sorted(vars(api).items()):
    if inspect.isclass(cls):
        print(f"{cls.__module__.split('.')[-1]}.{name}")
        for method, function in vars(cls).items():
            if inspect.isfunction(function):
                print(f"    {method}{inspect.signature(function)}\n        {function.__doc__}")
`

// TestRenderOperations sends the cases through both engines with the project's templates and
// options: "signatures" is what Python finds in the API classes.
func TestRenderOperations(t *testing.T) {
	interpreter, err := exec.LookPath("python3")
	if err != nil {
		testkit.Missing(t, err.Error())
	}
	var jobs []render.Job
	var cases []*testkit.Case
	for _, c := range testkit.Cases(t, "operations/*.txtar") {
		document := []byte(c.Part("swagger.json"))
		api, err := annotate(testkit.Model(t, document))
		if err != nil {
			continue // an "error" case
		}
		name := "sdk_" + strings.ReplaceAll(filepath.Base(c.Name), "-", "_")
		cases = append(cases, c)
		jobs = append(jobs, render.Job{
			Stage: "python", Name: name, Generator: render.Python, Document: document, API: api, Options: options(name),
			Templates: os.DirFS("../../../templates/python"), Called: "templates",
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	sets := testkit.Render(t, jobs)
	for i, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			dir := t.TempDir()
			unpack(t, sets[i], jobs[i].Name, dir)
			testkit.Ruff(t, dir)
			cmd := exec.CommandContext(ctx, interpreter, "-W", "error", "-c", signatures, jobs[i].Name)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			c.Want(t, "signatures", string(out))
		})
	}
}
