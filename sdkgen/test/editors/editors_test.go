// Package editors has the programs that people validate manifests with read this repository's JSON Schema: kubeconform,
// and yaml-language-server as an editor starts it.
package editors

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

const (
	repository  = "../../.."
	schemas     = repository + "/config/schemas"
	kubeconform = "github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0"
)

var (
	slow   = flag.Bool("slow", false, "run the tests, which fetch the programs")
	update = flag.Bool("update", false, "rewrite the expected side of testdata/manifests.txtar")
)

// cases are the manifests of testdata/manifests.txtar: a file NAME.yaml, with what the program prints of it in
// NAME.PROGRAM.
func cases(t *testing.T, program string, says func(t *testing.T, file string) string) {
	t.Helper()
	if !*slow {
		t.Skip("only with -slow, as in `make test-all ONLY=editors`: it fetches " + program)
	}
	name := filepath.Join("testdata", "manifests.txtar")
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for i, file := range archive.Files {
		target, ok := strings.CutSuffix(file.Name, "."+program)
		if !ok {
			continue
		}
		manifest := filepath.Join(dir, target+".yaml")
		for _, other := range archive.Files {
			if other.Name == target+".yaml" {
				if err := os.WriteFile(manifest, other.Data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		got := says(t, manifest)
		if *update {
			archive.Files[i].Data = []byte(got)
		} else if diff := cmp.Diff(string(file.Data), got); diff != "" {
			t.Errorf("%s says of %s (-want +got):\n%s", program, target, diff)
		}
	}
	if *update {
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKubeconform also validates all examples of MiniClusters.
func TestKubeconform(t *testing.T) {
	if !*slow {
		t.Skip("only with -slow, as in `make test-all ONLY=editors`: it fetches kubeconform")
	}
	program := filepath.Join(t.TempDir(), "bin")
	install := exec.Command("go", "install", kubeconform)
	install.Env = append(os.Environ(), "GOBIN="+program, "GOWORK=off", "GOFLAGS=")
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(t *testing.T, files ...string) string {
		t.Helper()
		args := append([]string{"-strict", "-output", "json", "-verbose", "-schema-location",
			schemas + "/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json"}, files...)
		out, err := exec.Command(filepath.Join(program, "kubeconform"), args...).Output()
		if err != nil && len(out) == 0 {
			t.Fatal(err)
		}
		var report struct {
			Resources []struct {
				Name, Status     string
				ValidationErrors []struct{ Path, Msg string }
			}
		}
		if err := json.Unmarshal(out, &report); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		var b strings.Builder
		for _, resource := range report.Resources {
			fmt.Fprintln(&b, strings.TrimPrefix(resource.Status, "status"))
			var found []string // in any order
			for _, problem := range resource.ValidationErrors {
				found = append(found, fmt.Sprintf("  %s: %s\n", problem.Path, problem.Msg))
			}
			slices.Sort(found)
			b.WriteString(strings.Join(found, ""))
		}
		return b.String()
	}
	cases(t, "kubeconform", func(t *testing.T, file string) string { return run(t, file) })
	examples, err := filepath.Glob(repository + "/examples/minicluster/*.yaml")
	if err != nil || len(examples) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	if got := run(t, examples...); strings.ReplaceAll(got, "Valid\n", "") != "" {
		t.Errorf("the examples: %s", got)
	}
}

// TestEditor opens the manifests as an editor does, and asks for completions and an explanation where the comment "#
// here" is.
func TestEditor(t *testing.T) {
	if !*slow {
		t.Skip("only with -slow, as in `make test-all ONLY=editors`: it fetches yaml-language-server")
	}
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	install := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci (Node.js 22 or newer is needed): %v\n%s", err, out)
	}
	schema, err := filepath.Abs(schemas + "/flux-framework.org/minicluster_v1alpha1.json")
	if err != nil {
		t.Fatal(err)
	}
	cases(t, "editor", func(t *testing.T, file string) string {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := "# yaml-language-server: $schema=file://" + filepath.ToSlash(schema) + "\n" + string(data)
		e := start(t, filepath.Join(dir, "node_modules", "yaml-language-server", "bin", "yaml-language-server"))
		defer e.stop(t)
		var b bytes.Buffer
		for _, found := range e.open(t, file, text) {
			fmt.Fprintf(&b, "%d: %s\n", found.Range.Start.Line, found.Message)
		}
		for i, line := range strings.Split(text, "\n") {
			if before, _, ok := strings.Cut(line, "# here"); ok {
				b.WriteString(e.ask(t, file, i, len(strings.TrimRight(before, " "))))
			}
		}
		return b.String()
	})
}
