package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"sigs.k8s.io/yaml"

	"github.com/flux-framework/flux-operator/internal/testkit"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"fluxoperator-gen": main})
}

// TestScript runs testdata/script/*.txtar. "code N COMMAND" checks the exit code; stdout must be empty
// unless it is 0.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       testkit.Update(),
		Cmds:                map[string]func(ts *testscript.TestScript, neg bool, args []string){"code": code},
	})
}

func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("running %s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
	if out := ts.ReadFile("stdout"); want != 0 && out != "" {
		ts.Fatalf("stdout is not empty: %s", out)
	}
}

// TestExamples prints the objects of all examples: no field is empty, and no kind is missing.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/minicluster/*.yaml")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d examples: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := run([]string{"-f", file}, nil, &stdout, &stderr, zeros{}); code != exitOK || stderr.Len() > 0 {
				t.Fatalf("exit code %d: %s", code, &stderr)
			}
			kinds := map[string]bool{}
			for _, text := range strings.Split(stdout.String(), "---\n") {
				var object map[string]any
				if err := yaml.UnmarshalStrict([]byte(text), &object); err != nil {
					t.Fatal(err)
				}
				kinds[object["kind"].(string)] = true
				if path := empty(object); path != "" {
					t.Errorf("%s: %s is empty", object["kind"], path)
				}
			}
			if !kinds["ConfigMap"] || !kinds["Service"] || !kinds["Job"] {
				t.Errorf("kinds %v", kinds)
			}
		})
	}
}

// empty returns the path of a field that is null, {}, [] or the status, or "".
func empty(object map[string]any) string {
	for name, value := range object {
		switch value := value.(type) {
		case nil:
			return name
		case []any:
			if len(value) == 0 {
				return name
			}
		case map[string]any:
			if len(value) == 0 || name == "status" {
				return name
			}
			if inner := empty(value); inner != "" {
				return name + "." + inner
			}
		}
	}
	return ""
}

// zeros is a source of keys that are all zero.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestStatic builds the program as it is released, without cgo, and runs it.
func TestStatic(t *testing.T) {
	program := filepath.Join(t.TempDir(), "fluxoperator-gen")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program, "-f", "../../examples/minicluster/lammps.yaml", "-i", "j").CombinedOutput()
	if err != nil || !bytes.HasPrefix(out, []byte("apiVersion: batch/v1\nkind: Job\n")) {
		t.Errorf("%v\n%s", err, out)
	}
}
