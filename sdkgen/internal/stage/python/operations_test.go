package python_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/python"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestOperations runs testdata/operations/*.txtar: of the document "swagger.json",
// "operations.json" is what the jar gets to see of each operation, or "error" is what is said.
func TestOperations(t *testing.T) {
	testkit.Each(t, "operations/*.txtar", func(t *testing.T, c *testkit.Case) {
		c.Only(t, "swagger.json", "operations.json", "signatures", "error")
		document := []byte(c.Part("swagger.json"))
		encoded, err := annotate(document)
		seen, said := "", ""
		if err != nil {
			said = err.Error() + "\n"
		} else {
			seen = paths(t, encoded)
		}
		c.Want(t, "operations.json", seen)
		c.Want(t, "error", said)
		for range 20 {
			again, err := annotate(document)
			if err == nil && !bytes.Equal(again, encoded) || err != nil && err.Error()+"\n" != said {
				t.Fatal("a second run gave something else")
			}
		}
	})
}

// paths returns the extension of each operation by its path. Beside it the jar may see nothing
// but the operation's id, its tag and that it can succeed.
func paths(t *testing.T, document []byte) string {
	t.Helper()
	var doc struct {
		Parameters map[string]any
		Paths      map[string]map[string]map[string]any
	}
	if err := json.Unmarshal(document, &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Parameters) > 0 {
		t.Errorf("the jar sees parameters: %v", doc.Parameters)
	}
	found := map[string]any{}
	for path, item := range doc.Paths {
		for method, op := range item {
			found[path] = op[python.Extension]
			delete(op, python.Extension)
			if method != "get" || len(op) != 3 || op["operationId"] == nil || op["tags"] == nil || op["responses"] == nil {
				t.Errorf("of %s the jar sees %s %v", path, method, op)
			}
		}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(found); err != nil {
		t.Fatal(err)
	}
	return out.String()
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
		document, err := annotate([]byte(c.Part("swagger.json")))
		if err != nil {
			continue // an "error" case
		}
		name := "sdk_" + strings.ReplaceAll(filepath.Base(c.Name), "-", "_")
		cases = append(cases, c)
		jobs = append(jobs, render.Job{
			Stage: "python", Name: name, Generator: render.Python, Spec: document, Options: options(name),
			Templates: os.DirFS("../../../templates/python"), Called: "templates", Printed: python.Printed(),
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
